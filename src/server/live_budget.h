// How much of their limits the live sessions of all connections take.
#ifndef ONEKERNEL_SERVER_LIVE_BUDGET_H_
#define ONEKERNEL_SERVER_LIVE_BUDGET_H_

#include <cstdint>
#include <mutex>

#include "onekernel/status.h"
#include "server/settings.h"

namespace onekernel::server {

class LiveBudget {
 public:
  explicit LiveBudget(const LiveLimits& limits) : limits_(limits) {}

  // kLimitExceeded, naming limit and flag, where there is no room for one more session.
  Status check_room();
  struct Usage {
    std::uint32_t sessions = 0;
    std::uint64_t bytes = 0;
  };
  Usage usage();
  // Bytes that are left.
  std::uint64_t left();
  // Errors: kLimitExceeded; nothing is taken then.
  Status take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

 private:
  Status too_many() const;

  const LiveLimits limits_;
  std::mutex mutex_;
  Usage used_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_LIVE_BUDGET_H_
