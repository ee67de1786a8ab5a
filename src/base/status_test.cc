#include "onekernel/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace onekernel {
namespace {

TEST(Status, DefaultIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(Status().message().empty());
}

TEST(Status, CarriesCodeAndMessage) {
  const Status status(StatusCode::kLimitExceeded, "too long");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_EQ(status.message(), "too long");
}

TEST(Status, EveryCodeHasItsOwnName) {
  std::string seen;
  for (int code = 0; code <= 14; ++code) {
    const std::string name = "<" + std::string(status_code_name(static_cast<StatusCode>(code))) + ">";
    EXPECT_EQ(name.find("unknown status"), std::string::npos) << code;
    EXPECT_EQ(seen.find(name), std::string::npos) << name;
    seen += name;
  }
}

TEST(Result, HoldsAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, HoldsTheReason) {
  const Result<int> result(Status(StatusCode::kIo, "no"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace onekernel
