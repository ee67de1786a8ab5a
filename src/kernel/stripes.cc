#include "kernel/stripes.h"

#include <algorithm>
#include <cmath>
#include <new>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/stripes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernel/outer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, kStripes>;
using Vec = hn::Vec<Tag>;

inline std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Tag())); }

// Lowest and highest of x[0 .. count); false if one is not finite or beyond kLargestClose.
bool close_range(const double* x, std::int64_t count, double& lowest, double& highest) {
  const Tag d;
  const Vec limit = hn::Set(d, kLargestClose);
  Vec low = hn::Set(d, x[0]), high = low;
  auto in_range = hn::Le(hn::Abs(low), limit);  // false for NaN
  std::int64_t i = 0;
  for (; i + lanes() <= count; i += lanes()) {
    const Vec v = hn::LoadU(d, x + i);
    in_range = hn::And(in_range, hn::Le(hn::Abs(v), limit));
    low = hn::Min(low, v);
    high = hn::Max(high, v);
  }
  bool all = hn::AllTrue(d, in_range);
  lowest = hn::GetLane(hn::MinOfLanes(d, low));
  highest = hn::GetLane(hn::MaxOfLanes(d, high));
  for (; i < count; ++i) {
    all = all && std::fabs(x[i]) <= kLargestClose;
    lowest = std::min(lowest, x[i]);
    highest = std::max(highest, x[i]);
  }
  return all;
}

// Largest magnitudes of 64 rows and what has been summed so far, for one vector of stripes.
struct ColumnState {
  Vec s1, s2, s3, s4;
  Vec y_max, s1_max, s2_max, s3_max, s4_max;
};

// Replaces the closes in rows[0 .. count) by the 4-fold running sums of closes minus base. A row is one vector of stripes at a
// stride of kStripes. Every lane adds in the same order on every target.
HWY_INLINE void sum_rows(double* rows, std::int64_t count, Vec base, ColumnState& state) {
  const Tag d;
  ColumnState s = state;
  for (double* row = rows; row != rows + count * kStripes; row += kStripes) {
    const Vec y = hn::Sub(hn::Load(d, row), base);
    s.s1 = hn::Add(s.s1, y);
    s.s2 = hn::Add(s.s2, s.s1);
    s.s3 = hn::Add(s.s3, s.s2);
    s.s4 = hn::Add(s.s4, s.s3);
    s.y_max = hn::Max(s.y_max, hn::Abs(y));
    s.s1_max = hn::Max(s.s1_max, hn::Abs(s.s1));
    s.s2_max = hn::Max(s.s2_max, hn::Abs(s.s2));
    s.s3_max = hn::Max(s.s3_max, hn::Abs(s.s3));
    s.s4_max = hn::Max(s.s4_max, hn::Abs(s.s4));
    hn::Store(s.s4, d, row);
  }
  state = s;
}

// Sums `history` and then `rows` rows; magnitudes of all stripes together.
void sum_stripes(double* first_row, std::int64_t history, std::int64_t rows, const double* bases, Magnitudes& magnitudes,
                 double* s4_magnitudes) {
  const Tag d;
  std::fill_n(s4_magnitudes, rows / 64, 0.0);
  for (std::int64_t column = 0; column < kStripes; column += lanes()) {
    const Vec base = hn::LoadU(d, bases + column), zero = hn::Zero(d);
    ColumnState state{zero, zero, zero, zero, zero, zero, zero, zero, zero};
    sum_rows(first_row + column, history, base, state);
    for (std::int64_t group = 0; group < rows / 64; ++group) {
      sum_rows(first_row + column + (history + group * 64) * kStripes, 64, base, state);
      s4_magnitudes[group] = std::max(s4_magnitudes[group], hn::GetLane(hn::MaxOfLanes(d, state.s4_max)));
    }
    magnitudes.y = std::max(magnitudes.y, hn::GetLane(hn::MaxOfLanes(d, state.y_max)));
    magnitudes.s1 = std::max(magnitudes.s1, hn::GetLane(hn::MaxOfLanes(d, state.s1_max)));
    magnitudes.s2 = std::max(magnitudes.s2, hn::GetLane(hn::MaxOfLanes(d, state.s2_max)));
    magnitudes.s3 = std::max(magnitudes.s3, hn::GetLane(hn::MaxOfLanes(d, state.s3_max)));
  }
}

void outer_sums_target(const double* s4, std::int64_t window, std::int64_t first, std::int64_t end, double* out) {
  outer_sums(s4, window, first, end, out);
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onekernel::kernel {
namespace {

HWY_EXPORT(close_range);
HWY_EXPORT(sum_stripes);
HWY_EXPORT(outer_sums_target);

hwy::AlignedFreeUniquePtr<double[]> zeroed_rows(std::int64_t rows) {
  const auto count = static_cast<std::size_t>(rows * kStripes);
  auto memory = hwy::AllocateAligned<double>(count);
  if (memory == nullptr) throw std::bad_alloc();
  std::fill_n(memory.get(), count, 0.0);
  return memory;
}

}  // namespace

Stripes::Stripes(Geometry geometry)
    : geometry_(geometry),
      origin_((kZeroRows + geometry.history) * kStripes),
      s4_(zeroed_rows(kZeroRows + geometry.history + geometry.block / kStripes)),
      s4_magnitudes_(static_cast<std::size_t>(geometry.block / kStripes / 64)) {}

// Cuts the closes into stripes. A bar that the series does not have takes its stripe's base, so that it adds nothing.
void Stripes::fill(const Block& block) {
  const std::int64_t history = geometry_.history;
  for (std::int64_t stripe = 0; stripe < kStripes; ++stripe) {
    const std::int64_t start = stripe * rows_;  // bars relative to the block
    const std::int64_t first = std::max(start - history, block.present_from());
    const std::int64_t end = std::min(start + rows_, block.bars());
    // Any finite base is right; with the first close the sums start from zero and grow slowly.
    const double base = end > first ? block.x()[first] : 0.0;
    bases_[stripe] = base;
    double* out = s4_.get() + origin_ + stripe;
    std::int64_t i = start - history;
    for (; i < std::min(first, start + rows_); ++i) out[(i - start) * kStripes] = base;
    for (; i < end; ++i) out[(i - start) * kStripes] = block.x()[i];
    for (; i < start + rows_; ++i) out[(i - start) * kStripes] = base;
  }
}

bool Stripes::sum(const Block& block) {
  const std::int64_t first = block.present_from();
  double low = 0.0, high = 0.0;
  if (!HWY_DYNAMIC_DISPATCH(close_range)(block.x() + first, block.bars() - first, low, high)) return false;
  const double largest = std::max(std::fabs(low), std::fabs(high));
  if (largest < kSmallestScale) return false;
  middle_ = low / 2.0 + high / 2.0;
  spread_ = std::max(high - middle_, middle_ - low);
  rows_ = (block.bars() + kBlockUnit - 1) / kBlockUnit * 64;
  fill(block);
  magnitudes_ = {.x = largest};
  HWY_DYNAMIC_DISPATCH(sum_stripes)
  (s4_.get() + kZeroRows * kStripes, geometry_.history, rows_, bases_, magnitudes_, s4_magnitudes_.data());
  return true;
}

OuterSums::OuterSums(Geometry geometry)
    : origin_((kZeroRows + geometry.history) * kStripes),
      values_(zeroed_rows(kZeroRows + geometry.history + geometry.block / kStripes)) {}

void OuterSums::prepare(const Stripes& stripes, std::int64_t window, std::int64_t history) {
  if (window == window_ && history <= history_) return;
  HWY_DYNAMIC_DISPATCH(outer_sums_target)(stripes.s4(), window, -history, 0, values_.get() + origin_);
  window_ = window;
  history_ = history;
  ready_ = 0;
}

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
