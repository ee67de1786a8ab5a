// In-process use: run every combo over one price series.
//
//   std::vector<double> pnl(combos.size());
//   std::vector<std::int64_t> trades(combos.size());
//   onekernel::Status status = onekernel::sweep(close, combos, {.fee = 0.09}, pnl, trades);
#ifndef ONEKERNEL_SWEEP_H_
#define ONEKERNEL_SWEEP_H_

#include <cstdint>
#include <span>

#include "onekernel/export.h"
#include "onekernel/status.h"
#include "onekernel/types.h"

namespace onekernel {

struct SweepOptions {
  double fee = 0.0;  // round-trip fee per closed trade, in percent: 0.09 means 0.09 %
  Kernel kernel = Kernel::kUnchecked;
};

// Runs the stop-and-reverse strategy of every combo over `close` (prices, oldest first).
//   pnl[i]     sum over combo i's closed trades, in percentage points, net of fees
//   trades[i]  how many trades combo i closed; a position still open at the end is not booked
// The prices are taken as they are: NaN, infinities and zeros give what IEEE arithmetic gives.
// Errors: kInvalidArgument when a window is below 1 (the message names combo and field), when the result spans are not
// combos.size() long, or when the fee is not finite. On an error the results are not written.
ONEKERNEL_EXPORT Status sweep(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options,
                              std::span<double> pnl, std::span<std::int64_t> trades);

}  // namespace onekernel

#endif  // ONEKERNEL_SWEEP_H_
