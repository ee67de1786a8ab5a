// The loops of live_simd.h for one target.
#if defined(ONEKERNEL_KERNEL_LIVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEKERNEL_KERNEL_LIVE_INL_H_
#undef ONEKERNEL_KERNEL_LIVE_INL_H_
#else
#define ONEKERNEL_KERNEL_LIVE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include "hwy/highway.h"
#include "kernel/live_simd.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using LiveTag = hn::CappedTag<double, kLiveLanes>;

// sums[k] = sums[k - 1] + (k + 1) * value, the oldest sums first, so that each is read before it is overwritten.
HWY_INLINE void continue_sums(double* sums, std::int64_t count, double value) {
  const LiveTag d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto v = hn::Set(d, value), step = hn::Set(d, static_cast<double>(n));
  auto weight = hn::Iota(d, static_cast<double>(count - n + 1));
  for (std::int64_t k = count - n; k >= 0; k -= n) {
    hn::StoreU(hn::Add(hn::LoadU(d, sums + k - 1), hn::Mul(weight, v)), d, sums + k);
    weight = hn::Sub(weight, step);  // exact: whole numbers
  }
}

HWY_INLINE void divide(double* values, const double* divisors, std::size_t count) {
  const LiveTag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Div(hn::LoadU(d, values + i), hn::LoadU(d, divisors + i)), d, values + i);
  }
}

// NOLINTNEXTLINE(misc-definitions-in-headers): compiled once per target, each in a namespace of its own
void take_close_target(double close, const CloseSums& inner, std::span<const OuterWindow> outer,
                       std::span<const double> outer_weights, std::span<double> values) {
  continue_sums(inner.sums, inner.count, close);
  double* const averages = inner.averages.data();
  for (std::size_t i = 0; i < inner.windows.size(); ++i) averages[i] = inner.sums[inner.windows[i] - 1];
  divide(averages, inner.weights.data(), inner.averages.size());
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const OuterWindow& w = outer[i];
    double value = w.factor * averages[w.first] - averages[w.second];
    if (w.third >= 0) value -= averages[w.third];
    continue_sums(w.sums, w.count, value);
    values[i] = w.sums[w.window - 1];
  }
  divide(values.data(), outer_weights.data(), values.size());
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ONEKERNEL_KERNEL_LIVE_INL_H_
