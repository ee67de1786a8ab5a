#include "server/live_budget.h"

#include <string>

namespace onekernel::server {

Result<LiveBudget::Share> LiveBudget::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (used_.sessions >= limits_.max_sessions) {
    return Status(StatusCode::kLimitExceeded, "there are " + std::to_string(limits_.max_sessions) +
                                                  " live sessions already, which is the limit (--max-live-sessions)");
  }
  if (bytes > limits_.max_bytes - used_.bytes) {
    return Status(StatusCode::kLimitExceeded, "this live session may take " + std::to_string(bytes) +
                                                  " bytes and the others take " + std::to_string(used_.bytes) +
                                                  ", together over the limit of " + std::to_string(limits_.max_bytes) +
                                                  " (--max-live-bytes); open several with fewer combos or shorter windows");
  }
  ++used_.sessions;
  used_.bytes += bytes;
  return Share(*this, bytes);
}

LiveBudget::Usage LiveBudget::usage() {
  const std::lock_guard lock(mutex_);
  return used_;
}

void LiveBudget::give_back(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  --used_.sessions;
  used_.bytes -= bytes;
}

}  // namespace onekernel::server
