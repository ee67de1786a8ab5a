// The kernels and their pieces. Every sweep reports ns per bar and combo; run with --benchmark_filter to pick.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "kernel/block.h"
#include "kernel/certify_simd.h"
#include "kernel/exact.h"
#include "kernel/flips.h"
#include "kernel/stripes.h"
#include "kernel/taps.h"
#include "kernel/words.h"
#include "onekernel/sweep.h"
#include "workload.h"

namespace onekernel::benchmarks {
namespace {

constexpr std::int64_t kPublishedBars = 150'000;

// `decisions` per iteration, shown as the time that one takes.
void count(benchmark::State& state, double decisions) {
  state.counters["time/decision"] =
      benchmark::Counter(decisions, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void run_sweep(benchmark::State& state, Kernel kernel, int threads, const std::vector<double>& close,
               const std::vector<Combo>& combos) {
  std::vector<double> pnl(combos.size());
  std::vector<std::int64_t> trades(combos.size());
  for (auto _ : state) {
    const Status status = sweep(close, combos, {.fee = 0.09, .kernel = kernel, .threads = threads}, pnl, trades);
    if (!status.ok()) state.SkipWithError(status.message().c_str());
    benchmark::DoNotOptimize(pnl.data());
  }
  count(state, static_cast<double>(close.size()) * static_cast<double>(combos.size()));
}

void published_sweep(benchmark::State& state, Kernel kernel, int threads) {
  run_sweep(state, kernel, threads, random_walk(kPublishedBars), grid(6, 200, 80));
}
BENCHMARK_CAPTURE(published_sweep, certified_1_thread, Kernel::kCertified, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(published_sweep, certified_all_cores, Kernel::kCertified, 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(published_sweep, exact_1_thread, Kernel::kExact, 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(published_sweep, exact_all_cores, Kernel::kExact, 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(published_sweep, unchecked, Kernel::kUnchecked, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

void scaling_in_bars(benchmark::State& state, Kernel kernel) {
  run_sweep(state, kernel, 1, random_walk(state.range(0)), grid(6, 200, 80));
}
BENCHMARK_CAPTURE(scaling_in_bars, certified, Kernel::kCertified)
    ->RangeMultiplier(10)
    ->Range(10'000, 10'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scaling_in_bars, exact, Kernel::kExact)
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);

void scaling_in_combos(benchmark::State& state, Kernel kernel) {
  run_sweep(state, kernel, 1, random_walk(kPublishedBars), grid(6, 200, static_cast<int>(state.range(0))));
}
BENCHMARK_CAPTURE(scaling_in_combos, certified, Kernel::kCertified)
    ->RangeMultiplier(10)
    ->Range(1, 10'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scaling_in_combos, exact, Kernel::kExact)
    ->RangeMultiplier(10)
    ->Range(1, 1'000)
    ->Unit(benchmark::kMillisecond);

// Sixteen neighbouring lengths from the given one on.
void scaling_in_windows(benchmark::State& state, Kernel kernel) {
  const auto shortest = static_cast<double>(state.range(0));
  run_sweep(state, kernel, 1, random_walk(state.range(1)), grid(shortest, shortest + 15.0, 16));
}
BENCHMARK_CAPTURE(scaling_in_windows, certified, Kernel::kCertified)
    ->ArgsProduct({{6, 20, 50, 100, 200, 500, 1000, 2000, 5000}, {1'000'000}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scaling_in_windows, exact, Kernel::kExact)
    ->ArgsProduct({{6, 20, 50, 100, 200, 500, 1000, 2000, 5000}, {kPublishedBars}})
    ->Unit(benchmark::kMillisecond);

// One block of the published sweep, piece by piece.
struct Pieces {
  kernel::Geometry geometry = kernel::geometry_for(200, kPublishedBars);
  std::vector<double> close = random_walk(kPublishedBars);
  Combo combo = combo_of(103);
  kernel::TapPlan plan{combo};
  kernel::Block block{geometry};
  kernel::Stripes stripes{geometry};
  kernel::OuterSums smooth_sums{geometry}, full3_sums{geometry};
  kernel::DecisionWords words;
  std::vector<std::uint64_t> open, wanted;

  Pieces() {
    block.load(close, 5);
    stripes.sum(block);
    words.resize(geometry.block);
    open.resize(words.want_long.size());
    wanted.assign(open.size(), kernel::kAllBars);
  }

  void certify() {
    smooth_sums.prepare(stripes, combo.smooth, plan.smooth_history());
    full3_sums.prepare(stripes, combo.full3, plan.full3_history());
    kernel::certify_words({.plan = &plan,
                           .s4 = stripes.s4(),
                           .smooth_sums = &smooth_sums,
                           .full3_sums = &full3_sums,
                           .rows = stripes.rows(),
                           .fixed_bound = plan.fixed_bound(stripes.magnitudes()),
                           .s4_bound = plan.bound().s4,
                           .s4_magnitudes = stripes.s4_magnitudes(),
                           .wanted = wanted.data(),
                           .most_open = geometry.block,
                           .want_long = words.want_long.data(),
                           .open = open.data()});
  }
};

void piece_running_sums(benchmark::State& state) {
  Pieces p;
  for (auto _ : state) {
    p.block.load(p.close, 5);
    benchmark::DoNotOptimize(p.stripes.sum(p.block));
  }
  count(state, static_cast<double>(p.geometry.block));
}
BENCHMARK(piece_running_sums);

void piece_signs(benchmark::State& state) {
  Pieces p;
  for (auto _ : state) {
    p.full3_sums.forget();  // as for a combo that shares its smooth with the one before it, but not its full3
    p.certify();
  }
  count(state, static_cast<double>(p.geometry.block));
}
BENCHMARK(piece_signs);

void piece_bookings(benchmark::State& state) {
  Pieces p;
  p.certify();
  kernel::Bookkeeper keeper(0.09, p.geometry.block);
  kernel::Book book;
  for (auto _ : state) benchmark::DoNotOptimize(keeper.take(book, p.block.x(), 0, p.words.want_long, p.wanted));
  keeper.flush();
  count(state, static_cast<double>(p.geometry.block));
}
BENCHMARK(piece_bookings);

void piece_dot_product(benchmark::State& state) {
  Pieces p;
  const std::vector<double> weights = kernel::filter_weights(p.combo);
  const auto length = static_cast<std::int64_t>(weights.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernel::dot_product(weights.data(), p.block.x() - length + 1, p.stripes.middle(), length));
  }
  count(state, 1.0);
}
BENCHMARK(piece_dot_product);

void piece_reference_of_one_bar(benchmark::State& state) {
  Pieces p;
  kernel::ExactDecider decider;
  const Combo* const combo = &p.combo;
  for (auto _ : state) decider.decide(p.block.x(), 1000, 1001, {&combo, 1}, [](std::size_t, const kernel::DecisionWords&) {});
  count(state, 1.0);
}
BENCHMARK(piece_reference_of_one_bar);

}  // namespace
}  // namespace onekernel::benchmarks

BENCHMARK_MAIN();
