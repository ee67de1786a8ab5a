#include "kernel/taps.h"

#include <algorithm>
#include <cmath>

#include "kernel/windows.h"

namespace onekernel::kernel {
namespace {

// Every bound is multiplied with this: it covers products of roundings, underflow (far below u * x, see kSmallestScale), the
// errors of the magnitudes and the rounding of the bound's own arithmetic.
constexpr double kSlack = 1.0 + 0x1p-10;

constexpr double kNorm0 = 8.0;              // the l1 norm of d's weights: the sum of |factor|, an average having norm 1
constexpr double kFirstStageRoundings = 4;  // of one term of OuterSums: coefficient, product, two additions
static_assert(kDotSums == 32, "log2 of it is the five in TapPlan");

constexpr double kCoefficientRoundings = 4;  // of one coefficient of the second stage
constexpr double kWeightRoundings = 11;      // of one weight of the dot product

// Bounds of the l1 norms of the k-th differences of d's weights. Those of one average are 1, 4/(n+1) and 4/n for k = 0, 1 and
// 2, and the norm of a convolution is at most the product of the norms.
struct Norms {
  double n1 = 0.0, n2 = 0.0, n3 = 0.0, n4 = 0.0;
  double second_stage = 0.0;  // of the nine taps before equal offsets are merged

  explicit Norms(const Combo& combo) {
    for (const Product& product : products(combo)) {
      const auto a = static_cast<double>(product.inner), b = static_cast<double>(product.outer);
      const double weight = std::fabs(product.factor);
      n1 += weight * 4.0 / (std::max(a, b) + 1.0);
      n2 += weight * std::min(4.0 / std::max(a, b), 16.0 / ((a + 1.0) * (b + 1.0)));
      n3 += weight * 16.0 / std::max(a * (b + 1.0), (a + 1.0) * b);
      n4 += weight * 16.0 / (a * b);
      second_stage += weight * 4.0 / a;
    }
  }
};

// Roundings of the reference, in units of u * x: a window of n has n + 1 (product, additions, division); inner ones count with
// their factor, outer ones with the magnitude of what they average (3 and 5 times the closes); the rest is the combining.
double reference_roundings(const Combo& c) {
  const auto window = [](std::int64_t n) { return static_cast<double>(n + 1); };
  const double slow = 2.0 * window(c.half) + window(c.full) + 3.0 + 3.0 * window(c.smooth);
  const double fast = 3.0 * window(c.third) + window(c.half3) + window(c.full3) + (3.0 + 4.0 + 5.0) + 5.0 * window(c.full3);
  return slow + fast;
}

// (1-z)^2 * wma_n = 2/(n+1) - 2/n * z + 2/(n(n+1)) * z^(n+1), with z the delay by one bar.
double tap_now(std::int64_t n) { return 2.0 / static_cast<double>(n + 1); }
double tap_before(std::int64_t n) { return -2.0 / static_cast<double>(n); }
double tap_oldest(std::int64_t n) { return 2.0 / (static_cast<double>(n) * static_cast<double>(n + 1)); }

}  // namespace

TapPlan::TapPlan(const Combo& c) {
  const auto back = [](std::int64_t window) { return static_cast<std::int32_t>(window + 1); };
  // The large ones last: what is added last is rounded least often.
  taps_ = {{{false, back(c.full), tap_oldest(c.full)},
            {false, back(c.half), -2.0 * tap_oldest(c.half)},
            {true, back(c.full3), -tap_oldest(c.full3)},
            {true, back(c.half3), -tap_oldest(c.half3)},
            {true, back(c.third), 3.0 * tap_oldest(c.third)},
            {false, 1, tap_before(c.full) - 2.0 * tap_before(c.half)},
            {false, 0, tap_now(c.full) - 2.0 * tap_now(c.half)},
            {true, 1, 3.0 * tap_before(c.third) - tap_before(c.half3) - tap_before(c.full3)},
            {true, 0, 3.0 * tap_now(c.third) - tap_now(c.half3) - tap_now(c.full3)}}};
  smooth_history_ = std::max(c.half, c.full) + 1;
  full3_history_ = std::max({c.third, c.half3, c.full3}) + 1;

  double evaluation = 0.0;
  for (int t = 0; t < kTaps; ++t) {
    const int roundings = 1 + (kTaps - std::max(t, 1));  // its product, and every addition from it on
    evaluation += roundings * std::fabs(taps_[static_cast<std::size_t>(t)].coefficient);
  }
  const Norms norms(c);
  const double u = kUnitRoundoff * kSlack;
  bound_.x = u * reference_roundings(c);
  bound_.y = u * kNorm0;
  bound_.s1 = u * kNorm0;
  bound_.s2 = u * (norms.n1 + evaluation + kCoefficientRoundings * norms.second_stage);
  bound_.s3 = u * norms.n2;
  bound_.s4 = u * (norms.n3 + kFirstStageRoundings * norms.n4);
  // kDotSums sums of (reach + kDotSums) / kDotSums products, five additions to join them; closes minus base are rounded once.
  const double additions = static_cast<double>(reach(c) + kDotSums) / static_cast<double>(kDotSums) + 5.0;
  bound_.dot = u * kNorm0 * (1.0 + additions + kWeightRoundings + 1.0);
}

std::vector<double> filter_weights(const Combo& combo) {
  const std::int64_t length = reach(combo) + 1;
  const std::int64_t padded = (length + kDotSums - 1) / kDotSums * kDotSums;
  std::vector<double> weights(static_cast<std::size_t>(padded), 0.0);
  std::vector<std::int64_t> impulse(static_cast<std::size_t>(length));
  for (const auto& [factor, a, b] : products(combo)) {
    // wma_a * wma_b times a(a+1)/2 * b(b+1)/2 is whole: four running sums of nine taps, without any rounding.
    std::fill(impulse.begin(), impulse.end(), 0);
    const std::int64_t inner_offsets[3] = {0, 1, a + 1}, inner_taps[3] = {a, -(a + 1), 1};
    const std::int64_t outer_offsets[3] = {0, 1, b + 1}, outer_taps[3] = {b, -(b + 1), 1};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const std::int64_t offset = inner_offsets[i] + outer_offsets[j];
        if (offset < length) impulse[static_cast<std::size_t>(offset)] += inner_taps[i] * outer_taps[j];
      }
    }
    const double divisor = (static_cast<double>(a) * static_cast<double>(a + 1) / 2.0) *
                           (static_cast<double>(b) * static_cast<double>(b + 1) / 2.0);
    std::int64_t s1 = 0, s2 = 0, s3 = 0, s4 = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      s1 += impulse[static_cast<std::size_t>(k)];
      s2 += s1;
      s3 += s2;
      s4 += s3;
      weights[static_cast<std::size_t>(padded - 1 - k)] += factor * (static_cast<double>(s4) / divisor);
    }
  }
  return weights;
}

}  // namespace onekernel::kernel
