// Live sessions over every transport: the same bytes as in this process, whatever happens in between.
#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "onekernel/live.h"
#include "onekernel/trades.h"
#include "tests/conformance/fixture.h"

namespace onekernel::testing {
namespace {

constexpr double kFee = 0.09;
constexpr RemoteLiveOptions kCharged{.fee = kFee};

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return same_bytes(std::span<const T>(a), std::span<const T>(b));
}

LiveSession local(std::span<const Combo> combos, std::span<const double> history = {}) {
  return LiveSession::open(combos, {.fee = kFee}, history).value();
}

class Live : public ::testing::TestWithParam<std::string> {
 protected:
  Client connect(const ClientOptions& options = kPatient) const { return engine_.connect(GetParam(), options); }

  // The remote session stands where a sweep of so many bars ends.
  static void expect_swept(RemoteLive& live, std::span<const double> close, std::span<const Combo> combos) {
    const Results swept = in_process(close, combos, {.fee = kFee});
    const std::vector<LiveState> states = live.states().value();
    ASSERT_EQ(live.next_bar(), std::ssize(close));
    std::vector<double> pnl;
    std::vector<std::int64_t> trades;
    for (const LiveState& state : states) {
      pnl.push_back(state.pnl);
      trades.push_back(state.trades);
    }
    expect_same_bits(pnl, trades, swept);
  }

  Engine engine_;
};

INSTANTIATE_TEST_SUITE_P(, Live, ::testing::ValuesIn(transports()), [](const auto& transport) { return transport.param; });

TEST_P(Live, EveryBarTellsWhatASessionHereTells) {
  Client client = connect();
  const std::vector<double> close = walk(3000, 21);
  const std::vector<Combo> combos = some_combos();
  LiveSession here = local(combos);
  RemoteLive there = client.live(combos, kCharged).value();
  EXPECT_EQ(there.n_combos(), combos.size());
  EXPECT_EQ(there.fee(), kFee);
  EXPECT_GT(there.bytes(), 0u);
  for (std::int64_t i = 0; i < std::ssize(close); ++i) {
    const double price = close[static_cast<std::size_t>(i)];
    const Result<std::span<const Change>> told = there.bar(i, price);
    ASSERT_TRUE(told.ok()) << told.status().message();
    ASSERT_TRUE(same_bytes(told.value(), here.bar(i, price).value())) << "bar " << i;
    if (i % 500 == 0) {
      ASSERT_TRUE(same_bytes(there.states().value(), here.states())) << "bar " << i;
    }
  }
  expect_swept(there, close, combos);
}

TEST_P(Live, ChunksAndFramesDoNotShow) {
  const Engine small({"--max-frame-bytes", "20000"});
  const std::vector<double> close = walk(30'000, 22);
  const std::vector<Combo> combos = some_combos();
  std::mt19937 random(5);
  for (const Engine* engine : std::initializer_list<const Engine*>{&engine_, &small}) {
    Client client = engine->connect(GetParam());
    LiveSession here = local(combos);
    RemoteLive there = client.live(combos, kCharged).value();
    for (std::size_t at = 0; at < close.size();) {
      const std::size_t count = std::min<std::size_t>(random() % 9000, close.size() - at);
      const std::span<const double> chunk = std::span(close).subspan(at, count);
      const auto first = static_cast<std::int64_t>(at);
      const Result<std::span<const Change>> told = there.bars(first, chunk);
      ASSERT_TRUE(told.ok()) << told.status().message();
      ASSERT_TRUE(same_bytes(told.value(), here.bars(first, chunk).value())) << at << " + " << count;
      at += count;
    }
    expect_swept(there, close, combos);
  }
}

TEST_P(Live, AnyHistoryWillDo) {
  Client client = connect();
  const std::vector<double> close = walk(20'000, 23);
  const std::vector<Combo> combos = some_combos();
  const std::span<const double> history = std::span(close).first(19'000);
  const RemoteSeries stored = client.put("history", history).value();
  LiveSession here = local(combos);
  (void)here.bars(0, history);
  std::vector<RemoteLive> all;
  all.push_back(client.live(combos, kCharged, history).value());
  all.push_back(client.live(combos, kCharged, stored).value());
  all.push_back(client.restore(here.snapshot().value()).value());
  ASSERT_TRUE(client.drop(stored).ok());
  for (RemoteLive& there : all) {
    ASSERT_TRUE(same_bytes(there.states().value(), here.states()));
    EXPECT_EQ(there.next_bar(), 19'000);
    EXPECT_EQ(there.snapshot().value(), here.snapshot().value());
  }
  for (std::int64_t i = 19'000; i < std::ssize(close); ++i) {
    const double price = close[static_cast<std::size_t>(i)];
    const std::span<const Change> expected = here.bar(i, price).value();
    for (RemoteLive& there : all) ASSERT_TRUE(same_bytes(there.bar(i, price).value(), expected)) << "bar " << i;
  }
}

TEST_P(Live, AKilledEngineCostsNothing) {
  const std::vector<double> close = walk(12'000, 24);
  const std::vector<Combo> combos = some_combos();
  const std::span<const double> all(close);
  std::vector<std::byte> snapshot;
  std::optional<Client> client = connect();
  {
    RemoteLive live = client->live(combos, kCharged, all.first(5000)).value();
    ASSERT_TRUE(live.bars(5000, all.subspan(5000, 2000)).ok());
    snapshot = live.snapshot().value();
    ASSERT_TRUE(live.bars(7000, all.subspan(7000, 1000)).ok());
    engine_.restart(SIGKILL);
    EXPECT_EQ(live.bar(8000, close[8000]).status().code(), StatusCode::kConnectionClosed);
    EXPECT_EQ(live.next_bar(), 8000);
  }
  client = connect();
  RemoteLive reopened = client->live(combos, kCharged, all.first(8000)).value();
  RemoteLive restored = client->restore(snapshot).value();
  ASSERT_EQ(restored.next_bar(), 7000);
  ASSERT_TRUE(restored.bars(7000, all.subspan(7000, 1000)).ok());
  for (RemoteLive* live : {&reopened, &restored}) {
    expect_swept(*live, all.first(8000), combos);
    ASSERT_TRUE(live->bars(8000, all.subspan(8000)).ok());
    expect_swept(*live, close, combos);
  }
}

TEST_P(Live, ABarOutOfOrderChangesNothing) {
  Client client = connect();
  const std::vector<double> close = walk(2000, 25);
  RemoteLive live = client.live(some_combos(), kCharged, close).value();
  const std::vector<LiveState> before = live.states().value();
  const std::vector<double> several{1.0, 2.0, 3.0};
  for (const std::int64_t index : {std::int64_t{1999}, std::int64_t{0}, std::int64_t{2001}, std::int64_t{-1},
                                   std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(live.bar(index, 1.0).status().code(), StatusCode::kOutOfOrder) << index;
    EXPECT_EQ(live.bars(index, several).status().code(), StatusCode::kOutOfOrder) << index;
    EXPECT_EQ(live.bars(index, {}).status().code(), StatusCode::kOutOfOrder) << index;
  }
  EXPECT_TRUE(same_bytes(live.states().value(), before));
  EXPECT_EQ(live.next_bar(), 2000);
  const std::string said = live.bar(1999, 1.0).status().message();
  EXPECT_NE(said.find("bar 2000 is due"), std::string::npos) << said;
  EXPECT_TRUE(live.bars(2000, {}).ok());
  EXPECT_TRUE(live.bar(2000, 1.0).ok());
}

TEST_P(Live, TradesAreTheListOfThisProcess) {
  Client client = connect();
  const std::vector<double> close = walk(20'000, 26);
  const std::vector<Combo> combos = some_combos();
  const TradeList expected = list_trades(close, combos, {.fee = kFee}).value();
  const RemoteSeries stored = client.put("walk", close).value();
  for (const TradeList& list :
       {client.trades(close, combos, kCharged).value(), client.trades(stored, combos, kCharged).value()}) {
    EXPECT_TRUE(same_bytes(list.closed, expected.closed));
    EXPECT_TRUE(same_bytes(list.open, expected.open));
    EXPECT_TRUE(same_bytes(list.pnl, expected.pnl));
  }
  EXPECT_TRUE(client.trades(std::span<const double>(), combos).value().closed.empty());
  EXPECT_TRUE(client.trades(close, {}).value().pnl.empty());
}

TEST_P(Live, LimitsAreToldAndNamed) {
  const Engine small({"--max-live-sessions", "2", "--max-live-bytes", "400000", "--max-frame-bytes", "40000"});
  Client client = small.connect(GetParam());
  EXPECT_EQ(client.engine().max_live_sessions, 2u);
  const auto expect_limit = [](const Status& status, const std::string& flag) {
    EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
    EXPECT_NE(status.message().find(flag), std::string::npos) << status.message();
  };
  const std::vector<Combo> long_windows(1, Combo{10, 20'000, 4, 7, 10, 20'000});
  expect_limit(client.live(long_windows).status(), "--max-live-bytes");
  expect_limit(client.live(std::vector<Combo>{{1, 1, (1 << 20) + 1, 1, 1, 1}}).status(), "1048576");
  const std::vector<Combo> many(700, Combo{1, 1, 1, 1, 1, 1});
  expect_limit(client.live(many).status(), "--max-frame-bytes");
  // 4,000 closes are a frame; the trades that they make are more than one.
  const std::vector<Combo> restless(3, Combo{1, 2, 1, 1, 1, 2});
  expect_limit(client.trades(walk(4000, 33), restless).status(), "limit");

  std::optional<RemoteLive> first = client.live(some_combos()).value();
  RemoteLive second = small.connect(GetParam()).live(some_combos()).value();  // its client goes first
  expect_limit(client.live(some_combos()).status(), "--max-live-sessions");
  EXPECT_TRUE(second.bar(0, 1.0).ok());
  first.reset();
  EXPECT_TRUE(client.live(some_combos()).ok());
}

TEST_P(Live, AClosedOrUnknownSessionIsRefused) {
  Client client = connect();
  RemoteLive live = client.live(some_combos(), kCharged).value();
  RemoteLive moved = std::move(live);
  EXPECT_EQ(client.statistics().value().live_sessions, 1u);
  ASSERT_TRUE(moved.close().ok());
  EXPECT_EQ(client.statistics().value().live_sessions, 0u);
  EXPECT_EQ(client.statistics().value().live_bytes, 0u);
  EXPECT_EQ(moved.bar(0, 1.0).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(moved.states().status().code(), StatusCode::kNotFound);
  EXPECT_EQ(moved.snapshot().status().code(), StatusCode::kNotFound);
  EXPECT_EQ(moved.close().code(), StatusCode::kNotFound);
  const RemoteSeries none{.id = 5, .epoch = client.engine().epoch, .name = {}};
  EXPECT_EQ(client.live(some_combos(), {}, none).status().code(), StatusCode::kNotFound);
  const RemoteSeries stale{.id = 5, .epoch = client.engine().epoch + 1, .name = {}};
  EXPECT_EQ(client.live(some_combos(), {}, stale).status().code(), StatusCode::kStaleEpoch);
  EXPECT_EQ(client.restore(some_bytes(500)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client.live(std::vector<Combo>{{0, 1, 1, 1, 1, 1}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client.live(some_combos(), {.fee = std::numeric_limits<double>::quiet_NaN()}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(client.live(some_combos()).ok());
}

TEST_P(Live, WhoGoesTakesItsSessionsAlong) {
  Client watcher = engine_.connect("unix");
  {
    Client client = connect();
    RemoteLive one = client.live(some_combos(), kCharged).value();
    const RemoteLive other = client.live(some_combos(), kCharged, walk(1000, 27)).value();
    EXPECT_EQ(watcher.statistics().value().live_sessions, 2u);
    EXPECT_GE(watcher.statistics().value().live_bytes, one.bytes() + other.bytes());
  }
  EXPECT_TRUE(becomes_true([&] { return watcher.statistics().value().live_sessions == 0; }));
  EXPECT_EQ(watcher.statistics().value().live_bytes, 0u);
}

TEST_P(Live, MemoryStaysFlat) {
  Client client = connect();
  const std::vector<double> close = walk(15'000, 28);
  RemoteLive live = client.live(some_combos(), kCharged).value();
  const auto run_through = [&] {
    for (const double price : close) ASSERT_TRUE(live.bar(live.next_bar(), price).ok());
    ASSERT_TRUE(live.bars(live.next_bar(), close).ok());
    ASSERT_TRUE(live.snapshot().ok());
  };
  run_through();
  const std::size_t before = engine_.process().resident_bytes();
  for (int i = 0; i < 3; ++i) run_through();
  EXPECT_LE(engine_.process().resident_bytes(), before + (256 << 10));
}

}  // namespace
}  // namespace onekernel::testing
