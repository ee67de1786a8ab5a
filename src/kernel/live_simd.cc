#include "kernel/live_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/live_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernel/live-inl.h"

#if HWY_ONCE
namespace onekernel::kernel {

HWY_EXPORT(take_close_target);

void take_close(double close, const CloseSums& inner, std::span<const OuterWindow> outer, std::span<const double> outer_weights,
                std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(take_close_target)(close, inner, outer, outer_weights, values);
}

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
