// In-process use: run every combo over one price series.
//
//   std::vector<double> pnl(combos.size());
//   std::vector<std::int64_t> trades(combos.size());
//   onekernel::Status status = onekernel::sweep(close, combos, {.fee = 0.09}, pnl, trades);
#ifndef ONEKERNEL_SWEEP_H_
#define ONEKERNEL_SWEEP_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "onekernel/export.h"
#include "onekernel/status.h"
#include "onekernel/types.h"

namespace onekernel {

struct SweepOptions {
  double fee = 0.0;  // round-trip fee per closed trade, in percent: 0.09 means 0.09 %
  Kernel kernel = Kernel::kCertified;
  int threads = 0;  // at most so many; 0: the environment variable ONEKERNEL_THREADS, or else all cores
  // If not null: the sweep ends soon after somebody sets it, with kUnavailable.
  const std::atomic<bool>* cancel = nullptr;
};

// How the decisions (one per bar and combo from the bar on where both averages exist) were made. `certified` tries from the
// cheapest to the dearest; results do not depend on the way.
struct LevelCounts {
  std::int64_t by_bound = 0;      // the sign of the running-sum filter was proved
  std::int64_t by_dot = 0;        // the sign of the filter as a dot product was
  std::int64_t by_reference = 0;  // the reference arithmetic for that bar
  std::int64_t by_exact = 0;      // the `exact` kernel for the whole block
  std::int64_t flips = 0;         // changes of position, the first entry included
  std::int64_t blocks = 0;        // blocks of bars, counted once per combo
  std::int64_t blocks_exact = 0;  // those that went to `exact`

  ONEKERNEL_EXPORT LevelCounts& operator+=(const LevelCounts& other);
  friend bool operator==(const LevelCounts&, const LevelCounts&) = default;
};

struct SweepReport {
  Kernel kernel = Kernel::kCertified;
  std::string_view target;  // the instruction set that ran (onekernel/target.h); "none" for the kernels without SIMD
  int threads = 0;          // that had a part in it; fewer than allowed where the work is too small to share
  LevelCounts levels;       // of `exact` and `certified`
};

// Runs the stop-and-reverse strategy of every combo over `close` (prices, oldest first).
//   pnl[i]     sum over combo i's closed trades, in percentage points, net of fees
//   trades[i]  how many trades combo i closed; a position still open at the end is not booked
//   report     if not null, how it was done
// The prices are taken as they are: NaN, infinities and zeros give what IEEE arithmetic gives.
// Neither the kernel nor the target nor the number of threads changes a bit of the results.
// Errors: kInvalidArgument when a window is below 1 (the message names combo and field), when the result spans are not
// combos.size() long, when the fee is not finite, when threads is negative, or when ONEKERNEL_THREADS or ONEKERNEL_TARGET
// says something that cannot be; kUnavailable when there is no memory for it, or when it was cancelled. On an error the results
// mean nothing.
ONEKERNEL_EXPORT Status sweep(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options,
                              std::span<double> pnl, std::span<std::int64_t> trades, SweepReport* report = nullptr);

}  // namespace onekernel

#endif  // ONEKERNEL_SWEEP_H_
