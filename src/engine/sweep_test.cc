#include "onekernel/sweep.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace onekernel {
namespace {

const std::vector<double> kClose{2.0, 1.0, 1.0};
const Combo kCombo{1, 2, 1, 1, 1, 1};

TEST(Sweep, RunsEveryCombo) {
  const std::vector<Combo> combos{kCombo, {1, 1, 1, 1, 1, 1}};
  std::vector<double> pnl(2);
  std::vector<std::int64_t> trades(2);
  ASSERT_TRUE(sweep(kClose, combos, {.fee = 0.5}, pnl, trades).ok());
  EXPECT_EQ(pnl, (std::vector<double>{-0.5, 0.0}));
  EXPECT_EQ(trades, (std::vector<std::int64_t>{1, 0}));
}

TEST(Sweep, NamesTheWindowThatIsTooShort) {
  std::vector<Combo> combos{kCombo, kCombo};
  combos[1].third = 0;
  std::vector<double> pnl(2, 7.0);
  std::vector<std::int64_t> trades(2);
  const Status status = sweep(kClose, combos, {}, pnl, trades);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "combo 1: window 'third' is 0, but a window is at least 1 bar long");
  EXPECT_EQ(pnl[0], 7.0) << "results are not touched on an error";
}

TEST(Sweep, RefusesResultsOfAnotherSize) {
  std::vector<double> pnl(2);
  std::vector<std::int64_t> trades(1);
  EXPECT_EQ(sweep(kClose, {&kCombo, 1}, {}, pnl, trades).code(), StatusCode::kInvalidArgument);
}

TEST(Sweep, RefusesAFeeThatIsNoNumber) {
  std::vector<double> pnl(1);
  std::vector<std::int64_t> trades(1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sweep(kClose, {&kCombo, 1}, {.fee = nan}, pnl, trades).code(), StatusCode::kInvalidArgument);
}

TEST(Sweep, NoCombosIsNoError) { EXPECT_TRUE(sweep(kClose, {}, {}, {}, {}).ok()); }

}  // namespace
}  // namespace onekernel
