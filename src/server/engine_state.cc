#include "server/engine_state.h"

#include <random>

#include "base/clock.h"

namespace onekernel::server {

std::uint64_t random_epoch() {
  std::random_device random;
  std::uint64_t epoch = 0;
  while (epoch == 0) epoch = std::uint64_t{random()} << 32 | random();
  return epoch;
}

void Statistics::count(const Timing& timing, bool is_error) {
  requests.fetch_add(1, std::memory_order_relaxed);
  if (is_error) errors.fetch_add(1, std::memory_order_relaxed);
  bytes_in.fetch_add(timing.bytes_in, std::memory_order_relaxed);
  bytes_out.fetch_add(timing.bytes_out, std::memory_order_relaxed);
  compute_ns.fetch_add(static_cast<std::uint64_t>(timing.compute_ns), std::memory_order_relaxed);
}

EngineState::EngineState(const EngineSettings& settings, TimingsLog timings, std::uint64_t epoch)
    : settings_(settings),
      timings_(std::move(timings)),
      store_(settings.limits.store),
      live_budget_(settings.limits.live),
      epoch_(epoch),
      started_ns_(base::monotonic_ns()) {}

}  // namespace onekernel::server
