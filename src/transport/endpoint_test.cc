#include "transport/endpoint.h"

#include <gtest/gtest.h>

namespace onekernel::transport {
namespace {

TEST(Endpoint, UrlsAreReadableBack) {
  EXPECT_EQ(endpoint_url(UnixEndpoint{"/run/x.sock"}), "unix:/run/x.sock");
  EXPECT_EQ(endpoint_url(TcpEndpoint{"127.0.0.1", 7001}), "tcp://127.0.0.1:7001");
  EXPECT_EQ(endpoint_url(TcpEndpoint{"::1", 7001}), "tcp://[::1]:7001");
}

TEST(Endpoint, HostAndPort) {
  const Result<TcpEndpoint> v4 = parse_host_port("localhost:0");
  ASSERT_TRUE(v4.ok());
  EXPECT_EQ(v4.value().host, "localhost");
  EXPECT_EQ(v4.value().port, 0);
  const Result<TcpEndpoint> v6 = parse_host_port("[::1]:65535");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ(v6.value().host, "::1");
  EXPECT_EQ(v6.value().port, 65535);
}

TEST(Endpoint, MalformedHostAndPort) {
  for (const char* text : {"", ":", ":80", "host", "host:", "host:65536", "host:-1", "host:8x", "::1:80", "[]:80", "[::1:80"}) {
    const Result<TcpEndpoint> parsed = parse_host_port(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace onekernel::transport
