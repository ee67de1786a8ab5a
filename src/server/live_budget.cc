#include "server/live_budget.h"

#include <string>

namespace onekernel::server {

Status LiveBudget::too_many() const {
  return {StatusCode::kLimitExceeded, "there are " + std::to_string(limits_.max_sessions) +
                                          " live sessions already, which is the limit (--max-live-sessions)"};
}

Status LiveBudget::check_room() {
  const std::lock_guard lock(mutex_);
  return used_.sessions < limits_.max_sessions ? Status() : too_many();
}

LiveBudget::Usage LiveBudget::usage() {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::uint64_t LiveBudget::left() {
  const std::lock_guard lock(mutex_);
  return limits_.max_bytes - used_.bytes;
}

Status LiveBudget::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (used_.sessions >= limits_.max_sessions) return too_many();
  if (bytes > limits_.max_bytes - used_.bytes) {
    return {StatusCode::kLimitExceeded, "live sessions take " + std::to_string(used_.bytes) + " bytes, and " +
                                            std::to_string(bytes) + " more would be over the limit of " +
                                            std::to_string(limits_.max_bytes) + " (--max-live-bytes)"};
  }
  ++used_.sessions;
  used_.bytes += bytes;
  return {};
}

void LiveBudget::give_back(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  --used_.sessions;
  used_.bytes -= bytes;
}

}  // namespace onekernel::server
