#include "engine/live_snapshot.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/checks.h"
#include "kernel/windows.h"

namespace onekernel::engine {
namespace {

constexpr char kMagic[8] = {'O', 'K', 'L', 'I', 'V', 'E', '0', '1'};

struct Header {
  char magic[8];
  std::uint64_t checksum;
  std::int64_t next_bar;
  std::uint64_t n_combos;
  std::uint64_t n_recent;
  double fee;
};
constexpr std::size_t kChecked = 16;  // the checksum is of what comes after it
// More than there can be: so many bars may come after them without an index that overflows.
constexpr std::int64_t kMostBars = std::int64_t{1} << 62;
constexpr std::size_t kPerCombo = sizeof(Combo) + sizeof(LiveState);

Status damaged(const std::string& what) {
  return {StatusCode::kInvalidArgument, "this is no snapshot of a live session, or a damaged one: " + what};
}

template <class T>
std::byte* put(std::byte* to, std::span<const T> values) {
  if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  return to + values.size_bytes();
}

template <class T>
std::vector<T> take(std::span<const std::byte>& bytes, std::uint64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  bytes = bytes.subspan(values.size() * sizeof(T));
  return values;
}

bool makes_sense(const LiveState& state, std::int64_t next_bar) {
  if (state.position == 0) return state.entry_bar == -1 && state.trades == 0;
  const bool is_position = state.position == 1 || state.position == -1;
  return is_position && state.entry_bar >= 0 && state.entry_bar < next_bar && state.trades >= 0 && state.trades < next_bar;
}

}  // namespace

std::int64_t closes_needed(std::span<const Combo> combos) {
  std::int64_t longest = 0;
  for (const Combo& combo : combos) longest = std::max(longest, kernel::reach(combo) + 1);
  return longest;
}

std::vector<std::byte> encode_snapshot(const LiveSnapshot& snapshot) {
  Header header{.magic = {},
                .checksum = 0,
                .next_bar = snapshot.next_bar,
                .n_combos = snapshot.combos.size(),
                .n_recent = snapshot.recent.size(),
                .fee = snapshot.fee};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  std::vector<std::byte> bytes(sizeof(header) + snapshot.combos.size() * kPerCombo + snapshot.recent.size() * sizeof(double));
  std::byte* to = put(bytes.data(), std::span<const Header>(&header, 1));
  to = put(to, std::span<const Combo>(snapshot.combos));
  to = put(to, std::span<const LiveState>(snapshot.states));
  put(to, std::span<const double>(snapshot.recent));
  const std::uint64_t checksum = XXH3_64bits(bytes.data() + kChecked, bytes.size() - kChecked);
  std::memcpy(bytes.data() + sizeof(kMagic), &checksum, sizeof(checksum));
  return bytes;
}

Result<LiveSnapshot> decode_snapshot(std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof(header)) return damaged("it has " + std::to_string(bytes.size()) + " bytes");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) return damaged("it does not begin as one does");
  std::span<const std::byte> rest = bytes.subspan(sizeof(header));
  const bool combos_fit = header.n_combos <= rest.size() / kPerCombo;
  if (!combos_fit || (rest.size() - header.n_combos * kPerCombo) % sizeof(double) != 0 ||
      (rest.size() - header.n_combos * kPerCombo) / sizeof(double) != header.n_recent) {
    return damaged("it has another length than its counts say");
  }
  if (header.checksum != XXH3_64bits(bytes.data() + kChecked, bytes.size() - kChecked)) {
    return damaged("its checksum does not fit");
  }
  LiveSnapshot snapshot{.next_bar = header.next_bar, .fee = header.fee, .combos = {}, .states = {}, .recent = {}};
  snapshot.combos = take<Combo>(rest, header.n_combos);
  snapshot.states = take<LiveState>(rest, header.n_combos);
  snapshot.recent = take<double>(rest, header.n_recent);
  if (snapshot.next_bar < 0 || snapshot.next_bar > kMostBars)
    return damaged("its next bar is " + std::to_string(snapshot.next_bar));
  if (Status status = check_windows(snapshot.combos); !status.ok()) return status;
  const std::int64_t recent = std::min(closes_needed(snapshot.combos), snapshot.next_bar);
  if (std::ssize(snapshot.recent) != recent) return damaged("its closes are not those that its windows need");
  for (std::size_t c = 0; c < snapshot.states.size(); ++c) {
    if (!makes_sense(snapshot.states[c], snapshot.next_bar)) return damaged("combo " + std::to_string(c) + " stands nowhere");
  }
  return snapshot;
}

}  // namespace onekernel::engine
