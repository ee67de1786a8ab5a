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
#include "kernel/words.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;

HWY_INLINE std::uint64_t bits_of(hn::Mask<Tag> mask) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(Tag(), mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

// Eight vectors of bars at once: a coefficient serves all of them, and eight sums hide the latency of the additions.
struct EightVectors {
  Vec d0, d1, d2, d3, d4, d5, d6, d7;

  HWY_INLINE void start(const double* HWY_RESTRICT s, Vec c) {
    const Tag d;
    const std::size_t n = hn::Lanes(d);
    d0 = hn::Mul(c, hn::LoadU(d, s));
    d1 = hn::Mul(c, hn::LoadU(d, s + n));
    d2 = hn::Mul(c, hn::LoadU(d, s + 2 * n));
    d3 = hn::Mul(c, hn::LoadU(d, s + 3 * n));
    d4 = hn::Mul(c, hn::LoadU(d, s + 4 * n));
    d5 = hn::Mul(c, hn::LoadU(d, s + 5 * n));
    d6 = hn::Mul(c, hn::LoadU(d, s + 6 * n));
    d7 = hn::Mul(c, hn::LoadU(d, s + 7 * n));
  }

  HWY_INLINE void add(const double* HWY_RESTRICT s, Vec c) {
    const Tag d;
    const std::size_t n = hn::Lanes(d);
    d0 = hn::Add(d0, hn::Mul(c, hn::LoadU(d, s)));
    d1 = hn::Add(d1, hn::Mul(c, hn::LoadU(d, s + n)));
    d2 = hn::Add(d2, hn::Mul(c, hn::LoadU(d, s + 2 * n)));
    d3 = hn::Add(d3, hn::Mul(c, hn::LoadU(d, s + 3 * n)));
    d4 = hn::Add(d4, hn::Mul(c, hn::LoadU(d, s + 4 * n)));
    d5 = hn::Add(d5, hn::Mul(c, hn::LoadU(d, s + 5 * n)));
    d6 = hn::Add(d6, hn::Mul(c, hn::LoadU(d, s + 6 * n)));
    d7 = hn::Add(d7, hn::Mul(c, hn::LoadU(d, s + 7 * n)));
  }

  template <class MaskOf>
  HWY_INLINE std::uint64_t bits(MaskOf mask_of) const {
    const std::size_t n = hn::Lanes(Tag());
    return bits_of(mask_of(d0)) | bits_of(mask_of(d1)) << n | bits_of(mask_of(d2)) << (2 * n) | bits_of(mask_of(d3)) << (3 * n) |
           bits_of(mask_of(d4)) << (4 * n) | bits_of(mask_of(d5)) << (5 * n) | bits_of(mask_of(d6)) << (6 * n) |
           bits_of(mask_of(d7)) << (7 * n);
  }

  HWY_INLINE Vec least_magnitude() const {
    const Vec a = hn::Min(hn::Min(hn::Abs(d0), hn::Abs(d1)), hn::Min(hn::Abs(d2), hn::Abs(d3)));
    const Vec b = hn::Min(hn::Min(hn::Abs(d4), hn::Abs(d5)), hn::Min(hn::Abs(d6), hn::Abs(d7)));
    return hn::Min(a, b);
  }
};

// What certify_words works on, with the taps resolved to pointers.
struct SignJob {
  const double* taps[TapPlan::kMostTaps];  // where each tap reads bar 0 of the block
  const double* coefficients;
  int count;
  std::int64_t words;
  SignBounds bounds;
  const double* s4_magnitudes;
  const std::uint64_t* wanted;
  std::int64_t most_open;
  std::uint64_t* want_long;
  std::uint64_t* open;
};

// The loop over the words; `evaluate(bar)` gives d for eight vectors of bars.
template <class Evaluate>
HWY_INLINE std::int64_t sign_words(const SignJob& job, Evaluate evaluate) {
  const Tag d;
  const auto strip = static_cast<std::int64_t>(8 * hn::Lanes(d));
  std::int64_t opened = 0;
  for (std::int64_t w = 0; w < job.words; ++w) {
    const Vec bound = hn::Set(d, job.bounds.fixed + job.bounds.taps * job.s4_magnitudes[w]);
    std::uint64_t longs = 0, opens = 0;
    for (std::int64_t j = 0; j < kWordBars; j += strip) {
      const EightVectors sums = evaluate(w * kWordBars + j);
      longs |= sums.bits([](Vec v) { return hn::Gt(v, hn::Zero(Tag())); }) << j;
      if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Gt(sums.least_magnitude(), bound)))) {
        opens |= sums.bits([bound](Vec v) { return hn::Not(hn::Gt(hn::Abs(v), bound)); }) << j;
      }
    }
    job.want_long[w] = longs;
    job.open[w] = opens & job.wanted[w];
    if (HWY_UNLIKELY(job.open[w] != 0)) {
      opened += std::popcount(job.open[w]);
      if (opened > job.most_open) break;
    }
  }
  return opened;
}

// The usual numbers of taps are compiled for, so that the coefficients stay in registers where there are enough of them and
// no loop ends in a branch that is guessed wrong.
template <int kTaps>
std::int64_t sign_words_unrolled(const SignJob& job) {
  Vec c[kTaps];
  for (int t = 0; t < kTaps; ++t) c[t] = hn::Set(Tag(), job.coefficients[t]);
  return sign_words(job, [&job, &c](std::int64_t bar) HWY_ATTR {
    EightVectors sums;
    sums.start(job.taps[0] + bar, c[0]);
    HWY_UNROLL(24)
    for (int t = 1; t < kTaps; ++t) sums.add(job.taps[t] + bar, c[t]);
    return sums;
  });
}

std::int64_t sign_words_looped(const SignJob& job) {
  return sign_words(job, [&job](std::int64_t bar) HWY_ATTR {
    EightVectors sums;
    sums.start(job.taps[0] + bar, hn::Set(Tag(), job.coefficients[0]));
    for (int t = 1; t < job.count; ++t) sums.add(job.taps[t] + bar, hn::Set(Tag(), job.coefficients[t]));
    return sums;
  });
}

std::int64_t certify_words_target(const BlockBuffer& block, const TapPlan& plan, SignBounds bounds, const std::uint64_t* wanted,
                                  std::int64_t most_open, std::uint64_t* want_long, std::uint64_t* open) {
  SignJob job{.taps = {},
              .coefficients = plan.coefficients(),
              .count = plan.count(),
              .words = block.words(),
              .bounds = bounds,
              .s4_magnitudes = block.s4_magnitudes(),
              .wanted = wanted,
              .most_open = most_open,
              .want_long = want_long,
              .open = open};
  const std::int64_t phase_mask = block.phases() - 1;
  for (int t = 0; t < job.count; ++t) {
    const std::int64_t offset = plan.offsets()[t], phase = offset & phase_mask;
    job.taps[t] = block.phase(phase) - (offset - phase);
  }
  switch (job.count) {
    case 15:
      return sign_words_unrolled<15>(job);
    case 16:
      return sign_words_unrolled<16>(job);
    case 17:
      return sign_words_unrolled<17>(job);
    case 18:
      return sign_words_unrolled<18>(job);
    default:
      return sign_words_looped(job);
  }
}

double dot_product_target(const double* HWY_RESTRICT weights, const double* HWY_RESTRICT y, std::int64_t count) {
  const Tag d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN double partial[8];
  for (std::int64_t lane = 0; lane < 8; lane += n) {
    Vec sum = hn::Zero(d);
    for (std::int64_t i = lane; i < count; i += 8) sum = hn::Add(sum, hn::Mul(hn::LoadU(d, weights + i), hn::LoadU(d, y + i)));
    hn::Store(sum, d, partial + lane);
  }
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) + ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

std::int64_t certify_target_running() { return HWY_TARGET; }

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ONEKERNEL_KERNEL_CERTIFY_INL_H_
