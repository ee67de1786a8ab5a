// What all connections of one engine process share.
#ifndef ONEKERNEL_SERVER_ENGINE_STATE_H_
#define ONEKERNEL_SERVER_ENGINE_STATE_H_

#include <atomic>
#include <cstdint>

#include "engine/series_store.h"
#include "server/live_budget.h"
#include "server/settings.h"
#include "server/timings_log.h"

namespace onekernel::server {

// Counts since the start; read without stopping anybody, so the numbers of one reading may be a request apart.
struct Statistics {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> errors{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> compute_ns{0};
  std::atomic<std::uint64_t> connections{0};  // open now

  void count(const Timing& timing, bool is_error);
};

// Never 0.
std::uint64_t random_epoch();

class EngineState {
 public:
  EngineState(const EngineSettings& settings, TimingsLog timings, std::uint64_t epoch = random_epoch());

  const EngineSettings& settings() const { return settings_; }
  const TimingsLog& timings() const { return timings_; }
  engine::SeriesStore& store() { return store_; }
  LiveBudget& live_budget() { return live_budget_; }
  Statistics& statistics() { return statistics_; }
  // A number that no other run of the engine has: a request that names another was meant for a process that is gone.
  std::uint64_t epoch() const { return epoch_; }
  std::int64_t started_ns() const { return started_ns_; }

 private:
  EngineSettings settings_;
  TimingsLog timings_;
  engine::SeriesStore store_;
  LiveBudget live_budget_;
  Statistics statistics_;
  std::uint64_t epoch_;
  std::int64_t started_ns_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_ENGINE_STATE_H_
