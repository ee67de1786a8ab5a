#include "kernel/kernel.h"

#include <gtest/gtest.h>

namespace onekernel {
namespace {

TEST(Kernel, NamesGoBothWays) {
  for (const Kernel kernel : {Kernel::kChecked, Kernel::kUnchecked}) {
    EXPECT_EQ(kernel_from_name(kernel_name(kernel)), kernel);
  }
  EXPECT_EQ(kernel_from_name("fastest"), std::nullopt);
  EXPECT_EQ(kernel_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace onekernel
