// What `certified` knows about one combo: the taps that give d = hma3 - hma from the shared running sums, the weights of the
// same filter on the closes themselves, and the constants of the error bounds. Letters and proofs: docs/certified-kernel.md.
#ifndef ONEKERNEL_KERNEL_TAPS_H_
#define ONEKERNEL_KERNEL_TAPS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/stripes.h"
#include "onekernel/types.h"

namespace onekernel::kernel {

inline constexpr double kUnitRoundoff = 0x1p-53;  // u: one rounded operation errs by at most u times its result

// The dot product is taken in so many interleaved sums.
inline constexpr std::int64_t kDotSums = 32;

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

// Bounds of the errors of d, each a factor of one of the block's magnitudes.
struct BoundConstants {
  double x;    // the reference's own rounding
  double y;    // the rounding of closes minus base
  double s1;   // the running sums of order 1
  double s2;   // of order 2, and the evaluation of the second stage's taps
  double s3;   // of order 3
  double s4;   // of order 4, and the evaluation of the first stage's taps
  double dot;  // for the dot product: its evaluation, times the largest close minus base
};

// d is evaluated in two stages: OuterSums for the windows full3 (F) and smooth (S) by three taps each, then these nine taps.
class TapPlan {
 public:
  static constexpr int kTaps = 9;

  TapPlan() = default;
  explicit TapPlan(const Combo& combo);

  // In the order of evaluation. A tap reads the sums for full3 or for smooth, `offset` bars back.
  struct Tap {
    bool of_full3;
    std::int32_t offset;
    double coefficient;
  };
  const std::array<Tap, kTaps>& taps() const { return taps_; }
  const BoundConstants& bound() const { return bound_; }

  // How many bars back the second stage reads.
  std::int64_t full3_history() const { return full3_history_; }
  std::int64_t smooth_history() const { return smooth_history_; }

  // |error of d| from the taps where the 4-fold sums reach s4 is at most fixed_bound(m) + bound().s4 * s4.
  double fixed_bound(const Magnitudes& m) const {
    return bound_.x * m.x + bound_.y * m.y + bound_.s1 * m.s1 + bound_.s2 * m.s2 + bound_.s3 * m.s3;
  }
  // |error of d| from the dot product; x is the largest |close|, y the largest |close - base|.
  double dot_bound(double x, double y) const { return bound_.x * x + bound_.dot * y; }

 private:
  std::array<Tap, kTaps> taps_{};
  std::int64_t full3_history_ = 0, smooth_history_ = 0;
  BoundConstants bound_{};
};

// The weights of d, oldest close first, with zeros in front so that their number is a multiple of kDotSums; the last one
// belongs to the bar that is decided.
std::vector<double> filter_weights(const Combo& combo);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_TAPS_H_
