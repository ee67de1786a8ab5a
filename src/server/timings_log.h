// What each request cost the engine itself, for whoever measures the boundary: one JSON line per request, written after its
// reply was sent, so that writing it is in nobody's latency.
#ifndef ONEKERNEL_SERVER_TIMINGS_LOG_H_
#define ONEKERNEL_SERVER_TIMINGS_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "onekernel/status.h"

namespace onekernel::server {

struct Timing {
  std::string_view operation;  // "sweep", "echo" or "error"
  std::uint64_t n_bars = 0;
  std::uint64_t n_combos = 0;
  std::uint64_t bytes_in = 0;   // with the length prefix
  std::uint64_t bytes_out = 0;  // with the length prefix
  std::int64_t compute_ns = 0;  // the kernel alone: no decoding, no copying, no system call
};

class TimingsLog {
 public:
  TimingsLog() = default;  // records nothing

  // Appends to `path`, which is created where it is missing. Errors: kIo.
  static Result<TimingsLog> open(const std::string& path);

  // Thread-safe: a line is one write to a file opened for appending.
  void record(const Timing& timing) const;

 private:
  base::FileDescriptor file_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_TIMINGS_LOG_H_
