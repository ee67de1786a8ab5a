// What a caller in C can get wrong. The interface at work, from C: tests/install.
#include "onekernel/c_api.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "onekernel/sweep.h"

namespace {

const std::array<double, 5> kClose{1, 2, 1, 3, 1};
const std::array<ok_combo, 1> kCombos{{{1, 2, 1, 1, 1, 1}}};

TEST(CApi, SweepsAreTheSameBitsAsInCxx) {
  double pnl = 0;
  std::int64_t trades = 0;
  ok_sweep_options options = OK_SWEEP_OPTIONS_INIT;
  options.fee = 0.25;
  for (std::size_t kernel = 0; kernel < ok_kernel_count(); ++kernel) {
    options.kernel = ok_kernel_name(kernel);
    ASSERT_EQ(ok_sweep(kClose.data(), kClose.size(), kCombos.data(), 1, &options, &pnl, &trades, nullptr), OK_SUCCESS);
    double expected_pnl = 0;
    std::int64_t expected_trades = 0;
    const onekernel::Combo combo{1, 2, 1, 1, 1, 1};
    ASSERT_TRUE(onekernel::sweep(kClose, {&combo, 1}, {.fee = 0.25}, {&expected_pnl, 1}, {&expected_trades, 1}).ok());
    EXPECT_EQ(std::memcmp(&pnl, &expected_pnl, sizeof(pnl)), 0);
    EXPECT_EQ(trades, expected_trades);
    EXPECT_GT(trades, 0);
  }
}

TEST(CApi, NullsAreArgumentsToo) {
  double pnl = 0;
  std::int64_t trades = 0;
  EXPECT_EQ(ok_sweep(nullptr, 5, kCombos.data(), 1, nullptr, &pnl, &trades, nullptr), OK_INVALID_ARGUMENT);
  EXPECT_NE(std::string(ok_last_error()).find("close"), std::string::npos);
  EXPECT_EQ(ok_sweep(kClose.data(), 5, nullptr, 1, nullptr, &pnl, &trades, nullptr), OK_INVALID_ARGUMENT);
  EXPECT_NE(std::string(ok_last_error()).find("combos"), std::string::npos);
  EXPECT_EQ(ok_sweep(kClose.data(), 5, kCombos.data(), 1, nullptr, nullptr, &trades, nullptr), OK_INVALID_ARGUMENT);
  EXPECT_EQ(ok_sweep(kClose.data(), 5, kCombos.data(), 1, nullptr, &pnl, nullptr, nullptr), OK_INVALID_ARGUMENT);
  EXPECT_EQ(ok_sweep(nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr, nullptr), OK_SUCCESS);
  ok_client* client = nullptr;
  EXPECT_EQ(ok_client_connect(nullptr, nullptr, &client), OK_INVALID_ARGUMENT);
  EXPECT_EQ(ok_client_connect("unix:/x", nullptr, nullptr), OK_INVALID_ARGUMENT);
  ok_series series{};
  EXPECT_EQ(ok_client_put(nullptr, "n", kClose.data(), 5, 0, &series), OK_INVALID_ARGUMENT);
  EXPECT_EQ(ok_client_drop(nullptr, &series), OK_INVALID_ARGUMENT);
  EXPECT_EQ(ok_client_sweep(nullptr, &series, kCombos.data(), 1, nullptr, &pnl, &trades, nullptr), OK_INVALID_ARGUMENT);
  EXPECT_EQ(ok_client_sweep_closes(nullptr, kClose.data(), 5, kCombos.data(), 1, nullptr, &pnl, &trades, nullptr),
            OK_INVALID_ARGUMENT);
  EXPECT_EQ(ok_client_echo(nullptr, "x", 1, &series), OK_INVALID_ARGUMENT);
}

TEST(CApi, StructuresOfOtherSizes) {
  double pnl = 0;
  std::int64_t trades = 0;
  // An older header's options end earlier; what they lack takes its default.
  ok_sweep_options options = OK_SWEEP_OPTIONS_INIT;
  options.size = offsetof(ok_sweep_options, kernel);
  options.kernel = "not looked at";
  EXPECT_EQ(ok_sweep(kClose.data(), 5, kCombos.data(), 1, &options, &pnl, &trades, nullptr), OK_SUCCESS);
  for (const std::size_t size : {std::size_t{0}, sizeof(ok_sweep_options) + 8, std::numeric_limits<std::size_t>::max()}) {
    options.size = size;
    EXPECT_EQ(ok_sweep(kClose.data(), 5, kCombos.data(), 1, &options, &pnl, &trades, nullptr), OK_INVALID_ARGUMENT) << size;
  }
  ok_sweep_report report{0, -1};
  EXPECT_EQ(ok_sweep(kClose.data(), 5, kCombos.data(), 1, nullptr, &pnl, &trades, &report), OK_INVALID_ARGUMENT);
  EXPECT_EQ(report.compute_ns, -1);
}

TEST(CApi, ErrorsOnWindowsNameThem) {
  const ok_combo bad{1, 2, 0, 1, 1, 1};
  double pnl = 7;
  std::int64_t trades = 7;
  EXPECT_EQ(ok_sweep(kClose.data(), 5, &bad, 1, nullptr, &pnl, &trades, nullptr), OK_INVALID_ARGUMENT);
  EXPECT_NE(std::string(ok_last_error()).find("smooth"), std::string::npos) << ok_last_error();
  EXPECT_EQ(pnl, 7);
  EXPECT_EQ(trades, 7);
}

TEST(CApi, EachThreadHasItsOwnMessage) {
  ok_client* client = nullptr;
  ASSERT_EQ(ok_client_connect("nonsense", nullptr, &client), OK_INVALID_ARGUMENT);
  std::thread([] { EXPECT_STREQ(ok_last_error(), ""); }).join();
  EXPECT_NE(std::string(ok_last_error()).find("nonsense"), std::string::npos);
}

TEST(CApi, CodesHaveNames) {
  EXPECT_STREQ(ok_status_name(OK_SUCCESS), "ok");
  EXPECT_STREQ(ok_status_name(OK_OUT_OF_ORDER), "out of order");
  EXPECT_STREQ(ok_status_name(99), "unknown status");
  EXPECT_STREQ(ok_status_name(-1), "unknown status");
}

}  // namespace
