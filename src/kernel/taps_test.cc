// The bounds as inequalities: the true d (in extended precision) against what the taps, the dot product and the reference give.
#include "kernel/taps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "kernel/attack_series.h"
#include "kernel/block.h"
#include "kernel/certify_simd.h"
#include "kernel/naive.h"
#include "kernel/windows.h"

namespace onekernel::kernel {
namespace {

using Wide = __float128;  // 113 bits: its own errors are nothing beside the bounds

Wide magnitude(Wide value) { return value < 0 ? -value : value; }

Wide exact_average(const std::vector<Wide>& x, std::int64_t at, std::int64_t window) {
  Wide sum = 0;
  for (std::int64_t k = 0; k < window; ++k) sum += static_cast<Wide>(window - k) * x[static_cast<std::size_t>(at - k)];
  return sum / (static_cast<Wide>(window) * static_cast<Wide>(window + 1) / 2);
}

// d at bar `at` by its definition.
Wide exact_d(const std::vector<Wide>& close, std::int64_t at, const Combo& combo) {
  Wide d = 0;
  for (const auto& [factor, inner, outer] : products(combo)) {
    std::vector<Wide> averages(static_cast<std::size_t>(outer));
    for (std::int64_t k = 0; k < outer; ++k)
      averages[static_cast<std::size_t>(outer - 1 - k)] = exact_average(close, at - k, inner);
    d += static_cast<Wide>(factor) * exact_average(averages, outer - 1, outer);
  }
  return d;
}

const Combo kCombos[] = {{3, 6, 2, 1, 2, 3},   {10, 21, 5, 3, 5, 10}, {50, 100, 10, 17, 25, 50},  {1, 2, 1, 1, 1, 1},
                         {7, 90, 3, 40, 2, 1}, {1, 1, 60, 2, 3, 50},  {100, 200, 14, 33, 50, 100}};

TEST(FilterWeights, AreTheFilterAndSumToZero) {
  for (const Combo& combo : kCombos) {
    const std::vector<double> weights = filter_weights(combo);
    EXPECT_EQ(weights.size() % static_cast<std::size_t>(kDotSums), 0u);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 0.0, 1e-13);
    // The response to a single one, k bars ago, is weight k.
    const std::int64_t length = reach(combo) + 1;
    for (std::int64_t k = 0; k < length; k += 1 + length / 7) {
      std::vector<Wide> impulse(static_cast<std::size_t>(length), 0);
      impulse[static_cast<std::size_t>(length - 1 - k)] = 1;
      const double expected = static_cast<double>(exact_d(impulse, length - 1, combo));
      EXPECT_NEAR(weights[weights.size() - 1 - static_cast<std::size_t>(k)], expected, 1e-15) << k;
    }
  }
}

struct Ratios {
  double taps = 0.0, dot = 0.0, reference = 0.0;  // the largest |error| / bound
};

Ratios error_ratios(const std::vector<double>& close, const Combo& combo) {
  const auto bars = static_cast<std::int64_t>(close.size());
  const std::vector<Wide> wide(close.begin(), close.end());
  std::vector<double> hma_values(close.size()), hma3_values(close.size());
  hma(close, combo, hma_values);
  hma3(close, combo, hma3_values);

  const Geometry geometry{256, 4096, 512};
  const TapPlan plan(combo);
  const std::vector<double> weights = filter_weights(combo);
  const auto length = static_cast<std::int64_t>(weights.size());
  Block block(geometry);
  Stripes stripes(geometry);
  Ratios worst;
  for (std::int64_t index = 0; index * geometry.block < bars; ++index) {
    block.load(close, index);
    if (!stripes.sum(block)) continue;
    const Magnitudes& m = stripes.magnitudes();
    for (std::int64_t i = 0; i < block.bars(); i += 37) {
      const std::int64_t bar = block.first_bar() + i;
      if (bar < reach(combo)) continue;
      const Wide truth = exact_d(wide, bar, combo);

      // The two stages in the kernel's order, in plain double arithmetic.
      const std::int64_t stripe = i / stripes.rows(), row = i % stripes.rows();
      const auto s4 = [&](std::int64_t r) { return stripes.s4()[r * kStripes + stripe]; };
      const auto outer = [&](std::int64_t r, std::int64_t window) {
        const auto b = static_cast<double>(window);
        return (2.0 / (b + 1.0)) * s4(r) + ((-2.0 / b) * s4(r - 1) + (2.0 / (b * (b + 1.0))) * s4(r - window - 1));
      };
      double taps = 0.0;
      for (const TapPlan::Tap& tap : plan.taps()) {
        taps += tap.coefficient * outer(row - tap.offset, tap.of_full3 ? combo.full3 : combo.smooth);
      }
      const double dot = dot_product(weights.data(), block.x() + i - length + 1, stripes.middle(), length);
      const double bound = plan.fixed_bound(m) + plan.bound().s4 * stripes.s4_magnitudes()[row / 64];
      const Wide reference =
          static_cast<Wide>(hma3_values[static_cast<std::size_t>(bar)]) - hma_values[static_cast<std::size_t>(bar)];
      const auto ratio = [&](Wide value, double limit) { return static_cast<double>(magnitude(value - truth)) / limit; };
      // The bounds for taps and dot include the reference's own error.
      worst.taps = std::max(worst.taps, ratio(taps, bound - plan.bound().x * m.x));
      worst.dot = std::max(worst.dot, ratio(dot, plan.bound().dot * stripes.spread()));
      worst.reference = std::max(worst.reference, ratio(reference, plan.bound().x * m.x));
    }
  }
  return worst;
}

TEST(Bound, HoldsOnEveryAttackThatItIsFor) {
  Ratios worst;
  for (const Attack& attack : all_attacks()) {
    const std::vector<double> close = make_series(attack, 6000, 11);
    for (const Combo& combo : kCombos) {
      const Ratios ratios = error_ratios(close, combo);
      EXPECT_LE(ratios.taps, 1.0) << attack.name << " " << combo.full;
      EXPECT_LE(ratios.dot, 1.0) << attack.name << " " << combo.full;
      EXPECT_LE(ratios.reference, 1.0) << attack.name << " " << combo.full;
      worst = {std::max(worst.taps, ratios.taps), std::max(worst.dot, ratios.dot), std::max(worst.reference, ratios.reference)};
    }
  }
  std::printf("  largest error / bound: taps %.4f, dot product %.4f, reference %.4f\n", worst.taps, worst.dot, worst.reference);
  // A bound that is never approached within a factor of a thousand would be waste, or this test would be blind.
  EXPECT_GE(worst.taps, 1e-3);
  EXPECT_GE(worst.dot, 1e-3);
  EXPECT_GE(worst.reference, 1e-3);
}

}  // namespace
}  // namespace onekernel::kernel
