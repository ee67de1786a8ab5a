// An onekernel-engine program of one's own: started, killed, and looked at through /proc.
#ifndef ONEKERNEL_TESTS_CONFORMANCE_ENGINE_PROCESS_H_
#define ONEKERNEL_TESTS_CONFORMANCE_ENGINE_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace onekernel::testing {

// A new folder, removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Serves on a Unix socket and on a loopback port. Ends with this object, and with this process.
class EngineProcess {
 public:
  // `program`: the path of onekernel-engine. `socket`: where it listens. Throws std::runtime_error if it does not start.
  EngineProcess(const std::string& program, const std::string& socket, const std::vector<std::string>& arguments = {});
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  pid_t pid() const { return pid_; }
  std::string unix_url() const { return "unix:" + socket_; }
  std::string shm_url() const { return "shm:" + socket_; }
  const std::string& tcp_url() const { return tcp_url_; }

  void signal(int number) const;
  // Sends the signal and waits for the end; returns what waitpid said.
  int end(int number);

  // CPU time of all its threads so far.
  std::chrono::nanoseconds cpu_time() const;
  std::size_t open_descriptors() const;
  // How many of its mappings have `text` in their line of /proc/<pid>/maps.
  std::size_t mappings_with(const std::string& text) const;
  std::size_t threads() const;
  // Memory that it has in use now.
  std::size_t resident_bytes() const;

 private:
  std::string socket_;
  std::string tcp_url_;
  base::FileDescriptor keep_alive_;  // the write end of its standard input
  pid_t pid_ = -1;
};

// The standard output of `program` with `arguments`, after `input` was written to its standard input.
std::string run_program(const std::vector<std::string>& command, const std::string& input, int& exit_status);

}  // namespace onekernel::testing

#endif  // ONEKERNEL_TESTS_CONFORMANCE_ENGINE_PROCESS_H_
