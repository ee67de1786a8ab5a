// The bytes of a live session's snapshot, all little-endian:
//
//   char[8]  "OKLIVE01"
//   u64      XXH3 (64 bits) of everything after it
//   i64      next bar
//   u64      n_combos
//   u64      n_recent
//   f64      fee
//   n_combos x Combo       48 bytes each
//   n_combos x LiveState   40 bytes each
//   n_recent x f64         the newest closes, oldest first: as many as the windows look back, or all that there were
#ifndef ONEKERNEL_ENGINE_LIVE_SNAPSHOT_H_
#define ONEKERNEL_ENGINE_LIVE_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "onekernel/live.h"
#include "onekernel/status.h"
#include "onekernel/types.h"

namespace onekernel::engine {

struct LiveSnapshot {
  std::int64_t next_bar = 0;
  double fee = 0.0;
  std::vector<Combo> combos;
  std::vector<LiveState> states;
  std::vector<double> recent;
};

// How many of the newest closes the combos' windows hold.
std::int64_t closes_needed(std::span<const Combo> combos);

// How many bytes a live session of these combos may take, changes of one bar included.
// REQUIRES: every window at least 1 and at most kLongestLiveWindow.
std::uint64_t most_live_bytes(std::span<const Combo> combos);

std::vector<std::byte> encode_snapshot(const LiveSnapshot& snapshot);

// Errors: kInvalidArgument, saying what is wrong with the bytes. Nothing is allocated from a count that they do not bear out.
Result<LiveSnapshot> decode_snapshot(std::span<const std::byte> bytes);

}  // namespace onekernel::engine

#endif  // ONEKERNEL_ENGINE_LIVE_SNAPSHOT_H_
