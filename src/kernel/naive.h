// The reference arithmetic, line by line. `checked` and `unchecked` are one template; the only difference is whether an
// index is compared with the length before it is used.
#ifndef ONEKERNEL_KERNEL_NAIVE_H_
#define ONEKERNEL_KERNEL_NAIVE_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "onekernel/types.h"

namespace onekernel::kernel {

// REQUIRES: every window >= 1, pnl.size() == trades.size() == combos.size().
// Cost per combo and bar: the sum of the six windows. Memory: five arrays of close.size() doubles.
void sweep_checked(std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
                   std::span<std::int64_t> trades, const std::atomic<bool>* cancel = nullptr);
void sweep_unchecked(std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
                     std::span<std::int64_t> trades, const std::atomic<bool>* cancel = nullptr);

// The averages themselves, for tests and for whoever wants to look. out.size() == x.size(); NaN where a window is not full.
void wma(std::span<const double> x, std::int64_t length, std::span<double> out);
void hma(std::span<const double> close, const Combo& combo, std::span<double> out);
void hma3(std::span<const double> close, const Combo& combo, std::span<double> out);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_NAIVE_H_
