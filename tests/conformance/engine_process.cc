#include "tests/conformance/engine_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration): unistd.h declares it for GNU only

namespace onekernel::testing {
namespace {

struct Child {
  pid_t pid;
  base::FileDescriptor input;   // to write to
  base::FileDescriptor output;  // to read from
};

std::array<base::FileDescriptor, 2> make_pipe() {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {base::FileDescriptor(ends[0]), base::FileDescriptor(ends[1])};
}

Child spawn(const std::vector<std::string>& command) {
  auto [input_read, input_write] = make_pipe();
  auto [output_read, output_write] = make_pipe();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input_read.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output_write.get(), STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + command[0]);
  return {pid, std::move(input_write), std::move(output_read)};
}

std::string read_line(const base::FileDescriptor& from) {
  std::string line;
  for (char byte = 0; ::read(from.get(), &byte, 1) == 1 && byte != '\n';) line.push_back(byte);
  return line;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "onekernel-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "mkdtemp");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

EngineProcess::EngineProcess(const std::string& program, const std::string& socket, const std::vector<std::string>& arguments)
    : socket_(socket) {
  std::vector<std::string> command{program,       "serve",       "--unix", socket,         "--tcp",
                                   "127.0.0.1:0", "--log-level", "off",    "--stop-on-eof"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Child child = spawn(command);
  pid_ = child.pid;
  keep_alive_ = std::move(child.input);
  const std::string first = read_line(child.output);
  tcp_url_ = read_line(child.output);
  if (first != unix_url() || !tcp_url_.starts_with("tcp://")) {
    end(SIGKILL);
    throw std::runtime_error("the engine did not start: it said '" + first + "', '" + tcp_url_ + "'");
  }
}

EngineProcess::~EngineProcess() { end(SIGKILL); }

void EngineProcess::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
  if (number != SIGSTOP) return;
  int status = 0;  // the signal stops the threads one after the other; only then does nobody answer any more
  while (::waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
}

int EngineProcess::end(int number) {
  if (pid_ <= 0) return 0;
  signal(number);
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return status;
}

std::chrono::nanoseconds EngineProcess::cpu_time() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::size_t EngineProcess::open_descriptors() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/fd")) {
    ++count;
  }
  return count;
}

std::size_t EngineProcess::mappings_with(const std::string& text) const {
  std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(text) != std::string::npos ? 1 : 0;
  return count;
}

std::size_t EngineProcess::threads() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task")) {
    ++count;
  }
  return count;
}

std::size_t EngineProcess::resident_bytes() const {
  std::ifstream counts("/proc/" + std::to_string(pid_) + "/statm");  // pages: all, resident, ...
  std::size_t all = 0;
  std::size_t resident = 0;
  counts >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string run_program(const std::vector<std::string>& command, const std::string& input, int& exit_status) {
  Child child = spawn(command);
  // Written from a thread of its own: the program may answer before it has read everything.
  std::thread writer([&] {
    for (std::size_t done = 0; done < input.size();) {
      const ssize_t written = ::write(child.input.get(), input.data() + done, input.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    child.input.reset();
  });
  std::string output;
  std::array<char, 65536> buffer;
  for (ssize_t got = 0; (got = ::read(child.output.get(), buffer.data(), buffer.size())) > 0;) {
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  writer.join();
  ::waitpid(child.pid, &exit_status, 0);
  return output;
}

}  // namespace onekernel::testing
