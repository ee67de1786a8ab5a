// When to stop: on SIGTERM or SIGINT, and where asked also at the end of standard input.
#ifndef ONEKERNEL_TOOLS_LIFECYCLE_H_
#define ONEKERNEL_TOOLS_LIFECYCLE_H_

#include <functional>
#include <thread>

#include "base/file_descriptor.h"

namespace onekernel::tools {

// Blocks the two signals for this thread and those it starts from now on, so that only a StopWatcher takes them.
// Call it before any thread is started.
void block_stop_signals();

// Calls `on_stop` once, from a thread of its own, with the reason. A second signal ends the process at once.
class StopWatcher {
 public:
  StopWatcher(bool stop_on_eof, std::function<void(const char* reason)> on_stop);
  ~StopWatcher();

  StopWatcher(const StopWatcher&) = delete;
  StopWatcher& operator=(const StopWatcher&) = delete;

 private:
  void watch(bool stop_on_eof, const std::function<void(const char*)>& on_stop);

  base::FileDescriptor signals_;
  base::FileDescriptor done_;
  std::thread thread_;
};

}  // namespace onekernel::tools

#endif  // ONEKERNEL_TOOLS_LIFECYCLE_H_
