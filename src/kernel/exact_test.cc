#include "kernel/exact.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/attack_series.h"
#include "kernel/naive.h"
#include "kernel/windows.h"
#include "onekernel/target.h"

namespace onekernel::kernel {
namespace {

class EveryTarget : public testing::Test {
 protected:
  void TearDown() override { ASSERT_TRUE(force_target("auto").ok()); }
};

// Closes with room around them, as the loops need.
std::vector<double> padded(const std::vector<double>& close) {
  std::vector<double> x(close.size() + 2 * kStripPad, 0.0);
  std::copy(close.begin(), close.end(), x.begin() + kStripPad);
  return x;
}

TEST_F(EveryTarget, AverageRowsHaveTheBitsOfThePlainLoop) {
  for (const Attack& attack : all_attacks()) {
    const std::vector<double> close = make_series(attack, 700, 2);
    const std::vector<double> x = padded(close);
    std::vector<std::vector<double>> values;
    std::vector<AverageRow> rows;
    for (const std::int64_t window : {1, 2, 3, 7, 64, 65, 200, 650}) {
      const std::int64_t first = std::max<std::int64_t>(window - 1, 300 - window / 2);
      values.emplace_back(static_cast<std::size_t>(700 - first + 2 * kStripPad));
      rows.push_back({window, first, nullptr});
    }
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r].out = values[r].data() + kStripPad;
    for (const std::string_view target : available_targets()) {
      ASSERT_TRUE(force_target(target).ok());
      average_rows(x.data() + kStripPad, 700, rows);
      for (const AverageRow& row : rows) {
        std::vector<double> expected(700);
        wma(close, row.window, expected);
        for (std::int64_t i = row.first; i < 700; ++i) {
          const double got = row.out[i - row.first], want = expected[static_cast<std::size_t>(i)];
          if (std::isnan(want) && std::isnan(got)) continue;
          ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want))
              << attack.name << ", window " << row.window << ", bar " << i << ", " << target;
        }
      }
    }
  }
}

TEST_F(EveryTarget, DecidesAnyRangeOfBars) {
  const Combo combos[] = {{3, 6, 2, 1, 2, 3}, {25, 50, 7, 8, 12, 25}, {1, 1, 1, 1, 1, 1}, {4, 90, 3, 40, 2, 11}};
  std::vector<const Combo*> list;
  for (const Combo& combo : combos) list.push_back(&combo);
  for (const Attack& attack : all_attacks()) {
    const std::vector<double> close = make_series(attack, 900, 7);
    const std::vector<double> x = padded(close);
    std::vector<std::vector<double>> slow, fast;
    for (const Combo& combo : combos) {
      slow.emplace_back(900), fast.emplace_back(900);
      hma(close, combo, slow.back());
      hma3(close, combo, fast.back());
    }
    for (const std::string_view target : available_targets()) {
      ASSERT_TRUE(force_target(target).ok());
      ExactDecider decider;
      for (const auto& [first, end] :
           {std::pair<std::int64_t, std::int64_t>{100, 900}, {101, 102}, {640, 703}, {899, 900}, {130, 259}}) {
        std::size_t seen = 0;
        decider.decide(x.data() + kStripPad, first, end, list, [&](std::size_t place, const DecisionWords& words) {
          ++seen;
          for (std::int64_t i = first; i < end; ++i) {
            const double h = slow[place][static_cast<std::size_t>(i)], h3 = fast[place][static_cast<std::size_t>(i)];
            const auto w = static_cast<std::size_t>((i - first) / 64);
            const bool decided = (words.decided[w] >> ((i - first) % 64) & 1) != 0;
            ASSERT_EQ(decided, !std::isnan(h) && !std::isnan(h3)) << attack.name << " bar " << i << " " << target;
            if (decided) {
              ASSERT_EQ((words.want_long[w] >> ((i - first) % 64) & 1) != 0, h3 > h)
                  << attack.name << " bar " << i << " " << target;
            }
          }
        });
        EXPECT_EQ(seen, list.size());
      }
    }
  }
}

TEST(Reach, IsTheFirstBarWithBothAverages) {
  const std::vector<double> close(500, 1.0);
  for (const Combo& combo :
       {Combo{3, 6, 2, 1, 2, 3}, Combo{1, 1, 1, 1, 1, 1}, Combo{40, 5, 3, 2, 60, 7}, Combo{1, 9, 30, 1, 1, 2}}) {
    std::vector<double> slow(500), fast(500);
    hma(close, combo, slow);
    hma3(close, combo, fast);
    std::int64_t first = 0;
    while (std::isnan(slow[static_cast<std::size_t>(first)]) || std::isnan(fast[static_cast<std::size_t>(first)])) ++first;
    EXPECT_EQ(reach(combo), first);
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_GT(reach({kMost, kMost, kMost, kMost, kMost, kMost}), std::int64_t{1} << 59) << "does not overflow";
}

}  // namespace
}  // namespace onekernel::kernel
