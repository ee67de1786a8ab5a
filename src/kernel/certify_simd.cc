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

std::int64_t certify_words(const SignJob& job) { return HWY_DYNAMIC_DISPATCH(certify_words_target)(job); }

double dot_product(const double* weights, const double* x, double base, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(dot_product_target)(weights, x, base, count);
}

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
