#include "onekernel/trades.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "kernel/attack_series.h"

namespace onekernel {
namespace {

TEST(ListTrades, AddsUpToTheSweep) {
  const std::vector<double> close = kernel::make_series(kernel::all_attacks().front(), 20'000, 31);
  const std::vector<Combo> combos{{3, 6, 2, 1, 2, 3}, {25, 50, 7, 8, 12, 25}, {100, 30'000, 14, 33, 50, 100}};
  std::vector<double> pnl(3);
  std::vector<std::int64_t> trades(3);
  ASSERT_TRUE(sweep(close, combos, {.fee = 0.09}, pnl, trades).ok());
  const Result<TradeList> list = list_trades(close, combos, {.fee = 0.09});
  ASSERT_TRUE(list.ok());
  std::vector<double> sums(3, 0.0);
  std::vector<std::int64_t> counts(3, 0);
  for (const Trade& trade : list.value().closed) {
    sums[trade.combo] += trade.pnl;
    ++counts[trade.combo];
    ASSERT_EQ(trade.entry, close[static_cast<std::size_t>(trade.entry_bar)]);
    ASSERT_EQ(trade.exit, close[static_cast<std::size_t>(trade.exit_bar)]);
  }
  EXPECT_EQ(counts, trades);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(sums[c]), std::bit_cast<std::uint64_t>(pnl[c]));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(list.value().pnl[c]), std::bit_cast<std::uint64_t>(pnl[c]));
  }
  ASSERT_EQ(list.value().open.size(), 2u) << "the third combo's windows never fill";
  EXPECT_GT(list.value().open[0].entry_bar, 0);
}

TEST(ListTrades, RefusesMoreThanTheLimit) {
  const std::vector<double> close = kernel::make_series(kernel::all_attacks().front(), 2000, 32);
  const Combo combo{3, 6, 2, 1, 2, 3};
  const std::size_t count = list_trades(close, {&combo, 1}, {}).value().closed.size();
  EXPECT_TRUE(list_trades(close, {&combo, 1}, {}, count).ok());
  EXPECT_EQ(list_trades(close, {&combo, 1}, {}, count - 1).status().code(), StatusCode::kLimitExceeded);
}

TEST(ListTrades, ChecksWhatASweepChecks) {
  const Combo combo{3, 6, 0, 1, 2, 3};
  EXPECT_EQ(list_trades({}, {&combo, 1}, {}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace onekernel
