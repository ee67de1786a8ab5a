// The loops of certify_simd.h for one target.
#if defined(ONEKERNEL_KERNEL_CERTIFY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEKERNEL_KERNEL_CERTIFY_INL_H_
#undef ONEKERNEL_KERNEL_CERTIFY_INL_H_
#else
#define ONEKERNEL_KERNEL_CERTIFY_INL_H_
#endif

#include <bit>
#include <cstdint>

#include "hwy/highway.h"
#include "kernel/certify_simd.h"
#include "kernel/outer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, kStripes>;
using Vec = hn::Vec<Tag>;

using Words = hn::Vec<hn::RebindToUnsigned<Tag>>;

constexpr int kVectors = 8;         // sums in flight: they hide the latency of the additions
constexpr std::int64_t kRows = 64;  // rows per group: one word of each stripe
constexpr std::int64_t kLanes = hn::MaxLanes(Tag());
constexpr std::int64_t kColumns = kStripes / kLanes;  // vectors per row
constexpr std::int64_t kRowsAtOnce = kVectors * kLanes / kStripes;

HWY_INLINE std::uint64_t bits_of(hn::Mask<Tag> mask) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(Tag(), mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

// d at kVectors vectors of the stripes' rows. The bits of these sums are nobody's business: the bound covers their rounding,
// fused or not, so the fused multiplication is welcome here.
struct Sums {
  Vec d0, d1, d2, d3, d4, d5, d6, d7;

  HWY_INLINE void start(const double* HWY_RESTRICT v, Vec c) {
    const Tag d;
    const std::size_t n = hn::Lanes(d);
    d0 = hn::Mul(c, hn::Load(d, v));
    d1 = hn::Mul(c, hn::Load(d, v + n));
    d2 = hn::Mul(c, hn::Load(d, v + 2 * n));
    d3 = hn::Mul(c, hn::Load(d, v + 3 * n));
    d4 = hn::Mul(c, hn::Load(d, v + 4 * n));
    d5 = hn::Mul(c, hn::Load(d, v + 5 * n));
    d6 = hn::Mul(c, hn::Load(d, v + 6 * n));
    d7 = hn::Mul(c, hn::Load(d, v + 7 * n));
  }

  HWY_INLINE void add(const double* HWY_RESTRICT v, Vec c) {
    const Tag d;
    const std::size_t n = hn::Lanes(d);
    d0 = hn::MulAdd(c, hn::Load(d, v), d0);
    d1 = hn::MulAdd(c, hn::Load(d, v + n), d1);
    d2 = hn::MulAdd(c, hn::Load(d, v + 2 * n), d2);
    d3 = hn::MulAdd(c, hn::Load(d, v + 3 * n), d3);
    d4 = hn::MulAdd(c, hn::Load(d, v + 4 * n), d4);
    d5 = hn::MulAdd(c, hn::Load(d, v + 5 * n), d5);
    d6 = hn::MulAdd(c, hn::Load(d, v + 6 * n), d6);
    d7 = hn::MulAdd(c, hn::Load(d, v + 7 * n), d7);
  }

  // Shifts the signs into the stripes' words, row after row: after 64 rows, bit r of a lane is the sign of row r.
  HWY_INLINE void take_signs(Words (&words)[kColumns]) const {
    take_sign(d0, words[0]);
    take_sign(d1, words[1 % kColumns]);
    take_sign(d2, words[2 % kColumns]);
    take_sign(d3, words[3 % kColumns]);
    take_sign(d4, words[4 % kColumns]);
    take_sign(d5, words[5 % kColumns]);
    take_sign(d6, words[6 % kColumns]);
    take_sign(d7, words[7 % kColumns]);
  }

  static HWY_INLINE void take_sign(Vec v, Words& word) {
    const hn::RebindToUnsigned<Tag> du;
    word = hn::Or(hn::ShiftRight<1>(word), hn::And(hn::BitCast(du, v), hn::Set(du, std::uint64_t{1} << 63)));
  }

  // Adds the bars where |d| does not exceed the bound; bit `row` of a word is the first of the rows here.
  HWY_INLINE void add_open(Vec bound, std::int64_t row, std::uint64_t (&open)[kStripes]) const {
    const Vec sums[kVectors] = {d0, d1, d2, d3, d4, d5, d6, d7};
    for (std::int64_t v = 0; v < kVectors; ++v) {
      for (std::uint64_t left = bits_of(hn::Not(hn::Gt(hn::Abs(sums[v]), bound))); left != 0; left &= left - 1) {
        const std::int64_t element = v * kLanes + std::countr_zero(left);
        open[element % kStripes] |= std::uint64_t{1} << (row + element / kStripes);
      }
    }
  }

  HWY_INLINE Vec least_magnitude() const {
    const Vec a = hn::Min(hn::Min(hn::Abs(d0), hn::Abs(d1)), hn::Min(hn::Abs(d2), hn::Abs(d3)));
    const Vec b = hn::Min(hn::Min(hn::Abs(d4), hn::Abs(d5)), hn::Min(hn::Abs(d6), hn::Abs(d7)));
    return hn::Min(a, b);
  }
};

HWY_INLINE void make_rows(OuterSums& sums, const double* s4, std::int64_t end) {
  if (sums.ready() >= end) return;
  outer_sums(s4, sums.window(), sums.ready(), end, sums.values());
  sums.set_ready(end);
}

// NOLINTNEXTLINE(misc-definitions-in-headers): compiled once per target, each in a namespace of its own
std::int64_t certify_words_target(const SignJob& job) {
  const Tag d;
  const double* from[TapPlan::kTaps];
  Vec c[TapPlan::kTaps];
  for (int t = 0; t < TapPlan::kTaps; ++t) {
    const TapPlan::Tap& tap = job.plan->taps()[static_cast<std::size_t>(t)];
    from[t] = (tap.of_full3 ? job.full3_sums : job.smooth_sums)->values() - tap.offset * kStripes;
    c[t] = hn::Set(d, tap.coefficient);
  }
  const std::int64_t stride = job.rows / kRows;  // words per stripe
  std::int64_t opened = 0;
  for (std::int64_t group = 0; group < stride; ++group) {
    const Vec bound = hn::Set(d, job.fixed_bound + job.s4_bound * job.s4_magnitudes[group]);
    make_rows(*job.smooth_sums, job.s4, (group + 1) * kRows);
    make_rows(*job.full3_sums, job.s4, (group + 1) * kRows);
    Words negative[kColumns];
    for (Words& word : negative) word = hn::Zero(hn::RebindToUnsigned<Tag>());
    std::uint64_t open[kStripes] = {};
    for (std::int64_t r = 0; r < kRows; r += kRowsAtOnce) {
      const std::int64_t at = (group * kRows + r) * kStripes;
      Sums sums;
      sums.start(from[0] + at, c[0]);
      HWY_UNROLL(9)
      for (int t = 1; t < TapPlan::kTaps; ++t) sums.add(from[t] + at, c[t]);
      sums.take_signs(negative);
      if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Gt(sums.least_magnitude(), bound)))) sums.add_open(bound, r, open);
    }
    HWY_ALIGN std::uint64_t signs[kStripes];
    for (std::int64_t column = 0; column < kColumns; ++column) {
      hn::Store(negative[column], hn::RebindToUnsigned<Tag>(), signs + column * kLanes);
    }
    for (std::int64_t s = 0; s < kStripes; ++s) {
      const std::int64_t w = s * stride + group;
      job.want_long[w] = ~signs[s];
      job.open[w] = open[s] & job.wanted[w];
      opened += std::popcount(job.open[w]);
    }
    if (opened > job.most_open) break;
  }
  return opened;
}

// kDotSums interleaved sums, four vectors (of eight lanes) at a time; then halves are added to halves.
// NOLINTNEXTLINE(misc-definitions-in-headers): compiled once per target, each in a namespace of its own
double dot_product_target(const double* HWY_RESTRICT weights, const double* HWY_RESTRICT x, double base, std::int64_t count) {
  const Tag d;
  const Vec bases = hn::Set(d, base);
  HWY_ALIGN double partial[kDotSums];
  const auto term = [&](std::int64_t i)
                        HWY_ATTR { return hn::Mul(hn::LoadU(d, weights + i), hn::Sub(hn::LoadU(d, x + i), bases)); };
  for (std::int64_t lane = 0; lane < 8; lane += kLanes) {
    Vec s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (std::int64_t i = lane; i < count; i += kDotSums) {
      s0 = hn::Add(s0, term(i));
      s1 = hn::Add(s1, term(i + 8));
      s2 = hn::Add(s2, term(i + 16));
      s3 = hn::Add(s3, term(i + 24));
    }
    hn::Store(s0, d, partial + lane);
    hn::Store(s1, d, partial + lane + 8);
    hn::Store(s2, d, partial + lane + 16);
    hn::Store(s3, d, partial + lane + 24);
  }
  for (std::int64_t half = kDotSums / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i < half; ++i) partial[i] += partial[i + half];
  }
  return partial[0];
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ONEKERNEL_KERNEL_CERTIFY_INL_H_
