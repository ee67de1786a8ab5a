// The loops of certify_simd.h for one target.
#if defined(ONEKERNEL_KERNEL_CERTIFY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEKERNEL_KERNEL_CERTIFY_INL_H_
#undef ONEKERNEL_KERNEL_CERTIFY_INL_H_
#else
#define ONEKERNEL_KERNEL_CERTIFY_INL_H_
#endif

#include <bit>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernel/certify_simd.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, kStripes>;
using Vec = hn::Vec<Tag>;

constexpr int kVectors = 8;         // sums in flight: they hide the latency of the additions
constexpr std::int64_t kRows = 64;  // rows per group: one word of each stripe

// Rows that kVectors vectors hold.
inline std::int64_t rows_at_once() { return kVectors * static_cast<std::int64_t>(hn::Lanes(Tag())) / kStripes; }

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

  // One byte per row, bit s of it for stripe s.
  template <class MaskOf>
  HWY_INLINE void store_bits(MaskOf mask_of, std::uint8_t* bytes) const {
    const std::size_t n = hn::Lanes(Tag());
    const std::uint64_t bits = bits_of(mask_of(d0)) | bits_of(mask_of(d1)) << n | bits_of(mask_of(d2)) << (2 * n) |
                               bits_of(mask_of(d3)) << (3 * n) | bits_of(mask_of(d4)) << (4 * n) |
                               bits_of(mask_of(d5)) << (5 * n) | bits_of(mask_of(d6)) << (6 * n) |
                               bits_of(mask_of(d7)) << (7 * n);
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(bytes, &bits, static_cast<std::size_t>(rows_at_once()));
  }

  HWY_INLINE Vec least_magnitude() const {
    const Vec a = hn::Min(hn::Min(hn::Abs(d0), hn::Abs(d1)), hn::Min(hn::Abs(d2), hn::Abs(d3)));
    const Vec b = hn::Min(hn::Min(hn::Abs(d4), hn::Abs(d5)), hn::Min(hn::Abs(d6), hn::Abs(d7)));
    return hn::Min(a, b);
  }
};

// From one byte per row to one word per stripe: words[s * stride] takes bit s of the 64 bytes.
HWY_INLINE void words_from_rows(const std::uint8_t* HWY_RESTRICT bytes, std::uint64_t* words, std::int64_t stride) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t s = 0; s < kStripes; ++s) {
    std::uint64_t word = 0;
    for (int r = 0; r < kRows; ++r) word |= static_cast<std::uint64_t>(bytes[r] >> s & 1) << r;
    words[s * stride] = word;
  }
#else
  const hn::CappedTag<std::int8_t, kRows> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  std::uint64_t out[kStripes] = {};
  for (std::int64_t r = 0; r < kRows; r += n) {
    auto v = hn::LoadU(d, reinterpret_cast<const std::int8_t*>(bytes) + r);
    for (std::int64_t s = kStripes - 1; s >= 0; --s) {  // the sign is the highest bit; doubling brings up the next
      std::uint64_t bits = 0;
      hn::StoreMaskBits(d, hn::Lt(v, hn::Zero(d)), reinterpret_cast<std::uint8_t*>(&bits));
      out[s] |= bits << r;
      v = hn::Add(v, v);
    }
  }
  for (std::int64_t s = 0; s < kStripes; ++s) words[s * stride] = out[s];
#endif
}

std::int64_t certify_words_target(const SignJob& job) {
  const Tag d;
  const double* from[TapPlan::kTaps];
  Vec c[TapPlan::kTaps];
  for (int t = 0; t < TapPlan::kTaps; ++t) {
    const TapPlan::Tap& tap = job.plan->taps()[static_cast<std::size_t>(t)];
    from[t] = (tap.of_full3 ? job.full3_sums : job.smooth_sums) - tap.offset * kStripes;
    c[t] = hn::Set(d, tap.coefficient);
  }
  const std::int64_t stride = job.rows / kRows;  // words per stripe
  alignas(64) std::uint8_t longs[kRows], opens[kRows];
  std::int64_t opened = 0;
  for (std::int64_t group = 0; group < stride; ++group) {
    const Vec bound = hn::Set(d, job.fixed_bound + job.s4_bound * job.s4_magnitudes[group]);
    bool any_open = false;
    for (std::int64_t r = 0; r < kRows; r += rows_at_once()) {
      const std::int64_t at = (group * kRows + r) * kStripes;
      Sums sums;
      sums.start(from[0] + at, c[0]);
      HWY_UNROLL(9)
      for (int t = 1; t < TapPlan::kTaps; ++t) sums.add(from[t] + at, c[t]);
      sums.store_bits([](Vec v) HWY_ATTR { return hn::Gt(v, hn::Zero(Tag())); }, longs + r);
      if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Gt(sums.least_magnitude(), bound)))) {
        if (!any_open) std::memset(opens, 0, sizeof(opens));
        any_open = true;
        sums.store_bits([bound](Vec v) HWY_ATTR { return hn::Not(hn::Gt(hn::Abs(v), bound)); }, opens + r);
      }
    }
    words_from_rows(longs, job.want_long + group, stride);
    if (HWY_LIKELY(!any_open)) {
      for (std::int64_t s = 0; s < kStripes; ++s) job.open[s * stride + group] = 0;
      continue;
    }
    words_from_rows(opens, job.open + group, stride);
    for (std::int64_t s = 0; s < kStripes; ++s) {
      job.open[s * stride + group] &= job.wanted[s * stride + group];
      opened += std::popcount(job.open[s * stride + group]);
    }
    if (opened > job.most_open) break;
  }
  return opened;
}

double dot_product_target(const double* HWY_RESTRICT weights, const double* HWY_RESTRICT x, double base, std::int64_t count) {
  const Tag d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const Vec bases = hn::Set(d, base);
  HWY_ALIGN double partial[8];
  for (std::int64_t lane = 0; lane < 8; lane += n) {
    Vec sum = hn::Zero(d);
    for (std::int64_t i = lane; i < count; i += 8) {
      sum = hn::Add(sum, hn::Mul(hn::LoadU(d, weights + i), hn::Sub(hn::LoadU(d, x + i), bases)));
    }
    hn::Store(sum, d, partial + lane);
  }
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) + ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ONEKERNEL_KERNEL_CERTIFY_INL_H_
