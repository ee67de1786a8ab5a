// What the six windows of a combo mean for the blocks: how far back a decision looks, and how large a block suits that.
#ifndef ONEKERNEL_KERNEL_WINDOWS_H_
#define ONEKERNEL_KERNEL_WINDOWS_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "onekernel/types.h"

namespace onekernel::kernel {

// A window that is longer than any series can be, so that sums of two of them do not overflow.
inline constexpr std::int64_t kLongestWindow = std::int64_t{1} << 60;

// Combos that look back further than this go to `exact`: the running sums would take too much memory.
inline constexpr std::int64_t kLongestCertifiedReach = 16384;

// The decision at bar i depends on the closes i - reach .. i, and there is none before bar `reach`.
inline std::int64_t reach(const Combo& combo) {
  const auto length = [](std::int64_t window) { return std::min(window, kLongestWindow); };
  const std::int64_t slow = std::max(length(combo.half), length(combo.full)) + length(combo.smooth);
  const std::int64_t fast = std::max({length(combo.third), length(combo.half3), length(combo.full3)}) + length(combo.full3);
  return std::max(slow, fast) - 2;
}

// A block of bars and the history before it.
struct Geometry {
  std::int64_t history;  // closes kept before the block, at least the reach; a multiple of 64
  std::int64_t block;    // bars decided at once; block k starts at bar k * block; a multiple of kBlockUnit
  std::int64_t part;     // bars that `exact` decides at once; a multiple of 64

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// Eight stripes of whole words.
inline constexpr std::int64_t kBlockUnit = 512;

// Larger blocks share the history among more bars; smaller ones keep the running sums accurate and in cache. It depends on
// the combo and on the length of the series alone: not on the other combos of a sweep, nor on its threads.
inline Geometry geometry_for(std::int64_t reach_of_combo, std::int64_t bars) {
  const std::int64_t whole = std::max<std::int64_t>((bars + kBlockUnit - 1) / kBlockUnit, 1) * kBlockUnit;
  if (reach_of_combo > kLongestCertifiedReach)
    return {(reach_of_combo + 63) / 64 * 64, std::min<std::int64_t>(16384, whole), 16384};
  const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(reach_of_combo)));
  const std::int64_t history = std::max<std::int64_t>(power, 256);
  const std::int64_t block = (history <= 512 ? 16 : history <= 2048 ? 8 : 4) * history;
  return {history, std::min(block, whole), std::max<std::int64_t>(history / 2, 512)};
}

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_WINDOWS_H_
