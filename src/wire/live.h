// Live sessions and lists of trades in session frames. docs/protocol.md has the tables.
#ifndef ONEKERNEL_WIRE_LIVE_H_
#define ONEKERNEL_WIRE_LIVE_H_

#include <cstdint>

namespace onekernel::wire {

// kLiveOpen and kTrades: closes (none where a series id is given), then combos.
struct LiveOpenRequest {
  std::uint64_t series_id = 0;  // 0: the closes are in this frame; a live session may have none
  std::uint64_t n_bars = 0;     // in this frame
  std::uint64_t n_combos = 0;
  double fee = 0.0;
  std::uint64_t threads = 0;  // for the history; 0: the server decides
};

// Where a session stands. Its id is of this connection.
struct LiveInfo {
  std::uint64_t live_id = 0;
  std::int64_t next_bar = 0;
  std::uint64_t n_combos = 0;
  std::uint64_t bytes = 0;  // that the session takes
  double fee = 0.0;
};

struct LiveBarsRequest {
  std::uint64_t live_id = 0;
  std::int64_t first_bar = 0;
  std::uint64_t n_bars = 0;
};

struct LiveBarsReply {
  std::int64_t next_bar = 0;  // closes from here on were not taken, for want of room for their changes
  std::uint64_t n_changes = 0;
};

struct LiveRequest {
  std::uint64_t live_id = 0;
};

struct TradesReply {
  std::uint64_t n_combos = 0;
  std::uint64_t n_closed = 0;
  std::uint64_t n_open = 0;
};

}  // namespace onekernel::wire

#endif  // ONEKERNEL_WIRE_LIVE_H_
