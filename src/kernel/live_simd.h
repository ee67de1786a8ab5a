// The vector loops of live_averages.h.
//
// A window's sum is taken oldest first, so the sum of the window that ends at a later bar is begun when its first value comes
// and needs nothing but one more product with every further value. sums[k] is the sum that began k values ago; a new value v
// makes of it sums[k + 1], in the reference's order:
//
//     sums[k] = sums[k - 1] + (k + 1) * v        with sums[-1] = 0.0
//
// and the average of the last n values is sums[n - 1] over its weights. Sums that began before the first value are NaN, and so
// is every sum that a NaN went into, until it is out of the window: as in the reference.
#ifndef ONEKERNEL_KERNEL_LIVE_SIMD_H_
#define ONEKERNEL_KERNEL_LIVE_SIMD_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace onekernel::kernel {

// Sums are kept in a multiple of so many, with one 0.0 before them.
inline constexpr std::int64_t kLiveLanes = 8;

// The sums of the closes, and which windows' averages are wanted.
struct CloseSums {
  double* sums;
  std::int64_t count;                     // a multiple of kLiveLanes
  std::span<const std::int64_t> windows;  // padded to a multiple of kLiveLanes, as are the next two
  std::span<const double> weights;        // n * (n + 1) / 2 of each
  std::span<double> averages;             // out
};

// One outer average: of factor * averages[first] - averages[second] (- averages[third], unless that is negative).
struct OuterWindow {
  double* sums;
  std::int64_t count;  // a multiple of kLiveLanes
  std::int64_t window;
  double factor;
  std::int32_t first, second, third;
};

// Takes one more close: brings everything up to date and fills `values` with the outer averages.
// REQUIRES: outer, outer_weights and values padded to multiples of kLiveLanes in step with one another.
void take_close(double close, const CloseSums& inner, std::span<const OuterWindow> outer, std::span<const double> outer_weights,
                std::span<double> values);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_LIVE_SIMD_H_
