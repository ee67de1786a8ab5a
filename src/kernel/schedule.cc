#include "kernel/schedule.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "kernel/windows.h"

namespace onekernel::kernel {
namespace {

// A batch shares the running sums, so it should be large; its combos' weights take memory, so it must not be too large.
constexpr std::int64_t kMostCombos = 128;
constexpr std::int64_t kWeightBytes = 1024 * 1024;
constexpr std::int64_t kFewestCombos = 8;
constexpr std::int64_t kLargeBatch = 32;

// Bars times combos below which a second thread costs more than it brings.
constexpr std::int64_t kWorkPerThread = 200'000;

struct BatchRange {
  Geometry geometry;
  std::size_t first, count;  // of the sorted combos
};

struct Plan {
  std::vector<std::uint32_t> order;    // combos with a decision to make, by geometry and reach
  std::vector<std::uint32_t> without;  // those whose windows never fill
  std::vector<BatchRange> batches;
};

// Every thread gets the same number of batches: one, or up to four where they stay large, so that a thread that another
// process disturbs can leave some of its share to the others.
std::int64_t combos_per_batch(const Geometry& geometry, std::int64_t group, int threads) {
  const std::int64_t by_memory = kWeightBytes / (geometry.history * std::int64_t{sizeof(double)});
  const std::int64_t most = std::clamp(by_memory, kFewestCombos, kMostCombos);
  const std::int64_t per_thread = std::clamp<std::int64_t>(group / (threads * kLargeBatch), 1, 4);
  const std::int64_t batches = threads * per_thread;
  return std::min(most, (group + batches - 1) / batches);
}

Plan make_plan(std::span<const Combo> combos, std::int64_t bars, int threads, const Tuning& tuning) {
  Plan plan;
  std::vector<std::int64_t> reaches(combos.size());
  for (std::size_t i = 0; i < combos.size(); ++i) {
    reaches[i] = reach(combos[i]);
    (reaches[i] < bars ? plan.order : plan.without).push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(plan.order.begin(), plan.order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return reaches[a] != reaches[b] ? reaches[a] < reaches[b] : a < b; });
  for (std::size_t first = 0; first < plan.order.size();) {
    Geometry geometry = geometry_for(reaches[plan.order[first]], bars);
    std::size_t end = first + 1;
    while (end < plan.order.size() && geometry_for(reaches[plan.order[end]], bars) == geometry) ++end;
    if (tuning.block > 0) geometry.block = tuning.block;
    const auto step = static_cast<std::size_t>(combos_per_batch(geometry, static_cast<std::int64_t>(end - first), threads));
    for (; first < end; first += std::min(step, end - first))
      plan.batches.push_back({geometry, first, std::min(step, end - first)});
  }
  return plan;
}

// What the threads share: the next batch, the counts, and the first failure.
class Workers {
 public:
  Workers(bool certify, std::span<const double> close, std::span<const Combo> combos, double fee, const Tuning& tuning,
          const Plan& plan, const Outputs& outputs)
      : certify_(certify), close_(close), combos_(combos), fee_(fee), tuning_(tuning), plan_(plan), outputs_(outputs) {}

  void work() noexcept {
    LevelCounts counts;
    try {
      for (std::size_t b = next_++; b < plan_.batches.size(); b = next_++) run(plan_.batches[b], counts);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    counts_ += counts;
  }

  // After the last worker has ended.
  LevelCounts counts() const {
    if (failure_) std::rethrow_exception(failure_);
    return counts_;
  }

 private:
  void run(const BatchRange& range, LevelCounts& counts) {
    std::vector<ComboState> states;
    states.reserve(range.count);
    const std::span<const std::uint32_t> places = std::span(plan_.order).subspan(range.first, range.count);
    for (const std::uint32_t place : places) {
      states.emplace_back(combos_[place], certify_);
      if (!outputs_.logs.empty()) states.back().log = &outputs_.logs[place];
    }
    Batch(close_, range.geometry, certify_, fee_, tuning_).run(states, counts);
    for (std::size_t i = 0; i < places.size(); ++i) outputs_.book(places[i], states[i].book);
  }

  const bool certify_;
  const std::span<const double> close_;
  const std::span<const Combo> combos_;
  const double fee_;
  const Tuning tuning_;
  const Plan& plan_;
  const Outputs& outputs_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  LevelCounts counts_;
  std::exception_ptr failure_;
};

}  // namespace

ScheduleResult run_batches(bool certify, std::span<const double> close, std::span<const Combo> combos, double fee, int threads,
                           const Tuning& tuning, const Outputs& outputs) {
  const auto bars = static_cast<std::int64_t>(close.size());
  const std::int64_t worth = bars * static_cast<std::int64_t>(combos.size()) / kWorkPerThread;
  threads = static_cast<int>(std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(worth, 1)));
  const Plan plan = make_plan(combos, bars, threads, tuning);
  threads = static_cast<int>(std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(std::ssize(plan.batches), 1)));

  for (const std::uint32_t place : plan.without) outputs.book(place, Book{});
  Workers workers(certify, close, combos, fee, tuning, plan, outputs);
  {
    std::vector<std::jthread> others;
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back([&workers] { workers.work(); });
    } catch (const std::system_error&) {  // no more threads to be had: those that there are do the work
      threads = static_cast<int>(others.size()) + 1;
    }
    workers.work();
  }
  return {threads, workers.counts()};
}

}  // namespace onekernel::kernel
