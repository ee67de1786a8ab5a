// How much of their limits the live sessions of all connections take.
#ifndef ONEKERNEL_SERVER_LIVE_BUDGET_H_
#define ONEKERNEL_SERVER_LIVE_BUDGET_H_

#include <cstdint>
#include <mutex>
#include <utility>

#include "onekernel/status.h"
#include "server/settings.h"

namespace onekernel::server {

class LiveBudget {
 public:
  struct Usage {
    std::uint32_t sessions = 0;
    std::uint64_t bytes = 0;
  };

  // One session's part, which goes back when this object goes.
  class Share {
   public:
    Share(LiveBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}
    Share(Share&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&&) = delete;
    ~Share() {
      if (budget_ != nullptr) budget_->give_back(bytes_);
    }

   private:
    LiveBudget* budget_;
    std::uint64_t bytes_;
  };

  explicit LiveBudget(const LiveLimits& limits) : limits_(limits) {}

  // Taken before the memory is, so that sessions that are opened at one time cannot all have what is left.
  // Errors: kLimitExceeded, naming limit and flag.
  Result<Share> take(std::uint64_t bytes);
  Usage usage();

 private:
  void give_back(std::uint64_t bytes);

  const LiveLimits limits_;
  std::mutex mutex_;
  Usage used_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_LIVE_BUDGET_H_
