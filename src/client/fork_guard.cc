#include "client/fork_guard.h"

#include <pthread.h>

#include <atomic>

namespace onekernel::client {
namespace {

std::atomic<std::uint64_t> forks_so_far{0};  // on the way from the first process to this one

void count_fork() { forks_so_far.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t watched_forks() {
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, count_fork);
  return forks_so_far.load(std::memory_order_relaxed);
}

}  // namespace

ForkGuard::ForkGuard() : forks_(watched_forks()) {}

bool ForkGuard::in_child() const { return forks_so_far.load(std::memory_order_relaxed) != forks_; }

}  // namespace onekernel::client
