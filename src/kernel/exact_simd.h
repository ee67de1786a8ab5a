// The vector loops of `exact`. Each lane holds one bar and repeats the reference's operations in the reference's order, so
// every target returns the reference's bits.
//
// Why one pass serves many windows: the reference sums a window oldest first with the weights 1, 2, 3, ..., so the sum of a
// long window begins with the very operations of every shorter window that starts at the same bar. One pass over the starts
// passes through all the sums, shortest first, and a window's average is read off (and divided) where its last close was added.
#ifndef ONEKERNEL_KERNEL_EXACT_SIMD_H_
#define ONEKERNEL_KERNEL_EXACT_SIMD_H_

#include <cstdint>
#include <span>

namespace onekernel::kernel {

// How far the loops may read and write past the end of a range, and write before it: one strip of lanes.
inline constexpr std::int64_t kStripPad = 64;

struct AverageRow {
  std::int64_t window;
  std::int64_t first;  // the first bar whose average is wanted
  double* out;         // out[i - first] is the average at bar i; kStripPad more on both sides are scratch
};

// wma(x, row.window)[i] for every row and first <= i < end.
// REQUIRES: rows sorted by window, ascending; x[i] readable from the oldest bar that any wanted average uses up to
// x[end - 1 + kStripPad]; what lies outside the series there may be any number and reaches no wanted average.
void average_rows(const double* x, std::int64_t end, std::span<const AverageRow> rows);

// The five averages of closes that a combo needs, each as a pointer p with p[i] for bar i.
struct InnerAverages {
  const double* half;
  const double* full;
  const double* third;
  const double* half3;
  const double* full3;
};

// Decides the bars first <= i < end: bit b of want_long[w] and of decided[w] is bar first + 64 * w + b. `scratch` holds
// 2 * (end - first + max(smooth, full3) + 3 * kStripPad) doubles.
void decide_bars(const InnerAverages& averages, std::int64_t smooth, std::int64_t full3, std::int64_t first, std::int64_t end,
                 double* scratch, std::uint64_t* want_long, std::uint64_t* decided);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_EXACT_SIMD_H_
