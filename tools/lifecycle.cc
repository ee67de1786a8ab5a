#include "tools/lifecycle.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>

namespace onekernel::tools {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

// Reads and drops what lies in standard input. False at its end.
bool input_goes_on() {
  std::array<char, 4096> dropped;
  return ::read(STDIN_FILENO, dropped.data(), dropped.size()) > 0;
}

}  // namespace

void block_stop_signals() {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

StopWatcher::StopWatcher(bool stop_on_eof, std::function<void(const char*)> on_stop) : done_(::eventfd(0, EFD_CLOEXEC)) {
  const sigset_t set = stop_signals();
  signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC));
  thread_ = std::thread([this, stop_on_eof, callback = std::move(on_stop)] { watch(stop_on_eof, callback); });
}

StopWatcher::~StopWatcher() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(done_.get(), &one, sizeof(one));
  thread_.join();
}

void StopWatcher::watch(bool stop_on_eof, const std::function<void(const char*)>& on_stop) {
  enum Source { kDone, kSignal, kInput };
  std::array<pollfd, 3> sources{
      {{done_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {stop_on_eof ? STDIN_FILENO : -1, POLLIN, 0}}};
  bool asked = false;
  for (;;) {
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;  // only EINTR can happen here
    if (sources[kDone].revents != 0) return;
    if (sources[kSignal].revents != 0) {
      signalfd_siginfo received{};
      [[maybe_unused]] const ssize_t got = ::read(signals_.get(), &received, sizeof(received));
      if (asked) ::_exit(128 + static_cast<int>(received.ssi_signo));
      asked = true;
      on_stop(received.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
    }
    if (sources[kInput].revents != 0 && !input_goes_on()) {
      sources[kInput].fd = -1;
      if (!asked) on_stop("the end of standard input");
      asked = true;
    }
  }
}

}  // namespace onekernel::tools
