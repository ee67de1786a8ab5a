// What the six windows of a combo mean for the blocks: how far back a decision looks, and how large a block suits that.
#ifndef ONEKERNEL_KERNEL_WINDOWS_H_
#define ONEKERNEL_KERNEL_WINDOWS_H_

#include <algorithm>
#include <cstdint>

#include "onekernel/types.h"

namespace onekernel::kernel {

// A window that is longer than any series can be, so that sums of two of them do not overflow.
inline constexpr std::int64_t kLongestWindow = std::int64_t{1} << 60;

// The decision at bar i depends on the closes i - reach .. i, and there is none before bar `reach`.
inline std::int64_t reach(const Combo& combo) {
  const auto length = [](std::int64_t window) { return std::min(window, kLongestWindow); };
  const std::int64_t slow = std::max(length(combo.half), length(combo.full)) + length(combo.smooth);
  const std::int64_t fast = std::max({length(combo.third), length(combo.half3), length(combo.full3)}) + length(combo.full3);
  return std::max(slow, fast) - 2;
}

// A block of bars and the history before it. Both are multiples of 64 and depend on the combo alone, so neither the other
// combos of a sweep nor its threads nor the way in which the bars arrive can move a block's boundaries.
struct Geometry {
  std::int64_t history;  // closes kept before the block, at least the reach
  std::int64_t block;    // bars decided at once; block k starts at bar k * block

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// Larger blocks share the history among more bars; smaller ones keep the running sums, whose error grows with the fourth
// power of history + block, accurate and in cache.
inline Geometry geometry_for(std::int64_t reach_of_combo) {
  if (reach_of_combo <= 256) return {256, 1024};
  if (reach_of_combo <= 1024) return {1024, 1024};
  if (reach_of_combo <= 4096) return {4096, 2048};
  if (reach_of_combo <= 16384) return {16384, 8192};
  return {(reach_of_combo + 63) / 64 * 64, 16384};
}

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_WINDOWS_H_
