#include "kernel/certify_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/certify_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernel/certify-inl.h"

#if HWY_ONCE
namespace onekernel::kernel {

HWY_EXPORT(certify_words_target);
HWY_EXPORT(dot_product_target);
HWY_EXPORT(certify_target_running);

std::int64_t certify_words(const BlockBuffer& block, const TapPlan& plan, SignBounds bounds, const std::uint64_t* wanted,
                           std::int64_t most_open, std::uint64_t* want_long, std::uint64_t* open) {
  if (plan.count() == 0) return most_open + 1;  // d is zero for every series: ties, which only the reference can break
  return HWY_DYNAMIC_DISPATCH(certify_words_target)(block, plan, bounds, wanted, most_open, want_long, open);
}

double dot_product(const double* weights, const double* y, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(dot_product_target)(weights, y, count);
}

std::int64_t certify_target() { return HWY_DYNAMIC_DISPATCH(certify_target_running)(); }

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
