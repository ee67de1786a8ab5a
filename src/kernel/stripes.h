// The running sums that all certified combos share.
//
// A block is cut into eight stripes of equal length, and row r of the arrays here holds bar r of every stripe side by side:
//
//   row r:  | stripe 0, bar r | stripe 1, bar r | ... | stripe 7, bar r |       r = -history .. stripe length - 1
//
// A value p bars back is then p rows up in the same column: every load of every tap is aligned, and the running sums of the
// eight stripes, each of which starts at its own history, are computed side by side.
#ifndef ONEKERNEL_KERNEL_STRIPES_H_
#define ONEKERNEL_KERNEL_STRIPES_H_

#include <cstdint>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "kernel/block.h"

namespace onekernel::kernel {

inline constexpr std::int64_t kStripes = 8;

// Rows of zeros above the history: the taps reach up to four bars further back than the reach.
inline constexpr std::int64_t kZeroRows = 8;

// Closes beyond this could overflow in the reference's sums or in the running sums.
inline constexpr double kLargestClose = 0x1p900;
// If no close reaches this, underflow could matter; above it, it is far below the bound's last digit.
inline constexpr double kSmallestScale = 0x1p-900;

// The largest magnitudes in a block, which the bound is made of; docs/certified-kernel.md uses the same letters.
struct Magnitudes {
  double x = 0.0;   // of the closes
  double y = 0.0;   // of the closes minus their stripe's base
  double s1 = 0.0;  // of the running sums of order 1 to 3
  double s2 = 0.0;
  double s3 = 0.0;
};

class Stripes {
 public:
  explicit Stripes(Geometry geometry);

  // Computes the running sums of the block. False where the certified arithmetic does not apply: a close in reach is not
  // finite or beyond kLargestClose, or none reaches kSmallestScale.
  bool sum(const Block& block);

  std::int64_t rows() const { return rows_; }  // the length of a stripe: whole words
  // The 4-fold running sums: s4()[r * kStripes + stripe], for -history - kZeroRows <= r < rows().
  const double* s4() const { return s4_.get() + origin_; }
  const Magnitudes& magnitudes() const { return magnitudes_; }
  // Of all closes in reach: the middle, and how far one is from it at most.
  double middle() const { return middle_; }
  double spread() const { return spread_; }
  // Per 64 rows: the largest magnitude of the 4-fold sums up to their end.
  const double* s4_magnitudes() const { return s4_magnitudes_.data(); }

 private:
  void fill(const Block& block);

  Geometry geometry_;
  std::int64_t origin_;
  std::int64_t rows_ = 0;
  double bases_[kStripes] = {};
  double middle_ = 0.0, spread_ = 0.0;
  hwy::AlignedFreeUniquePtr<double[]> s4_;  // holds the closes before it holds their sums
  std::vector<double> s4_magnitudes_;
  Magnitudes magnitudes_;
};

// The 2-fold running sums of wma(y, window), from the 4-fold sums: three taps. Combos with an outer window in common share
// them.
class OuterSums {
 public:
  explicit OuterSums(Geometry geometry);

  // Makes the rows -history .. -1, unless it has them for this window. The rows from 0 on are made where they are used, group
  // by group, while they are in the cache (certify_words).
  void prepare(const Stripes& stripes, std::int64_t window, std::int64_t history);
  void forget() { window_ = 0; }  // a new block has come

  std::int64_t window() const { return window_; }
  double* values() { return values_.get() + origin_; }
  std::int64_t ready() const { return ready_; }  // rows 0 .. ready() - 1 are made
  void set_ready(std::int64_t rows) { ready_ = rows; }

 private:
  std::int64_t origin_;
  std::int64_t window_ = 0;
  std::int64_t history_ = 0;
  std::int64_t ready_ = 0;
  hwy::AlignedFreeUniquePtr<double[]> values_;
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_STRIPES_H_
