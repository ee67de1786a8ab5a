// In-process use: the sweep's strategies, fed one bar at a time.
//
//   auto session = onekernel::LiveSession::open(combos, {.fee = 0.09}, history);
//   auto changes = session.value().bar(session.value().next_bar(), price);  // the combos whose position changed
//
// After every bar the session stands where a sweep over all closes so far would end, to the bit: however the bars were
// chopped, whether they came as history or live, and across a snapshot and its restoration. docs/live.md says why.
#ifndef ONEKERNEL_LIVE_H_
#define ONEKERNEL_LIVE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "onekernel/export.h"
#include "onekernel/status.h"
#include "onekernel/trades.h"
#include "onekernel/types.h"

namespace onekernel {

// A window of a live session may be so many bars long: it takes 8 bytes per bar.
inline constexpr std::int64_t kLongestLiveWindow = std::int64_t{1} << 20;

struct LiveOptions {
  double fee = 0.0;                                  // round-trip fee per closed trade, in percent: 0.09 means 0.09 %
  int threads = 0;                                   // for the history, as in SweepOptions
  std::uint64_t max_bytes = std::uint64_t{4} << 30;  // the most that a session may take
  // If not null: soon after somebody sets it, open and restore end with kUnavailable, and bars() takes no further bar.
  const std::atomic<bool>* cancel = nullptr;
};

// A combo changed its position at a bar's close.
struct Change {
  std::int64_t bar;
  std::uint32_t combo;     // its place in the list of combos
  std::int32_t position;   // the new one: +1 long, -1 short
  double price;            // the bar's close, at which the position before was closed and this one opened
  std::int64_t entry_bar;  // of the position that was closed; -1: there was none before
  double entry;            // its entry price (0.0 where there was none)
  double trade_pnl;        // what closing it brought, percentage points net of the fee (0.0 where there was none)
  double pnl;              // the combo's sum over its closed trades, this one included
  std::int64_t trades;     // and their number
};
static_assert(sizeof(Change) == 64);

// The trade that a change closed: the record that list_trades has for it.
inline std::optional<Trade> closed_trade(const Change& change) {
  if (change.entry_bar < 0) return std::nullopt;
  return Trade{change.combo, -change.position, change.entry_bar, change.bar, change.entry, change.price, change.trade_pnl};
}

// Where one combo stands after a bar.
struct LiveState {
  std::int64_t position;   // +1 long, -1 short, 0 before the first decision
  std::int64_t entry_bar;  // of the open position; -1 where there is none
  double entry;
  double pnl;           // closed trades only, percentage points net of fees: the sweep's
  std::int64_t trades;  // closed
};
static_assert(sizeof(LiveState) == 40);

// One thread at a time. Movable.
class ONEKERNEL_EXPORT LiveSession {
 public:
  // A session that stands after the bars of `history` (oldest first; may be empty), which it sweeps.
  // Errors: kInvalidArgument (a window below 1, a fee that is not finite, and what a sweep says), kLimitExceeded (a window
  // longer than kLongestLiveWindow; more memory than options.max_bytes), kUnavailable (no memory).
  static Result<LiveSession> open(std::span<const Combo> combos, const LiveOptions& options,
                                  std::span<const double> history = {});

  // A session that stands where the one stood that `snapshot` was taken of. Errors: as open; kInvalidArgument where the bytes
  // are no snapshot, or a damaged one. The fee is the snapshot's, whatever options.fee says.
  static Result<LiveSession> restore(std::span<const std::byte> snapshot, const LiveOptions& options = {});

  LiveSession(LiveSession&&) noexcept;
  LiveSession& operator=(LiveSession&&) noexcept;
  ~LiveSession();

  // Prices are not judged, as in a sweep: NaN, zero or a negative one give what the reference arithmetic gives, and stay in the
  // averages for as long as their windows reach back. Whoever feeds ticks of doubtful origin checks them before.
  //
  // Takes the close of bar `index`, which must be next_bar(): a bar that was sent twice, left out or out of order is
  // refused with kOutOfOrder. Returns the changes, by combo, valid until the next call. An error changes nothing.
  Result<std::span<const Change>> bar(std::int64_t index, double close);

  // Takes several, the first of which must be next_bar(). The changes are by bar, then by combo. It stops before the first bar
  // whose changes might not fit into `most_changes` with those before it, and when it is cancelled; next_bar() says how far it
  // came.
  // Errors: as bar; kLimitExceeded where most_changes is less than combos().size().
  Result<std::span<const Change>> bars(std::int64_t first, std::span<const double> closes, std::size_t most_changes = SIZE_MAX);

  std::int64_t next_bar() const;  // index of the bar that is due: so many were taken
  std::span<const Combo> combos() const;
  double fee() const;
  std::vector<LiveState> states() const;  // per combo
  std::uint64_t bytes() const;            // that the session takes

  // All that restore needs: the combos, where they stand, and the closes that their windows still hold.
  // Errors: kUnavailable (no memory).
  Result<std::vector<std::byte>> snapshot() const;

 private:
  struct ONEKERNEL_HIDDEN Rep;
  explicit LiveSession(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace onekernel

#endif  // ONEKERNEL_LIVE_H_
