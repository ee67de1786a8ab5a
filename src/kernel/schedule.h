// The combos of a sweep in batches, and the batches on threads.
#ifndef ONEKERNEL_KERNEL_SCHEDULE_H_
#define ONEKERNEL_KERNEL_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "kernel/batch.h"
#include "kernel/book.h"
#include "kernel/trade_log.h"
#include "onekernel/sweep.h"
#include "onekernel/types.h"

namespace onekernel::kernel {

// Where the results go.
struct Outputs {
  // Called once for every combo, from any of the threads.
  std::function<void(std::size_t combo, const Book& book)> book;
  std::span<TradeLog> logs;  // empty, or one per combo: keeps its trades
};

struct ScheduleResult {
  int threads = 1;  // that were used
  LevelCounts levels;
};

// Runs every combo by `exact` or `certified` on at most `threads` threads. A batch is a part of the combos over the whole
// series: combos do not depend on one another, so neither threads nor batches can show in a result.
// REQUIRES: every window >= 1, threads >= 1.
ScheduleResult run_batches(bool certify, std::span<const double> close, std::span<const Combo> combos, double fee, int threads,
                           const Tuning& tuning, const Outputs& outputs);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_SCHEDULE_H_
