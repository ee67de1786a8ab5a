// The two averages of every combo at the newest bar, one bar at a time: the reference's operations in the reference's order,
// so the same bits, at a cost per bar of one product per bar of the longest window and of each combo's outer windows.
#ifndef ONEKERNEL_KERNEL_LIVE_AVERAGES_H_
#define ONEKERNEL_KERNEL_LIVE_AVERAGES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/live_simd.h"
#include "onekernel/types.h"

namespace onekernel::kernel {

// A window takes 8 bytes per bar for as long as the session lives; beyond this it is no live strategy.
inline constexpr std::int64_t kLongestLiveWindow = std::int64_t{1} << 20;

class LiveAverages {
 public:
  // REQUIRES: every window from 1 to kLongestLiveWindow.
  explicit LiveAverages(std::span<const Combo> combos);

  // What an object for these combos takes, in bytes. REQUIRES: as the constructor. Combos that share windows are counted as if
  // they did not, so it may take less.
  static std::uint64_t most_bytes(std::span<const Combo> combos);
  std::uint64_t bytes() const;

  LiveAverages(LiveAverages&&) = default;
  LiveAverages& operator=(LiveAverages&&) = default;

  void take(double close);

  // At the last close taken. NaN: a window is not full, or a close in it was no number.
  double hma(std::size_t combo) const { return values_[places_[combo].hma]; }
  double hma3(std::size_t combo) const { return values_[places_[combo].hma3]; }

 private:
  struct Places {
    std::uint32_t hma, hma3;  // among values_
  };

  void plan_closes(std::span<const Combo> combos);
  void plan_outer(std::span<const Combo> combos);
  std::int32_t average_of(std::int64_t window) const;

  std::vector<Places> places_;
  std::vector<double> sums_;  // of the closes, then of every outer window: each with its 0.0 before
  std::int64_t close_sums_ = 0;
  std::vector<std::int64_t> windows_;  // of the closes, ascending, padded with 1
  std::vector<double> weights_, averages_;
  std::vector<OuterWindow> outer_;
  std::vector<double> outer_weights_, values_;
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_LIVE_AVERAGES_H_
