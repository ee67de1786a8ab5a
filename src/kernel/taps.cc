#include "kernel/taps.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "kernel/windows.h"

namespace onekernel::kernel {
namespace {

// Every bound is multiplied with this: it covers products of roundings, underflow (far below u * x, see kSmallestScale) and
// the rounding of the bound's own arithmetic.
constexpr double kSlack = 1.0 + 0x1p-10;

// Coefficients are computed in long double; this many roundings lead to one, each at most kCoefficientRoundoff.
constexpr double kCoefficientRoundings = 32.0;
constexpr double kCoefficientRoundoff = LDBL_MANT_DIG >= 64 ? 0x1p-64 : 0x1p-53;

struct Tap {
  std::int64_t offset;
  long double coefficient;
};

// (1-z)^2 * wma_n = (n - (n+1) z + z^(n+1)) / (n(n+1)/2), hence (1-z)^4 times a product of two averages has nine taps.
struct AverageTaps {
  std::int64_t offsets[3];
  std::int64_t numerators[3];

  explicit AverageTaps(std::int64_t window) : offsets{0, 1, window + 1}, numerators{window, -(window + 1), 1} {}
};

long double denominator(std::int64_t inner, std::int64_t outer) {
  return static_cast<long double>(inner * (inner + 1) / 2) * static_cast<long double>(outer * (outer + 1) / 2);
}

std::vector<Tap> merged_taps(const Combo& combo) {
  std::vector<Tap> taps;
  for (const Product& product : products(combo)) {
    const AverageTaps inner(product.inner), outer(product.outer);
    const long double scale = static_cast<long double>(product.factor) / denominator(product.inner, product.outer);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const long double value = static_cast<long double>(inner.numerators[a] * outer.numerators[b]) * scale;
        const std::int64_t offset = inner.offsets[a] + outer.offsets[b];
        const auto same = std::find_if(taps.begin(), taps.end(), [&](const Tap& tap) { return tap.offset == offset; });
        if (same == taps.end()) {
          taps.push_back({offset, value});
        } else {
          same->coefficient += value;
        }
      }
    }
  }
  std::erase_if(taps, [](const Tap& tap) { return static_cast<double>(tap.coefficient) == 0.0; });
  // Small ones first: what is added last is rounded least often.
  std::sort(taps.begin(), taps.end(), [](const Tap& a, const Tap& b) {
    const long double x = std::fabs(a.coefficient), y = std::fabs(b.coefficient);
    return x != y ? x < y : a.offset > b.offset;
  });
  return taps;
}

// l1 norms of the k-th differences of wma_a * wma_b: those of one average are 1, 4/(n+1) and 4/n for k = 0, 1, 2, and the
// norm of a convolution is at most the product of the norms.
struct Norms {
  double n1 = 0.0, n2 = 0.0, n3 = 0.0, n4 = 0.0;

  explicit Norms(const Combo& combo) {
    for (const Product& product : products(combo)) {
      const auto a = static_cast<double>(product.inner), b = static_cast<double>(product.outer);
      const double weight = std::fabs(product.factor);
      n1 += weight * 4.0 / (std::max(a, b) + 1.0);
      n2 += weight * std::min(4.0 / std::max(a, b), 16.0 / ((a + 1.0) * (b + 1.0)));
      n3 += weight * 16.0 / std::max(a * (b + 1.0), (a + 1.0) * b);
      n4 += weight * 16.0 / (a * b);
    }
  }
};

constexpr double kNorm0 = 8.0;  // the sum of the products' |factor|, each average having l1 norm 1

// Roundings of the reference: a window of n has n + 1 (product, additions, division), inner ones count with their factor,
// outer ones with the magnitude of what they average (3 and 5 times the closes).
double reference_roundings(const Combo& c) {
  const auto n = [](std::int64_t window) { return static_cast<double>(window + 1); };
  const double slow = 2.0 * n(c.half) + n(c.full) + 3.0 + 3.0 * n(c.smooth);
  const double fast = 3.0 * n(c.third) + n(c.half3) + n(c.full3) + (3.0 + 4.0 + 5.0) + 5.0 * n(c.full3);
  return slow + fast;
}

}  // namespace

TapPlan::TapPlan(const Combo& combo) {
  const Norms norms(combo);
  const double u = kUnitRoundoff * kSlack;
  double evaluation = 0.0;
  for (const Tap& tap : merged_taps(combo)) {
    offsets_[static_cast<std::size_t>(count_)] = static_cast<std::int32_t>(tap.offset);
    coefficients_[static_cast<std::size_t>(count_)] = static_cast<double>(tap.coefficient);
    ++count_;
  }
  for (int t = 0; t < count_; ++t) {
    // The t-th term: its coefficient and its product are rounded once, and so is every addition from it on.
    const double roundings = 2.0 + (count_ - std::max(t, 1));
    evaluation += roundings * std::fabs(coefficients_[static_cast<std::size_t>(t)]);
  }
  const double coefficients = kCoefficientRoundings * (kCoefficientRoundoff / kUnitRoundoff) * norms.n4;
  bound_.reference = u * reference_roundings(combo);
  bound_.norm0 = u * kNorm0;
  bound_.norm1 = u * norms.n1;
  bound_.norm2 = u * norms.n2;
  bound_.taps = u * (norms.n3 + evaluation + coefficients);
  // Eight partial sums of (reach + 8) / 8 terms, three additions to join them, one product; eleven roundings lead to a weight;
  // y itself is rounded once.
  const double additions = static_cast<double>(reach(combo) + 8) / 8.0 + 3.0;
  bound_.dot = u * kNorm0 * (additions + 1.0 + 11.0 + 1.0);
}

std::vector<double> filter_weights(const Combo& combo) {
  const std::int64_t length = reach(combo) + 1;
  const std::int64_t padded = (length + 7) / 8 * 8;
  std::vector<double> weights(static_cast<std::size_t>(padded), 0.0);
  std::vector<std::uint64_t> impulse(static_cast<std::size_t>(length));
  for (const Product& product : products(combo)) {
    // wma_a * wma_b times its denominator is whole: four running sums of the nine taps, exact modulo 2^64.
    std::fill(impulse.begin(), impulse.end(), 0);
    const AverageTaps inner(product.inner), outer(product.outer);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const std::int64_t offset = inner.offsets[a] + outer.offsets[b];
        if (offset < length) {
          impulse[static_cast<std::size_t>(offset)] += static_cast<std::uint64_t>(inner.numerators[a] * outer.numerators[b]);
        }
      }
    }
    std::uint64_t s1 = 0, s2 = 0, s3 = 0, s4 = 0;
    const auto divisor = static_cast<double>(denominator(product.inner, product.outer));
    for (std::int64_t k = 0; k < length; ++k) {
      s1 += impulse[static_cast<std::size_t>(k)];
      s2 += s1;
      s3 += s2;
      s4 += s3;
      weights[static_cast<std::size_t>(padded - 1 - k)] += product.factor * (static_cast<double>(s4) / divisor);
    }
  }
  return weights;
}

}  // namespace onekernel::kernel
