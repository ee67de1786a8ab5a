#include "kernel/kernel.h"

#include <gtest/gtest.h>

namespace onekernel {
namespace {

TEST(Kernel, NamesGoBothWays) {
  EXPECT_EQ(all_kernels().size(), 4u);
  for (const Kernel kernel : all_kernels()) {
    EXPECT_EQ(kernel_from_name(kernel_name(kernel)), kernel);
  }
  EXPECT_EQ(kernel_from_name("fastest"), std::nullopt);
  EXPECT_EQ(kernel_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace onekernel
