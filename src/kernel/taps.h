// What `certified` knows about one combo: the sparse filter that gives d = hma3 - hma from the 4-fold running sums, the
// weights of the same filter on the closes themselves, and the constants of the error bound. Letters and proofs:
// docs/certified-kernel.md.
#ifndef ONEKERNEL_KERNEL_TAPS_H_
#define ONEKERNEL_KERNEL_TAPS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/sums.h"
#include "onekernel/types.h"

namespace onekernel::kernel {

inline constexpr double kUnitRoundoff = 0x1p-53;  // u: one rounded operation errs by at most u times its result

// Windows beyond this go to `exact`: the whole numbers of the plan stay exact, and n * u stays far below 1.
inline constexpr std::int64_t kLongestCertifiedWindow = std::int64_t{1} << 20;

// d as a sum of five products of two averages: d = sum of factor * wma(wma(close, inner), outer).
struct Product {
  double factor;
  std::int64_t inner, outer;
};

inline std::array<Product, 5> products(const Combo& combo) {
  return {{{3.0, combo.third, combo.full3},
           {-1.0, combo.half3, combo.full3},
           {-1.0, combo.full3, combo.full3},
           {-2.0, combo.half, combo.smooth},
           {1.0, combo.full, combo.smooth}}};
}

// Bounds of the errors of d, each to be multiplied with a magnitude of the block.
struct BoundConstants {
  double reference;  // the reference's own rounding, times Magnitudes::x
  double norm0;      // u * the l1 norm of d's weights,                   times y and s1
  double norm1;      // u * the l1 norm of their first difference,        times s2
  double norm2;      //     and so on,                                    times s3
  double taps;       // third difference and the evaluation of the taps,  times the 4-fold sums
  double dot;        // the evaluation of the dot product,                times y
};

class TapPlan {
 public:
  static constexpr int kMostTaps = 24;

  TapPlan() = default;
  // REQUIRES: every window is at most kLongestCertifiedWindow.
  explicit TapPlan(const Combo& combo);

  int count() const { return count_; }
  const std::int32_t* offsets() const { return offsets_.data(); }  // in bars, into the past
  const double* coefficients() const { return coefficients_.data(); }
  const BoundConstants& bound() const { return bound_; }

  // |error of d| from the taps at a word whose 4-fold sums reach s4 is at most fixed_bound(m) + bound().taps * s4.
  double fixed_bound(const Magnitudes& m) const {
    return bound_.reference * m.x + bound_.norm0 * (m.y + m.s1) + bound_.norm1 * m.s2 + bound_.norm2 * m.s3;
  }
  // |error of d| from the dot product.
  double dot_bound(const Magnitudes& m) const { return bound_.reference * m.x + bound_.dot * m.y; }

 private:
  std::array<std::int32_t, kMostTaps> offsets_;
  std::array<double, kMostTaps> coefficients_;
  int count_ = 0;
  BoundConstants bound_{};
};

// The weights of d, oldest close first, with zeros in front so that their number is a multiple of 8; the last one belongs to
// the bar that is decided.
std::vector<double> filter_weights(const Combo& combo);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_TAPS_H_
