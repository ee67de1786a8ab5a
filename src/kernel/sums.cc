#include "kernel/sums.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sums.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;

std::int64_t vector_lanes() { return static_cast<std::int64_t>(hn::Lanes(Tag())); }

// The largest |x[i]|, or NaN or infinity if one is; count is a multiple of 64.
double largest_magnitude(const double* x, std::int64_t count) {
  const Tag d;
  const std::int64_t n = vector_lanes();
  auto largest = hn::Zero(d);
  auto all_finite = hn::Eq(largest, largest);
  const auto limit = hn::Set(d, kLargestClose);
  for (std::int64_t i = 0; i < count; i += n) {
    const auto magnitude = hn::Abs(hn::Load(d, x + i));
    all_finite = hn::And(all_finite, hn::Le(magnitude, limit));  // false for NaN
    largest = hn::Max(largest, magnitude);
  }
  if (!hn::AllTrue(d, all_finite)) return HUGE_VAL;
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

// The sum in an order that no target changes: eight interleaved partial sums. count is a multiple of 64.
double interleaved_sum(const double* x, std::int64_t count) {
  const Tag d;
  const std::int64_t n = vector_lanes();
  HWY_ALIGN double partial[8] = {};
  for (std::int64_t lane = 0; lane < 8; lane += n) {
    auto sum = hn::Zero(d);
    for (std::int64_t i = lane; i < count; i += 8) sum = hn::Add(sum, hn::Load(d, x + i));
    hn::Store(sum, d, partial + lane);
  }
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) + ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

void subtract_base(const double* x, std::int64_t count, double base, double* y) {
  const Tag d;
  const auto bases = hn::Set(d, base);
  for (std::int64_t i = 0; i < count; i += vector_lanes()) hn::Store(hn::Sub(hn::Load(d, x + i), bases), d, y + i);
}

// Shifted copies of the sums: phase p at p * stride.
void copy_phases(double* s4, std::int64_t count, std::int64_t stride, std::int64_t phases) {
  const Tag d;
  for (std::int64_t p = 1; p < phases; ++p) {
    double* out = s4 + p * stride;
    for (std::int64_t i = BlockBuffer::kPad; i < count; i += vector_lanes()) hn::Store(hn::LoadU(d, s4 + i - p), d, out + i);
  }
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onekernel::kernel {
namespace {

HWY_EXPORT(vector_lanes);
HWY_EXPORT(largest_magnitude);
HWY_EXPORT(interleaved_sum);
HWY_EXPORT(subtract_base);
HWY_EXPORT(copy_phases);

// Beyond this many doubles the copies would not stay in the first-level cache, and one copy with unaligned loads is faster.
constexpr std::int64_t kMostBarsWithPhases = 4096;

// The running sums of one word's bars, continued from word to word.
struct RunningSums {
  double s1 = 0.0, s2 = 0.0, s3 = 0.0, s4 = 0.0;

  // Also leaves the sums of lower order of these 64 bars in `low` (three rows), for their magnitudes.
  void run(const double* y, double* low, double* s4_out) {
    for (std::int64_t i = 0; i < 64; ++i) {
      s1 += y[i];
      s2 += s1;
      s3 += s2;
      s4 += s3;
      low[i] = s1;
      low[64 + i] = s2;
      low[128 + i] = s3;
      s4_out[i] = s4;
    }
  }
};

}  // namespace

BlockBuffer::BlockBuffer(Geometry geometry)
    : geometry_(geometry),
      origin_(kPad + geometry.history),
      stride_(kPad + geometry.history + geometry.block + kPad),
      phases_(1) {
  if (stride_ <= kMostBarsWithPhases) phases_ = HWY_DYNAMIC_DISPATCH(vector_lanes)();
  x_ = hwy::AllocateAligned<double>(static_cast<std::size_t>(stride_));
  y_ = hwy::AllocateAligned<double>(static_cast<std::size_t>(stride_));
  s4_ = hwy::AllocateAligned<double>(static_cast<std::size_t>(stride_ * phases_));
  if (x_ == nullptr || y_ == nullptr || s4_ == nullptr) throw std::bad_alloc();
  std::fill_n(x_.get(), stride_, 0.0);
  std::fill_n(y_.get(), stride_, 0.0);
  std::fill_n(s4_.get(), stride_ * phases_, 0.0);
  s4_magnitudes_.resize(static_cast<std::size_t>(geometry.block / 64));
}

void BlockBuffer::load(std::span<const double> close, std::int64_t index) {
  const auto series_bars = static_cast<std::int64_t>(close.size());
  first_bar_ = index * geometry_.block;
  bars_ = std::min(geometry_.block, series_bars - first_bar_);
  const std::int64_t from = std::max<std::int64_t>(first_bar_ - geometry_.history, 0);
  const std::int64_t missing = from - (first_bar_ - geometry_.history);
  double* out = x_.get() + kPad;
  std::fill_n(out, missing, 0.0);
  std::copy(close.begin() + from, close.begin() + first_bar_ + bars_, out + missing);
  std::fill(out + geometry_.history + bars_, x_.get() + stride_, 0.0);
}

bool BlockBuffer::sum() {
  const double* const x = x_.get() + kPad;
  double* const y = y_.get() + kPad;
  const std::int64_t used = geometry_.history + words() * 64;
  const double largest = HWY_DYNAMIC_DISPATCH(largest_magnitude)(x, used);
  if (!(largest <= kLargestClose && largest >= kSmallestScale)) return false;

  // The nearer the base is to the middle of the prices, the smaller the sums; any base is right.
  const std::int64_t absent = std::max<std::int64_t>(geometry_.history - first_bar_, 0);
  const double base = HWY_DYNAMIC_DISPATCH(interleaved_sum)(x, used) / static_cast<double>(geometry_.history - absent + bars_);
  HWY_DYNAMIC_DISPATCH(subtract_base)(x, used, base, y);
  std::fill_n(y, absent, 0.0);
  std::fill(y + geometry_.history + bars_, y + used, 0.0);

  magnitudes_ = {.x = largest, .y = HWY_DYNAMIC_DISPATCH(largest_magnitude)(y, used)};
  RunningSums sums;
  HWY_ALIGN double low[3 * 64];
  double s4_largest = 0.0;
  for (std::int64_t i = 0; i < used; i += 64) {
    double* const s4 = s4_.get() + kPad + i;
    sums.run(y + i, low, s4);
    magnitudes_.s1 = std::max(magnitudes_.s1, HWY_DYNAMIC_DISPATCH(largest_magnitude)(low, 64));
    magnitudes_.s2 = std::max(magnitudes_.s2, HWY_DYNAMIC_DISPATCH(largest_magnitude)(low + 64, 64));
    magnitudes_.s3 = std::max(magnitudes_.s3, HWY_DYNAMIC_DISPATCH(largest_magnitude)(low + 128, 64));
    s4_largest = std::max(s4_largest, HWY_DYNAMIC_DISPATCH(largest_magnitude)(s4, 64));
    if (i >= geometry_.history) s4_magnitudes_[static_cast<std::size_t>((i - geometry_.history) / 64)] = s4_largest;
  }
  HWY_DYNAMIC_DISPATCH(copy_phases)(s4_.get(), kPad + used, stride_, phases_);
  return true;
}

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
