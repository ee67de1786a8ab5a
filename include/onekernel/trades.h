// In-process use: the closed trades of chosen combos, one record each.
#ifndef ONEKERNEL_TRADES_H_
#define ONEKERNEL_TRADES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "onekernel/export.h"
#include "onekernel/status.h"
#include "onekernel/sweep.h"
#include "onekernel/types.h"

namespace onekernel {

// One closed trade. The same bytes in batch and live, in memory and on the wire.
struct Trade {
  std::uint32_t combo;     // its place in the list of combos
  std::int32_t position;   // +1 long, -1 short
  std::int64_t entry_bar;  // index of the bar at whose close it was opened
  std::int64_t exit_bar;   // and closed
  double entry;            // the closes of those bars
  double exit;
  double pnl;  // percentage points, net of the fee
};
static_assert(sizeof(Trade) == 48);

// The position that is still open at the last bar. It is in no sum.
struct OpenTrade {
  std::uint32_t combo;
  std::int32_t position;
  std::int64_t entry_bar;
  double entry;
};
static_assert(sizeof(OpenTrade) == 24);

struct TradeList {
  std::vector<Trade> closed;    // by combo, and within one by time; their pnl, added in this order, is the sweep's pnl
  std::vector<OpenTrade> open;  // at most one per combo, by combo
  std::vector<double> pnl;      // per combo, as sweep gives it
};

// Runs a sweep that keeps every trade: opt-in, because this takes 48 bytes per trade where a sweep takes none.
// Decides as Kernel::kCertified whatever options.kernel says; the bits are the same for all kernels.
// Errors: as sweep; kLimitExceeded where there are more than `most_trades` trades in all.
ONEKERNEL_EXPORT Result<TradeList> list_trades(std::span<const double> close, std::span<const Combo> combos,
                                               const SweepOptions& options, std::size_t most_trades = SIZE_MAX);

}  // namespace onekernel

#endif  // ONEKERNEL_TRADES_H_
