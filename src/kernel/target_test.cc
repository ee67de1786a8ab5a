#include "onekernel/target.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace onekernel {
namespace {

TEST(Target, EveryOneCanBeForced) {
  ASSERT_FALSE(available_targets().empty());
  EXPECT_EQ(available_targets().back(), "scalar") << "the one without SIMD instructions is always compiled in";
  for (const std::string_view target : available_targets()) {
    ASSERT_TRUE(force_target(target).ok());
    EXPECT_EQ(current_target(), target);
  }
  ASSERT_TRUE(force_target("auto").ok());
  EXPECT_EQ(current_target(), available_targets().front());
}

TEST(Target, AnUnknownNameIsAnErrorThatListsTheOthers) {
  const std::string before(current_target());
  const Status status = force_target("mmx");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("'mmx'"), std::string::npos);
  EXPECT_NE(status.message().find("'scalar'"), std::string::npos);
  EXPECT_EQ(current_target(), before);
}

// The environment is read once per process, so each of these runs in its own.
TEST(TargetDeathTest, TheEnvironmentChooses) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("ONEKERNEL_TARGET", "scalar", 1);
        std::exit(target_environment_status().ok() && current_target() == "scalar" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        setenv("ONEKERNEL_TARGET", "mmx", 1);
        const Status status = target_environment_status();
        std::exit(!status.ok() && status.message().starts_with("ONEKERNEL_TARGET: ") ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace onekernel
