#include "kernel/trade_log.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "kernel/attack_series.h"
#include "kernel/naive.h"
#include "kernel/schedule.h"

namespace onekernel::kernel {
namespace {

// The trades of the plain loop: its averages, bar by bar.
std::vector<Trade> plain_trades(const std::vector<double>& close, const Combo& combo, std::uint32_t place, double fee) {
  std::vector<double> slow(close.size()), fast(close.size());
  hma(close, combo, slow);
  hma3(close, combo, fast);
  std::vector<Trade> trades;
  Book book;
  for (std::size_t i = 0; i < close.size(); ++i) {
    if (std::isnan(slow[i]) || std::isnan(fast[i])) continue;
    const auto bar = static_cast<std::int64_t>(i);
    const double want = fast[i] > slow[i] ? 1.0 : -1.0;
    if (book.position == -want) {
      const double pnl = book.position * (close[i] - book.entry) / book.entry * 100.0 - fee;
      trades.push_back({place, static_cast<std::int32_t>(book.position), book.entry_bar, bar, book.entry, close[i], pnl});
    }
    book.decide(want, close[i], bar, fee);
  }
  return trades;
}

class TradesOf : public testing::TestWithParam<Attack> {};

TEST_P(TradesOf, AreThoseOfThePlainLoopAndAddUpToThePnl) {
  const std::vector<double> close = make_series(GetParam(), 3000, 11);
  const std::vector<Combo> combos{{3, 6, 2, 1, 2, 3}, {1, 1, 1, 1, 1, 1}, {25, 50, 7, 8, 12, 25}, {400, 900, 5, 7, 3, 2000}};
  for (const bool certify : {true, false}) {
    std::vector<TradeLog> logs;
    for (std::uint32_t c = 0; c < combos.size(); ++c) logs.emplace_back(c, 0.09);
    std::vector<Book> books(combos.size());
    (void)run_batches(certify, close, combos, 0.09, 2, {},
                      {.book = [&](std::size_t c, const Book& book) { books[c] = book; }, .logs = logs});
    for (std::uint32_t c = 0; c < combos.size(); ++c) {
      const std::vector<Trade> expected = plain_trades(close, combos[c], c, 0.09);
      const std::vector<Trade>& got = logs[c].trades();
      ASSERT_EQ(got.size(), expected.size());
      double pnl = 0.0;
      for (std::size_t t = 0; t < got.size(); ++t) {
        ASSERT_EQ(got[t].combo, c);
        ASSERT_EQ(got[t].position, expected[t].position);
        ASSERT_EQ(got[t].entry_bar, expected[t].entry_bar);
        ASSERT_EQ(got[t].exit_bar, expected[t].exit_bar);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[t].entry), std::bit_cast<std::uint64_t>(expected[t].entry));
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[t].exit), std::bit_cast<std::uint64_t>(expected[t].exit));
        if (!std::isnan(got[t].pnl) || !std::isnan(expected[t].pnl)) {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(got[t].pnl), std::bit_cast<std::uint64_t>(expected[t].pnl));
        }
        pnl += got[t].pnl;
      }
      ASSERT_EQ(books[c].trades, static_cast<std::int64_t>(got.size()));
      if (!std::isnan(pnl)) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(books[c].pnl), std::bit_cast<std::uint64_t>(pnl));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Attacks, TradesOf, testing::ValuesIn(all_attacks()),
                         [](const auto& case_info) { return case_info.param.name; });

}  // namespace
}  // namespace onekernel::kernel
