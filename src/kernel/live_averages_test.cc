#include "kernel/live_averages.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "kernel/attack_series.h"
#include "kernel/naive.h"
#include "onekernel/target.h"

namespace onekernel::kernel {
namespace {

void expect_bits(double got, double want, const std::string& where) {
  if (std::isnan(got) && std::isnan(want)) return;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want)) << where;
}

class LiveAveragesOf : public testing::TestWithParam<Attack> {
 protected:
  void TearDown() override { ASSERT_TRUE(force_target("auto").ok()); }
};

TEST_P(LiveAveragesOf, HaveTheBitsOfThePlainLoopAtEveryBar) {
  const std::vector<Combo> combos{{3, 6, 2, 1, 2, 3}, {1, 1, 1, 1, 1, 1},     {25, 50, 7, 8, 12, 25}, {4, 90, 3, 40, 2, 11},
                                  {8, 9, 8, 8, 9, 9}, {25, 50, 7, 16, 17, 8}, {2, 3, 600, 2, 3, 4},   {1, 2, 2, 3, 4, 700}};
  const std::vector<double> close = make_series(GetParam(), 640, 5);
  for (const std::string_view target : available_targets()) {
    ASSERT_TRUE(force_target(target).ok());
    LiveAverages live(combos);
    std::vector<std::vector<double>> slow(combos.size(), std::vector<double>(close.size())), fast = slow;
    for (std::size_t c = 0; c < combos.size(); ++c) {
      hma(close, combos[c], slow[c]);
      hma3(close, combos[c], fast[c]);
    }
    for (std::size_t i = 0; i < close.size(); ++i) {
      live.take(close[i]);
      for (std::size_t c = 0; c < combos.size(); ++c) {
        const std::string where = "bar " + std::to_string(i) + ", combo " + std::to_string(c) + ", " + std::string(target);
        expect_bits(live.hma(c), slow[c][i], where);
        expect_bits(live.hma3(c), fast[c][i], where);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Attacks, LiveAveragesOf, testing::ValuesIn(all_attacks()),
                         [](const auto& case_info) { return case_info.param.name; });

TEST(LiveAverages, ShareEqualWindows) {
  const Combo combo{25, 50, 7, 8, 12, 25};
  const std::vector<Combo> many(1000, combo);
  LiveAverages one({&combo, 1});
  LiveAverages shared(many);
  EXPECT_LT(shared.bytes(), one.bytes() + 1000 * 8 + 64);
  EXPECT_LE(one.bytes(), LiveAverages::most_bytes({&combo, 1}) + 1024);
}

TEST(LiveAverages, NoCombosAreFine) {
  LiveAverages none({});
  none.take(1.0);
  EXPECT_EQ(LiveAverages::most_bytes({}), 0u);
}

}  // namespace
}  // namespace onekernel::kernel
