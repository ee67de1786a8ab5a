#include "transport/listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace onekernel::transport {
namespace {

class UnixListener : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_.data()), nullptr); }
  void TearDown() override {
    ::unlink(path("s").c_str());
    ::rmdir(folder_.c_str());
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static bool exists(const std::string& file) {
    struct stat found {};
    return ::lstat(file.c_str(), &found) == 0;
  }
  static bool can_connect(const std::string& file) {
    const base::FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, file.data(), file.size());
    return ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }

  std::string folder_ = "/tmp/onekernel_listener_XXXXXX";
};

TEST_F(UnixListener, TheFileIsTheOwnersAndGoesWithTheListener) {
  {
    const Result<Listener> listener = Listener::open(UnixEndpoint{path("s")});
    ASSERT_TRUE(listener.ok()) << listener.status().message();
    struct stat made {};
    ASSERT_EQ(::lstat(path("s").c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777u, 0600u);
    EXPECT_TRUE(can_connect(path("s")));
  }
  EXPECT_FALSE(exists(path("s")));
}

TEST_F(UnixListener, PathsOf107BytesWorkAnd108Fail) {
  const std::string longest = path(std::string(kMaxUnixPath - folder_.size() - 1, 'x'));
  ASSERT_EQ(longest.size(), 107u);
  {
    const Result<Listener> listener = Listener::open(UnixEndpoint{longest});
    ASSERT_TRUE(listener.ok()) << listener.status().message();
    EXPECT_TRUE(can_connect(longest));
  }
  const Result<Listener> too_long = Listener::open(UnixEndpoint{longest + "x"});
  ASSERT_FALSE(too_long.ok());
  EXPECT_NE(too_long.status().message().find("at most 107 bytes"), std::string::npos) << too_long.status().message();
  EXPECT_FALSE(Listener::open(UnixEndpoint{""}).ok());
}

TEST_F(UnixListener, AStaleSocketIsReplaced) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path("s").data(), path("s").size());
  {
    const base::FileDescriptor dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ASSERT_TRUE(exists(path("s")));
  const Result<Listener> listener = Listener::open(UnixEndpoint{path("s")});
  ASSERT_TRUE(listener.ok()) << listener.status().message();
  EXPECT_TRUE(can_connect(path("s")));
}

TEST_F(UnixListener, ALiveServersSocketIsNotTouched) {
  const Result<Listener> first = Listener::open(UnixEndpoint{path("s")});
  ASSERT_TRUE(first.ok());
  const Result<Listener> second = Listener::open(UnixEndpoint{path("s")});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(can_connect(path("s")));
}

TEST_F(UnixListener, AFileThatIsNoSocketIsNotTouched) {
  std::ofstream(path("s")) << "precious";
  EXPECT_EQ(Listener::open(UnixEndpoint{path("s")}).status().code(), StatusCode::kInvalidArgument);
  std::string kept;
  std::ifstream(path("s")) >> kept;
  EXPECT_EQ(kept, "precious");
}

TEST_F(UnixListener, OnlyTheOwnFileIsRemoved) {
  {
    const Result<Listener> listener = Listener::open(UnixEndpoint{path("s")});
    ASSERT_TRUE(listener.ok());
    ASSERT_EQ(::unlink(path("s").c_str()), 0);
    std::ofstream(path("s")) << "somebody else's";
  }
  EXPECT_TRUE(exists(path("s")));
}

TEST(TcpListener, TheSystemChoosesAPort) {
  const Result<Listener> listener = Listener::open(TcpEndpoint{"127.0.0.1", 0});
  ASSERT_TRUE(listener.ok()) << listener.status().message();
  const auto& bound = std::get<TcpEndpoint>(listener.value().endpoint());
  EXPECT_NE(bound.port, 0);
  const Result<Listener> again = Listener::open(bound);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.status().code(), StatusCode::kUnavailable);
}

TEST(TcpListener, BeyondLoopbackIsRefused) {
  const Result<Listener> listener = Listener::open(TcpEndpoint{"0.0.0.0", 0});
  ASSERT_FALSE(listener.ok());
  EXPECT_EQ(listener.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace onekernel::transport
