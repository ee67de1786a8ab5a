// The loops of exact_simd.h for one target.
#if defined(ONEKERNEL_KERNEL_EXACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEKERNEL_KERNEL_EXACT_INL_H_
#undef ONEKERNEL_KERNEL_EXACT_INL_H_
#else
#define ONEKERNEL_KERNEL_EXACT_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <span>

#include "hwy/highway.h"
#include "kernel/exact_simd.h"
#include "kernel/words.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;

// Eight sums at once: enough to hide the latency of the additions, few enough for sixteen registers.
constexpr int kSums = 8;

inline std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Tag())); }
inline std::int64_t strip_bars() { return kSums * lanes(); }

// Continues eight sums: sums[v] += k * x[k - 1 + lanes * v] for k = first .. last. x points at the windows' oldest closes.
HWY_INLINE void add_weighted(const double* HWY_RESTRICT x, std::int64_t first, std::int64_t last, Vec (&sums)[kSums]) {
  const Tag d;
  const std::int64_t n = lanes();
  const Vec one = hn::Set(d, 1.0);
  Vec weight = hn::Set(d, static_cast<double>(first));
  Vec s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3], s4 = sums[4], s5 = sums[5], s6 = sums[6], s7 = sums[7];
  for (const double* p = x + first - 1; p != x + last; ++p) {
    s0 = hn::Add(s0, hn::Mul(weight, hn::LoadU(d, p)));
    s1 = hn::Add(s1, hn::Mul(weight, hn::LoadU(d, p + n)));
    s2 = hn::Add(s2, hn::Mul(weight, hn::LoadU(d, p + 2 * n)));
    s3 = hn::Add(s3, hn::Mul(weight, hn::LoadU(d, p + 3 * n)));
    s4 = hn::Add(s4, hn::Mul(weight, hn::LoadU(d, p + 4 * n)));
    s5 = hn::Add(s5, hn::Mul(weight, hn::LoadU(d, p + 5 * n)));
    s6 = hn::Add(s6, hn::Mul(weight, hn::LoadU(d, p + 6 * n)));
    s7 = hn::Add(s7, hn::Mul(weight, hn::LoadU(d, p + 7 * n)));
    weight = hn::Add(weight, one);  // exact: whole numbers
  }
  sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3, sums[4] = s4, sums[5] = s5, sums[6] = s6, sums[7] = s7;
}

HWY_INLINE void clear(Vec (&sums)[kSums]) {
  for (Vec& sum : sums) sum = hn::Zero(Tag());
}

inline double weight_sum(std::int64_t window) { return static_cast<double>(window * (window + 1) / 2); }

// NOLINTNEXTLINE(misc-definitions-in-headers): compiled once per target, each in a namespace of its own
void average_rows_target(const double* x, std::int64_t end, std::span<const AverageRow> rows) {
  const Tag d;
  std::int64_t start = end, last_start = end - rows.front().window;
  for (const AverageRow& row : rows) start = std::min(start, row.first - row.window + 1);
  for (; start <= last_start; start += strip_bars()) {
    Vec sums[kSums];
    clear(sums);
    std::int64_t added = 0;
    for (const AverageRow& row : rows) {
      const std::int64_t bar = start + row.window - 1;  // where the strip's first window of this length ends
      if (bar >= end) break;
      add_weighted(x + start, added + 1, row.window, sums);
      added = row.window;
      if (bar + strip_bars() <= row.first) continue;
      const Vec divisor = hn::Set(d, weight_sum(row.window));
      double* out = row.out + (bar - row.first);
      for (int v = 0; v < kSums; ++v) hn::StoreU(hn::Div(sums[v], divisor), d, out + v * lanes());
    }
  }
}

// The outer average of eight vectors of bars; x points at `bar`'s value.
HWY_INLINE void outer_average(const double* x, std::int64_t window, Vec (&out)[kSums]) {
  clear(out);
  add_weighted(x - window + 1, 1, window, out);
  const Vec divisor = hn::Set(Tag(), weight_sum(window));
  for (Vec& value : out) value = hn::Div(value, divisor);
}

HWY_INLINE std::uint64_t mask_bits(hn::Mask<Tag> mask) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(Tag(), mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

// NOLINTNEXTLINE(misc-definitions-in-headers): compiled once per target, each in a namespace of its own
void decide_bars_target(const InnerAverages& in, std::int64_t smooth, std::int64_t full3, std::int64_t first, std::int64_t end,
                        double* scratch, std::uint64_t* want_long, std::uint64_t* decided) {
  const Tag d;
  const std::int64_t n = lanes();
  const Vec two = hn::Set(d, 2.0), three = hn::Set(d, 3.0);
  const std::int64_t bars = end - first;
  // Series of the combined inner averages, bar `first` at [0].
  double* slow = scratch + smooth;
  double* fast = slow + bars + kStripPad + full3;
  for (std::int64_t i = 1 - smooth; i < bars; i += n) {
    const Vec half = hn::LoadU(d, in.half + first + i), full = hn::LoadU(d, in.full + first + i);
    hn::StoreU(hn::Sub(hn::Mul(two, half), full), d, slow + i);
  }
  for (std::int64_t i = 1 - full3; i < bars; i += n) {
    const Vec third = hn::LoadU(d, in.third + first + i), half3 = hn::LoadU(d, in.half3 + first + i);
    hn::StoreU(hn::Sub(hn::Sub(hn::Mul(three, third), half3), hn::LoadU(d, in.full3 + first + i)), d, fast + i);
  }
  for (std::int64_t i = 0; i < bars; i += kWordBars) {
    std::uint64_t longs = 0, numbers = 0;
    for (std::int64_t j = 0; j < kWordBars && i + j < bars; j += strip_bars()) {
      Vec hma[kSums], hma3[kSums];
      outer_average(slow + i + j, smooth, hma);
      outer_average(fast + i + j, full3, hma3);
      for (int v = 0; v < kSums; ++v) {
        const std::int64_t shift = j + v * n;
        longs |= mask_bits(hn::Gt(hma3[v], hma[v])) << shift;
        numbers |= mask_bits(hn::And(hn::Eq(hma3[v], hma3[v]), hn::Eq(hma[v], hma[v]))) << shift;
      }
    }
    const std::uint64_t inside = bars_between(0, bars, i);
    want_long[i / kWordBars] = longs & inside;
    decided[i / kWordBars] = numbers & inside;
  }
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ONEKERNEL_KERNEL_EXACT_INL_H_
