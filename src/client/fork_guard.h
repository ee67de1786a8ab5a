// Notices that this process is a fork of the one that something was made in. One load per look, where getpid() is a system
// call.
#ifndef ONEKERNEL_CLIENT_FORK_GUARD_H_
#define ONEKERNEL_CLIENT_FORK_GUARD_H_

#include <cstdint>

namespace onekernel::client {

class ForkGuard {
 public:
  ForkGuard();
  // True in a child that was forked after this guard was made.
  bool in_child() const;

 private:
  std::uint64_t forks_;
};

}  // namespace onekernel::client

#endif  // ONEKERNEL_CLIENT_FORK_GUARD_H_
