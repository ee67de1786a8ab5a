// The first stage of the taps for one target: from the 4-fold running sums to the 2-fold ones of an average.
#if defined(ONEKERNEL_KERNEL_OUTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEKERNEL_KERNEL_OUTER_INL_H_
#undef ONEKERNEL_KERNEL_OUTER_INL_H_
#else
#define ONEKERNEL_KERNEL_OUTER_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernel/stripes.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

// out = c0 * s4 + c1 * (s4 one row up) + c2 * (s4 window + 1 rows up), for the rows first .. end - 1. The rounding of these
// sums is covered by the bound, fused or not.
HWY_INLINE void outer_sums(const double* HWY_RESTRICT s4, std::int64_t window, std::int64_t first, std::int64_t end,
                           double* HWY_RESTRICT out) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<double, kStripes> d;
  const auto b = static_cast<double>(window);
  const auto c0 = hn::Set(d, 2.0 / (b + 1.0)), c1 = hn::Set(d, -2.0 / b), c2 = hn::Set(d, 2.0 / (b * (b + 1.0)));
  const std::int64_t back = (window + 1) * kStripes;
  for (std::int64_t column = 0; column < kStripes; column += static_cast<std::int64_t>(hn::Lanes(d))) {
    const double* HWY_RESTRICT row = s4 + column + first * kStripes;
    const double* const last = s4 + column + end * kStripes;
    double* HWY_RESTRICT to = out + column + first * kStripes;
    auto before = hn::Load(d, row - kStripes);
    HWY_UNROLL(4)
    for (; row != last; row += kStripes, to += kStripes) {
      const auto now = hn::Load(d, row);
      const auto old = hn::Mul(c2, hn::Load(d, row - back));
      hn::Store(hn::MulAdd(c0, now, hn::MulAdd(c1, before, old)), d, to);
      before = now;
    }
  }
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ONEKERNEL_KERNEL_OUTER_INL_H_
