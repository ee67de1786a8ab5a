#include "engine/content_hash.h"

#include <gtest/gtest.h>

#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace onekernel::engine {
namespace {

TEST(ContentHash, IsTheSameOnEveryProcessor) {
  std::vector<std::byte> content(5000);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i * i >> 3);
  for (std::size_t size = 0; size <= content.size(); size += size < 300 ? 1 : 47) {
    EXPECT_EQ(content_hash({content.data(), size}), XXH3_64bits(content.data(), size)) << size;
  }
}

}  // namespace
}  // namespace onekernel::engine
