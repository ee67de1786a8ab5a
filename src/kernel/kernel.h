// The ladder: one entry point for every implementation of the reference arithmetic.
#ifndef ONEKERNEL_KERNEL_KERNEL_H_
#define ONEKERNEL_KERNEL_KERNEL_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "onekernel/sweep.h"
#include "onekernel/types.h"

namespace onekernel::kernel {

// Runs on at most `threads` threads (the kernels without SIMD on one) and says how it was done.
// REQUIRES: every window >= 1, threads >= 1, pnl.size() == trades.size() == combos.size().
// Ends soon after `cancel` is set, where it is not null; the results mean nothing then.
// Throws std::bad_alloc when out of memory.
SweepReport sweep(Kernel kernel, std::span<const double> close, std::span<const Combo> combos, double fee, int threads,
                  std::span<double> pnl, std::span<std::int64_t> trades, const std::atomic<bool>* cancel = nullptr);

// On one thread, without a report.
void sweep(Kernel kernel, std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
           std::span<std::int64_t> trades);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_KERNEL_H_
