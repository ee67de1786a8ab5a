#include "kernel/naive.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernel/kernel.h"

namespace onekernel::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// A walk on integers over 1024: the same bytes on every machine, so its golden values hold to the bit.
std::vector<double> integer_walk(std::size_t bars) {
  std::vector<double> close;
  std::uint32_t state = 12345;
  std::int64_t level = 1 << 20;
  for (std::size_t i = 0; i < bars; ++i) {
    state = (state * 1103515245u + 12345u) & 0x7fffffffu;
    level += static_cast<std::int64_t>(state >> 16) % 2001 - 1000;
    close.push_back(static_cast<double>(level) / 1024.0);
  }
  return close;
}

struct Golden {
  Combo combo;
  double pnl;
  std::int64_t trades;
};

// From a separate program in plain Python: lengths 2, 3, 6, 9, 25, 64, 200, 1999, 3000 over 2,000 bars, fee 0.09.
const Golden kGolden[] = {
    {{1, 2, 1, 1, 1, 1}, -0x1.6a82540d8408dp+6, 1009},
    {{2, 3, 2, 1, 1, 2}, -0x1.4998f6ea5760fp+6, 921},
    {{3, 6, 2, 1, 2, 3}, -0x1.2046cfa7144aep+6, 799},
    {{4, 9, 3, 1, 2, 4}, -0x1.7afb762a37e09p+5, 550},
    {{12, 25, 5, 4, 6, 12}, -0x1.f423f9d61c183p+3, 184},
    {{32, 64, 8, 11, 16, 32}, -0x1.7e9457c5505fep+2, 57},
    {{100, 200, 14, 33, 50, 100}, -0x1.50a57c6207544p+2, 14},
    {{1000, 1999, 45, 333, 500, 1000}, 0.0, 0},
    {{1500, 3000, 55, 500, 750, 1500}, 0.0, 0},
};

class EveryKernel : public testing::TestWithParam<Kernel> {
 protected:
  static Golden run(const std::vector<double>& close, const Combo& combo, double fee) {
    Golden result{combo, 0.0, 0};
    sweep(GetParam(), close, {&combo, 1}, fee, {&result.pnl, 1}, {&result.trades, 1});
    return result;
  }
};

TEST_P(EveryKernel, ReproducesTheGoldenBits) {
  const std::vector<double> close = integer_walk(2000);
  for (const Golden& golden : kGolden) {
    const Golden result = run(close, golden.combo, 0.09);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(result.pnl), std::bit_cast<std::uint64_t>(golden.pnl)) << golden.combo.full;
    EXPECT_EQ(result.trades, golden.trades) << golden.combo.full;
  }
}

TEST_P(EveryKernel, ATieIsShort) {
  // All windows 1 make both averages the close itself, so every bar is a tie: short from the first bar, never reversed.
  const Combo ones{1, 1, 1, 1, 1, 1};
  const Golden result = run({5.0, 6.0, 7.0}, ones, 0.09);
  EXPECT_EQ(result.trades, 0);
  EXPECT_EQ(result.pnl, 0.0);
}

TEST_P(EveryKernel, OneTradeAtOneCloseCostsExactlyTheFee) {
  // hma3 - hma is (previous - current) / 3 for these windows: long at the fall to 1, short again at the tie.
  const Combo combo{1, 2, 1, 1, 1, 1};
  const Golden result = run({2.0, 1.0, 1.0}, combo, 0.09);
  EXPECT_EQ(result.trades, 1);
  EXPECT_EQ(result.pnl, -0.09);
}

TEST_P(EveryKernel, ThePositionStaysWhereAnAverageIsNan) {
  const Combo combo{1, 2, 1, 1, 1, 1};
  // Bars 3 and 4 have no average, so the long of bar 1 survives them and closes at the rise to 3: (3 - 1) / 1 * 100 - fee.
  const Golden result = run({2.0, 1.0, 0.5, kNan, 2.0, 3.0}, combo, 0.09);
  EXPECT_EQ(result.trades, 1);
  EXPECT_EQ(result.pnl, (3.0 - 1.0) / 1.0 * 100.0 - 0.09);
}

TEST_P(EveryKernel, NothingHappensWithoutFullWindows) {
  const Combo huge{1, std::numeric_limits<std::int64_t>::max(), 1, 1, 1, 1};
  for (const std::vector<double>& close : {std::vector<double>{}, {1.0}, {1.0, 2.0, 1.0}}) {
    const Golden result = run(close, huge, 0.09);
    EXPECT_EQ(result.trades, 0);
    EXPECT_EQ(result.pnl, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernel, testing::ValuesIn(all_kernels().begin(), all_kernels().end()),
                         [](const auto& case_info) { return std::string(kernel_name(case_info.param)); });

TEST(Wma, WeighsTheNewestMost) {
  std::vector<double> out(4);
  wma(std::vector<double>{1.0, 2.0, 4.0, 8.0}, 3, out);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], (1.0 * 1.0 + 2.0 * 2.0 + 3.0 * 4.0) / 6.0);
  EXPECT_EQ(out[3], (1.0 * 2.0 + 2.0 * 4.0 + 3.0 * 8.0) / 6.0);
}

TEST(Wma, InfinitiesAndNanStayInTheirWindows) {
  std::vector<double> out(5);
  wma(std::vector<double>{kInf, 1.0, kNan, 1.0, 1.0}, 2, out);
  EXPECT_EQ(out[1], kInf);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_TRUE(std::isnan(out[3]));
  EXPECT_EQ(out[4], 1.0);
}

TEST(Wma, ABoundsViolationThrows) {
  std::vector<double> short_out(2);
  EXPECT_THROW(wma(std::vector<double>{1.0, 2.0, 3.0}, 1, short_out), std::out_of_range);
}

}  // namespace
}  // namespace onekernel::kernel
