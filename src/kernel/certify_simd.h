// The vector loops of `certified`: d = hma3 - hma by its taps, with the proof of its sign.
#ifndef ONEKERNEL_KERNEL_CERTIFY_SIMD_H_
#define ONEKERNEL_KERNEL_CERTIFY_SIMD_H_

#include <cstdint>

#include "kernel/stripes.h"
#include "kernel/taps.h"

namespace onekernel::kernel {

struct SignJob {
  const TapPlan* plan;
  const double* s4;
  OuterSums* smooth_sums;  // prepared for the combo's smooth
  OuterSums* full3_sums;   // and for its full3
  std::int64_t rows;       // of the stripes
  double fixed_bound;
  double s4_bound;              // times the 4-fold sums' magnitude
  const double* s4_magnitudes;  // per 64 rows
  const std::uint64_t* wanted;  // per word: the bars to decide
  std::int64_t most_open;       // more open signs than this are not worth going on
  std::uint64_t* want_long;     // out: d > 0
  std::uint64_t* open;          // out: wanted, but |d| does not exceed the bound, so the sign is not proved
};

// Fills want_long and open, where stripe s holds the words s * rows / 64 and following. Returns the number of open bars; where
// that is more than most_open, the rest is not filled.
std::int64_t certify_words(const SignJob& job);

// The sum of weights[i] * (x[i] - base); count is a multiple of kDotSums. Every target adds in the same
// order: kDotSums interleaved sums, joined in halves.
double dot_product(const double* weights, const double* x, double base, std::int64_t count);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_CERTIFY_SIMD_H_
