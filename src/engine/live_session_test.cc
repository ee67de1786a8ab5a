#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/live_snapshot.h"
#include "kernel/attack_series.h"
#include "onekernel/live.h"
#include "onekernel/sweep.h"
#include "onekernel/trades.h"

namespace onekernel {
namespace {

using kernel::all_attacks;
using kernel::Attack;
using kernel::make_series;
using kernel::Random;

constexpr double kFee = 0.09;

const std::vector<Combo>& combos() {
  static const std::vector<Combo> all{{3, 6, 2, 1, 2, 3},    {1, 1, 1, 1, 1, 1},    {25, 50, 7, 8, 12, 25},
                                      {4, 90, 3, 40, 2, 11}, {25, 50, 7, 8, 12, 9}, {2, 3, 60, 2, 3, 4},
                                      {1, 2, 2, 3, 4, 700},  {5, 5000, 2, 1, 1, 1}};
  return all;
}

struct Swept {
  std::vector<double> pnl;
  std::vector<std::int64_t> trades;
};

Swept swept(std::span<const double> close) {
  Swept result{std::vector<double>(combos().size()), std::vector<std::int64_t>(combos().size())};
  EXPECT_TRUE(sweep(close, combos(), {.fee = kFee, .kernel = Kernel::kUnchecked}, result.pnl, result.trades).ok());
  return result;
}

void expect_bits(double got, double want, const std::string& what) {
  if (std::isnan(got) && std::isnan(want)) return;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want)) << what << ": " << got << ", " << want;
}

void expect_stands_at(const LiveSession& session, std::span<const double> close) {
  const Swept expected = swept(close);
  const std::vector<LiveState> states = session.states();
  EXPECT_EQ(session.next_bar(), std::ssize(close));
  ASSERT_EQ(states.size(), combos().size());
  for (std::size_t c = 0; c < states.size(); ++c) {
    const std::string what = "combo " + std::to_string(c) + " after " + std::to_string(close.size()) + " bars";
    expect_bits(states[c].pnl, expected.pnl[c], what);
    EXPECT_EQ(states[c].trades, expected.trades[c]) << what;
  }
}

LiveSession opened(std::span<const double> history = {}) {
  Result<LiveSession> session = LiveSession::open(combos(), {.fee = kFee}, history);
  EXPECT_TRUE(session.ok());
  return std::move(session).value();
}

void expect_same_records(const std::vector<Trade>& got, const std::vector<Trade>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t t = 0; t < got.size(); ++t) {
    Trade a = got[t], b = want[t];
    if (std::isnan(a.pnl) && std::isnan(b.pnl)) a.pnl = b.pnl = 0.0;
    ASSERT_EQ(std::memcmp(&a, &b, sizeof(Trade)), 0) << "trade " << t << " of combo " << b.combo;
  }
}

// The trades of a live replay, by combo.
std::vector<Trade> by_combo(const std::vector<Change>& changes) {
  std::vector<Trade> trades;
  for (std::uint32_t c = 0; c < combos().size(); ++c) {
    for (const Change& change : changes) {
      if (change.combo != c) continue;
      if (const auto trade = closed_trade(change)) trades.push_back(*trade);
    }
  }
  return trades;
}

class LiveOn : public testing::TestWithParam<Attack> {};

TEST_P(LiveOn, BarByBarItIsTheSweepAndTheTradesAreTheBatch) {
  const std::vector<double> close = make_series(GetParam(), 2000, 21);
  LiveSession session = opened();
  std::vector<Change> changes;
  for (std::size_t i = 0; i < close.size(); ++i) {
    const auto made = session.bar(static_cast<std::int64_t>(i), close[i]);
    ASSERT_TRUE(made.ok());
    changes.insert(changes.end(), made.value().begin(), made.value().end());
    if (i % 397 == 0) expect_stands_at(session, std::span(close).first(i + 1));
  }
  expect_stands_at(session, close);
  const Result<TradeList> batch = list_trades(close, combos(), {.fee = kFee});
  ASSERT_TRUE(batch.ok());
  expect_same_records(by_combo(changes), batch.value().closed);
  std::size_t open = 0;
  const std::vector<LiveState> states = session.states();
  for (std::uint32_t c = 0; c < states.size(); ++c) {
    if (states[c].position == 0) continue;
    ASSERT_LT(open, batch.value().open.size());
    const OpenTrade& expected = batch.value().open[open++];
    EXPECT_EQ(expected.combo, c);
    EXPECT_EQ(expected.position, states[c].position);
    EXPECT_EQ(expected.entry_bar, states[c].entry_bar);
    expect_bits(expected.entry, states[c].entry, "entry");
  }
  EXPECT_EQ(open, batch.value().open.size());
}

TEST_P(LiveOn, HistoryChunksAndSnapshotsDoNotShow) {
  const std::vector<double> close = make_series(GetParam(), 3000, 22);
  Random random(7);
  std::size_t done = 1 + random() % 2000;
  LiveSession session = opened(std::span(close).first(done));
  expect_stands_at(session, std::span(close).first(done));
  while (done < close.size()) {
    const std::size_t count = std::min<std::size_t>(1 + random() % 300, close.size() - done);
    ASSERT_TRUE(session.bars(static_cast<std::int64_t>(done), std::span(close).subspan(done, count)).ok());
    done += count;
    const Result<std::vector<std::byte>> snapshot = session.snapshot();
    ASSERT_TRUE(snapshot.ok());
    Result<LiveSession> restored = LiveSession::restore(snapshot.value());
    ASSERT_TRUE(restored.ok()) << restored.status().message();
    session = std::move(restored).value();
  }
  expect_stands_at(session, close);
}

INSTANTIATE_TEST_SUITE_P(Attacks, LiveOn, testing::ValuesIn(all_attacks()),
                         [](const auto& case_info) { return case_info.param.name; });

TEST(Live, AThousandPrefixesDoNotLookAhead) {
  const std::vector<double> close = make_series(all_attacks().front(), 2500, 23);
  Random random(8);
  std::vector<bool> asked(close.size());
  for (int left = 1000; left > 0;) {
    const std::size_t bar = random() % close.size();
    left -= asked[bar] ? 0 : 1;
    asked[bar] = true;
  }
  LiveSession session = opened();
  for (std::size_t i = 0; i < close.size(); ++i) {
    ASSERT_TRUE(session.bar(static_cast<std::int64_t>(i), close[i]).ok());
    if (!asked[i]) continue;
    std::vector<double> pnl(combos().size());
    std::vector<std::int64_t> trades(combos().size());
    ASSERT_TRUE(sweep(std::span(close).first(i + 1), combos(), {.fee = kFee}, pnl, trades).ok());
    const std::vector<LiveState> states = session.states();
    for (std::size_t c = 0; c < states.size(); ++c) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(states[c].pnl), std::bit_cast<std::uint64_t>(pnl[c])) << "bar " << i;
      ASSERT_EQ(states[c].trades, trades[c]) << "bar " << i;
    }
  }
}

TEST(Live, ABarThatIsNotDueIsRefusedAndChangesNothing) {
  const std::vector<double> close = make_series(all_attacks().front(), 100, 24);
  LiveSession session = opened(close);
  const auto before = session.snapshot().value();
  for (const std::int64_t index : {99, 0, -1, 101, 5000}) {
    const auto refused = session.bar(index, 50.0);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), StatusCode::kOutOfOrder);
    EXPECT_NE(refused.status().message().find("bar 100 is due"), std::string::npos) << refused.status().message();
  }
  EXPECT_EQ(session.bar(99, 1.0).status().message(), "bar 99 was taken already; bar 100 is due");
  EXPECT_EQ(session.bar(102, 1.0).status().message(), "bar 102 would leave bars out; bar 100 is due");
  EXPECT_EQ(session.snapshot().value(), before);
  EXPECT_TRUE(session.bar(100, 50.0).ok());
}

TEST(Live, StopsBeforeTheChangesOverflow) {
  const std::vector<double> close = make_series(all_attacks().front(), 1500, 25);
  LiveSession session = opened();
  std::vector<Change> changes;
  int calls = 0;
  while (session.next_bar() < std::ssize(close)) {
    const std::int64_t first = session.next_bar();
    const auto made = session.bars(first, std::span(close).subspan(static_cast<std::size_t>(first)), 20);
    ASSERT_TRUE(made.ok());
    ASSERT_LE(made.value().size(), 20u);
    ASSERT_GT(session.next_bar(), first);
    changes.insert(changes.end(), made.value().begin(), made.value().end());
    ++calls;
  }
  EXPECT_GT(calls, 5);
  expect_stands_at(session, close);
  expect_same_records(by_combo(changes), list_trades(close, combos(), {.fee = kFee}).value().closed);
  EXPECT_EQ(session.bars(1500, std::span(close).first(1), 7).status().code(), StatusCode::kLimitExceeded);
}

TEST(Live, RefusesWhatCannotBe) {
  const Combo fine{1, 1, 1, 1, 1, 1};
  const auto code = [](const Combo& combo, LiveOptions options) {
    return LiveSession::open({&combo, 1}, options).status().code();
  };
  EXPECT_EQ(code({1, 1, 0, 1, 1, 1}, {}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(fine, {.fee = std::numeric_limits<double>::quiet_NaN()}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(fine, {.threads = -1}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({1, kLongestLiveWindow + 1, 1, 1, 1, 1}, {}), StatusCode::kLimitExceeded);
  EXPECT_EQ(code(fine, {.max_bytes = 100}), StatusCode::kLimitExceeded);
  const Combo longest{1, kLongestLiveWindow, 1, 1, 1, 1};
  EXPECT_TRUE(LiveSession::open({&longest, 1}, {}).ok());
}

TEST(Live, WithoutCombosItOnlyCounts) {
  LiveSession session = std::move(LiveSession::open({}, {})).value();
  EXPECT_TRUE(session.bars(0, std::vector<double>{1.0, 2.0}).value().empty());
  EXPECT_EQ(session.next_bar(), 2);
  EXPECT_EQ(LiveSession::restore(session.snapshot().value()).value().next_bar(), 2);
}

TEST(Live, MemoryIsFlatAndSmall) {
  std::vector<Combo> many;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    many.push_back({i % 97 + 3, i % 190 + 6, i % 13 + 2, i % 33 + 1, i % 50 + 1, i % 100 + 3});
  }
  LiveSession session = std::move(LiveSession::open(many, {})).value();
  const std::vector<double> close = make_series(all_attacks().front(), 700, 26);
  ASSERT_TRUE(session.bars(0, std::span(close).first(300), 20'000).ok());
  const std::uint64_t bytes = session.bytes();
  EXPECT_LT(bytes, 10'000u * 1024u);
  while (session.next_bar() < 700) {
    const std::int64_t first = session.next_bar();
    ASSERT_TRUE(session.bars(first, std::span(close).subspan(static_cast<std::size_t>(first)), 20'000).ok());
  }
  EXPECT_EQ(session.bytes(), bytes);
}

TEST(LiveSnapshot, DamagedBytesAreRefused) {
  const std::vector<double> close = make_series(all_attacks().front(), 300, 27);
  const std::vector<std::byte> good = opened(close).snapshot().value();
  ASSERT_TRUE(LiveSession::restore(good).ok());
  for (std::size_t length = 0; length < good.size(); length += 7) {
    EXPECT_EQ(LiveSession::restore(std::span(good).first(length)).status().code(), StatusCode::kInvalidArgument) << length;
  }
  Random random(9);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::byte> bad = good;
    bad[random() % bad.size()] ^= static_cast<std::byte>(1 + random() % 255);
    EXPECT_EQ(LiveSession::restore(bad).status().code(), StatusCode::kInvalidArgument);
  }
  std::vector<std::byte> longer = good;
  longer.resize(good.size() + 8);
  EXPECT_FALSE(LiveSession::restore(longer).ok());
}

// With a checksum that fits, so that the checks behind it are reached.
TEST(LiveSnapshot, NonsenseWithAChecksumIsRefused) {
  const std::vector<double> close = make_series(all_attacks().front(), 300, 28);
  const engine::LiveSnapshot good = engine::decode_snapshot(opened(close).snapshot().value()).value();
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  const auto refused = [](const engine::LiveSnapshot& snapshot) {
    return !LiveSession::restore(engine::encode_snapshot(snapshot)).ok();
  };
  EXPECT_FALSE(refused(good));
  engine::LiveSnapshot bad = good;
  bad.next_bar = -1;
  EXPECT_TRUE(refused(bad));
  bad = good, bad.recent.pop_back();
  EXPECT_TRUE(refused(bad));
  bad = good, bad.states[0].position = 2;
  EXPECT_TRUE(refused(bad));
  bad = good, bad.states[0].entry_bar = bad.next_bar;
  EXPECT_TRUE(refused(bad));
  bad = good, bad.states[0].trades = -1;
  EXPECT_TRUE(refused(bad));
  bad = good, bad.combos[0].half = 0;
  EXPECT_TRUE(refused(bad));
  bad = good, bad.combos[0] = {kLowest, kLowest, kLowest, kLowest, kLowest, kLowest};
  EXPECT_TRUE(refused(bad));
  bad = good, bad.fee = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(refused(bad));
  bad = {};  // without combos, so that no closes are missing
  EXPECT_FALSE(refused(bad));
  bad.next_bar = std::numeric_limits<std::int64_t>::max();  // one more bar and the index would overflow
  EXPECT_TRUE(refused(bad));
}

}  // namespace
}  // namespace onekernel
