#include "server/access.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "base/file_descriptor.h"

namespace onekernel::server {
namespace {

TEST(Access, OnlyTheTokenItselfGrants) {
  const std::string token = "a secret of some length";
  for (const std::string& given : {std::string(), token.substr(1), token.substr(0, token.size() - 1), token + "x",
                                   token + token, "b" + token.substr(1), token + '\0', std::string(token.size(), 'a')}) {
    Access access(token);
    EXPECT_FALSE(access.granted());
    EXPECT_FALSE(access.grant(given)) << given;
    EXPECT_FALSE(access.granted()) << given;
  }
  Access access(token);
  EXPECT_TRUE(access.grant(token));
  EXPECT_TRUE(access.granted());
  EXPECT_TRUE(access.grant("whatever comes later"));
}

TEST(Access, WithoutATokenThereIsNothingToProve) {
  const std::string none;
  EXPECT_TRUE(Access(none).granted());
}

TEST(Access, ThePeerOfASocketIsLookedUp) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const base::FileDescriptor here(pair[0]), there(pair[1]);
  EXPECT_TRUE(check_peer(here.get()).ok());
  EXPECT_EQ(check_peer(-1).code(), StatusCode::kIo);
}

}  // namespace
}  // namespace onekernel::server
