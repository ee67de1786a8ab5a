// What the benchmarks run on: a series distributed like the published one, and grids of combos.
#ifndef ONEKERNEL_BENCHMARKS_WORKLOAD_H_
#define ONEKERNEL_BENCHMARKS_WORKLOAD_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "onekernel/types.h"

namespace onekernel::benchmarks {

// A geometric random walk from 100 with steps of 0.08 %.
inline std::vector<double> random_walk(std::int64_t bars, unsigned seed = 42) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> step(0.0, 0.0008);
  std::vector<double> close;
  close.reserve(static_cast<std::size_t>(bars));
  double sum = 0.0;
  for (std::int64_t i = 0; i < bars; ++i) close.push_back(100.0 * std::exp(sum += step(engine)));
  return close;
}

// The published rule: all windows from one length; nearbyint rounds half to even, as Python's round does.
inline Combo combo_of(std::int64_t length) {
  const auto round = [](double value) { return static_cast<std::int64_t>(std::nearbyint(value)); };
  const auto n = static_cast<double>(length);
  const std::int64_t half = round(n / 2.0);
  const auto full3 = static_cast<double>(half);
  return {half,
          length,
          round(std::sqrt(n)),
          std::max<std::int64_t>(1, round(full3 / 3.0)),
          std::max<std::int64_t>(1, round(full3 / 2.0)),
          half};
}

// `count` lengths evenly from `shortest` to `longest`; the published grid is (6, 200, 80).
inline std::vector<Combo> grid(double shortest, double longest, int count) {
  std::vector<Combo> combos;
  for (int i = 0; i < count; ++i) {
    const double length = count == 1 ? shortest : shortest + (longest - shortest) * i / (count - 1);
    combos.push_back(combo_of(static_cast<std::int64_t>(std::nearbyint(length))));
  }
  return combos;
}

}  // namespace onekernel::benchmarks

#endif  // ONEKERNEL_BENCHMARKS_WORKLOAD_H_
