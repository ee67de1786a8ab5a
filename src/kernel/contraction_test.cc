// a*b + c must round twice. A fused operation rounds once, and the processors of the better targets have one, so this asks
// every target, for scalar code that the compiler could contract and for the vector operations that the kernels use.
#include <gtest/gtest.h>

#include <string>

#include "onekernel/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/contraction_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

double scalar_multiply_add(const double* a, const double* b, const double* c) {
  double result = 0.0;
  for (int i = 0; i < 16; ++i) result += a[i] * b[i] + c[i];
  return result;
}

double vector_multiply_add(const double* a, const double* b, const double* c) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<double> d;
  auto result = hn::Zero(d);
  for (std::size_t i = 0; i < 16; i += hn::Lanes(d)) {
    result = hn::Add(result, hn::Add(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), hn::LoadU(d, c + i)));
  }
  return hn::GetLane(hn::SumOfLanes(d, result));
}

// Proves that this file would notice: where the target has a fused operation, it gives another result.
double fused_multiply_add(const double* a, const double* b, const double* c) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<double> d;
  return hn::GetLane(hn::MulAdd(hn::LoadU(d, a), hn::LoadU(d, b), hn::LoadU(d, c)));
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onekernel {
namespace kernel {
namespace {

HWY_EXPORT(scalar_multiply_add);
HWY_EXPORT(vector_multiply_add);
HWY_EXPORT(fused_multiply_add);

TEST(Contraction, IsOffInEveryTarget) {
  double a[16], b[16], c[16];
  for (int i = 0; i < 16; ++i) {
    a[i] = b[i] = 1.0 + 0x1p-30;  // the square is 1 + 2^-29 + 2^-60, which rounds to 1 + 2^-29
    c[i] = -(1.0 + 0x1p-29);      // so two roundings give 0 and one gives 2^-60
  }
  for (const std::string_view target : available_targets()) {
    ASSERT_TRUE(force_target(target).ok());
    EXPECT_EQ(HWY_DYNAMIC_DISPATCH(scalar_multiply_add)(a, b, c), 0.0) << target;
    EXPECT_EQ(HWY_DYNAMIC_DISPATCH(vector_multiply_add)(a, b, c), 0.0) << target;
    if (target.starts_with("avx")) {
      EXPECT_EQ(HWY_DYNAMIC_DISPATCH(fused_multiply_add)(a, b, c), 0x1p-60) << target;
    }
  }
  ASSERT_TRUE(force_target("auto").ok());
}

}  // namespace
}  // namespace kernel
}  // namespace onekernel
#endif  // HWY_ONCE
