#include "onekernel/sweep.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "onekernel/target.h"

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

TEST(Sweep, ReportsHowItWasDone) {
  std::vector<double> close;
  for (int i = 0; i < 5000; ++i) close.push_back(100.0 + i % 17 * 0.25 + i % 5 * 0.125);
  const std::vector<Combo> combos(100, Combo{10, 20, 4, 3, 5, 10});
  const std::int64_t decisions = 100 * (5000 - 22);  // the first bar with both averages is 22
  for (const Kernel kernel : all_kernels()) {
    std::vector<double> pnl(100);
    std::vector<std::int64_t> trades(100);
    SweepReport report;
    ASSERT_TRUE(sweep(close, combos, {.fee = 0.09, .kernel = kernel, .threads = 2}, pnl, trades, &report).ok());
    EXPECT_EQ(report.kernel, kernel);
    const bool simd = kernel == Kernel::kExact || kernel == Kernel::kCertified;
    EXPECT_EQ(report.target, simd ? current_target() : "none");
    EXPECT_EQ(report.threads, simd ? 2 : 1);
    const LevelCounts& levels = report.levels;
    EXPECT_EQ(levels.by_bound + levels.by_dot + levels.by_reference + levels.by_exact, simd ? decisions : 0);
    if (simd) {
      EXPECT_EQ(levels.flips, 100 * (trades[0] + 1)) << "every trade closes at a flip, and the first entry is one";
    }
    if (kernel == Kernel::kExact) {
      EXPECT_EQ(levels.by_exact, decisions);
    }
  }
}

TEST(Sweep, SmallWorkStaysOnOneThread) {
  std::vector<double> pnl(1);
  std::vector<std::int64_t> trades(1);
  SweepReport report;
  ASSERT_TRUE(sweep(kClose, {&kCombo, 1}, {.threads = 8}, pnl, trades, &report).ok());
  EXPECT_EQ(report.threads, 1);
}

class ThreadsFromEnvironment : public testing::Test {
 protected:
  void TearDown() override { unsetenv("ONEKERNEL_THREADS"); }

  Status run(SweepReport& report, int threads = 0) {
    const std::vector<double> close(4000, 1.0);
    const std::vector<Combo> combos(200, kCombo);
    std::vector<double> pnl(200);
    std::vector<std::int64_t> trades(200);
    return sweep(close, combos, {.threads = threads}, pnl, trades, &report);
  }
};

TEST_F(ThreadsFromEnvironment, CountsWhenTheOptionIsZero) {
  SweepReport report;
  setenv("ONEKERNEL_THREADS", "3", 1);
  ASSERT_TRUE(run(report).ok());
  EXPECT_EQ(report.threads, 3);
  ASSERT_TRUE(run(report, 1).ok());
  EXPECT_EQ(report.threads, 1);
}

TEST_F(ThreadsFromEnvironment, MustBeAWholeNumber) {
  SweepReport report;
  for (const char* value : {"two", "0", "-1", "3x", "1.5", "99999999999"}) {
    setenv("ONEKERNEL_THREADS", value, 1);
    const Status status = run(report);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << value;
    EXPECT_NE(status.message().find(value), std::string::npos);
  }
}

TEST(Sweep, RefusesANegativeNumberOfThreads) {
  std::vector<double> pnl(1);
  std::vector<std::int64_t> trades(1);
  EXPECT_EQ(sweep(kClose, {&kCombo, 1}, {.threads = -1}, pnl, trades).code(), StatusCode::kInvalidArgument);
}

TEST(Sweep, NoCombosIsNoError) { EXPECT_TRUE(sweep(kClose, {}, {}, {}, {}).ok()); }

}  // namespace
}  // namespace onekernel
