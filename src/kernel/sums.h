// The closes of one block with the history before it, and the running sums that all certified combos share.
#ifndef ONEKERNEL_KERNEL_SUMS_H_
#define ONEKERNEL_KERNEL_SUMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "kernel/windows.h"

namespace onekernel::kernel {

// The largest magnitudes in a block, which the bound is made of (docs/certified-kernel.md uses the same letters).
struct Magnitudes {
  double x = 0.0;   // of the closes
  double y = 0.0;   // of closes minus base
  double s1 = 0.0;  // of the running sums of order 1 to 3
  double s2 = 0.0;
  double s3 = 0.0;
};

class BlockBuffer {
 public:
  // Zeros before the history: the taps and the vectors look at most so far past it.
  static constexpr std::int64_t kPad = 64;

  explicit BlockBuffer(Geometry geometry);

  // Reads block `index` of the series. Bars outside the series count as 0.0.
  void load(std::span<const double> close, std::int64_t index);

  // Computes the running sums of the loaded block. False where the certified arithmetic does not apply: a close in reach is
  // not finite or too large, or all are too small (kLargestClose, kSmallestScale).
  bool sum();

  std::int64_t first_bar() const { return first_bar_; }  // of the block
  std::int64_t bars() const { return bars_; }            // of the block that the series has
  std::int64_t words() const { return (bars_ + 63) / 64; }

  // Index 0 is the block's first bar; history has negative indexes, down to -history - kPad; kPad more follow the block.
  const double* x() const { return x_.get() + origin_; }
  const double* y() const { return y_.get() + origin_; }
  // The 4-fold running sums of y in `phases()` copies, each shifted by one bar against the one before it:
  // phase(p)[i] is the sum at bar i - p, so that every tap finds a copy in which its vectors are aligned.
  const double* phase(std::int64_t p) const { return s4_.get() + p * stride_ + origin_; }
  std::int64_t phases() const { return phases_; }
  std::int64_t phase_stride() const { return stride_; }

  const Magnitudes& magnitudes() const { return magnitudes_; }
  // Per word of the block: the largest magnitude of the 4-fold sums up to the end of that word.
  const double* s4_magnitudes() const { return s4_magnitudes_.data(); }

 private:
  Geometry geometry_;
  std::int64_t origin_;
  std::int64_t stride_;
  std::int64_t phases_;
  std::int64_t first_bar_ = 0;
  std::int64_t bars_ = 0;
  hwy::AlignedFreeUniquePtr<double[]> x_, y_, s4_;
  std::vector<double> s4_magnitudes_;
  Magnitudes magnitudes_;
};

// Closes beyond this could overflow in the reference's sums or in the running sums.
inline constexpr double kLargestClose = 0x1p900;
// If no close reaches this, underflow could matter; above it, it is far below the bound's last digit.
inline constexpr double kSmallestScale = 0x1p-900;

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_SUMS_H_
