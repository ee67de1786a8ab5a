// The vector loops of `certified`: d = hma3 - hma by its taps, with the proof of its sign.
#ifndef ONEKERNEL_KERNEL_CERTIFY_SIMD_H_
#define ONEKERNEL_KERNEL_CERTIFY_SIMD_H_

#include <cstdint>

#include "kernel/sums.h"
#include "kernel/taps.h"

namespace onekernel::kernel {

struct SignBounds {
  double fixed;  // the part of the bound that is the same for the whole block
  double taps;   // times the word's 4-fold sums
};

// For each word of the block: bit b of want_long[w] is d > 0 at bar 64 * w + b, and bit b of open[w] says that |d| does not
// exceed the bound there, so that the sign is not proved. Stops once more than `most_open` of the bits in `wanted` are open.
// Returns their number.
std::int64_t certify_words(const BlockBuffer& block, const TapPlan& plan, SignBounds bounds, const std::uint64_t* wanted,
                           std::int64_t most_open, std::uint64_t* want_long, std::uint64_t* open);

// The sum of weights[i] * y[i]; count is a multiple of 8. Every target adds in the same order.
double dot_product(const double* weights, const double* y, std::int64_t count);

// The target that runs, in Highway's numbers.
std::int64_t certify_target();

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_CERTIFY_SIMD_H_
