#include "client/address.h"

#include <gtest/gtest.h>

#include <string>

namespace onekernel::client {
namespace {

TEST(Address, Forms) {
  const Address local = parse_address("unix:/run/engine.sock").value();
  EXPECT_EQ(transport::endpoint_url(local.endpoint), "unix:/run/engine.sock");
  EXPECT_FALSE(local.over_shared_memory);
  const Address shared = parse_address("shm:relative.sock").value();
  EXPECT_EQ(transport::endpoint_url(shared.endpoint), "unix:relative.sock");
  EXPECT_TRUE(shared.over_shared_memory);
  const Address tcp = parse_address("tcp://[::1]:7001").value();
  EXPECT_EQ(transport::endpoint_url(tcp.endpoint), "tcp://[::1]:7001");
  EXPECT_FALSE(tcp.over_shared_memory);
}

TEST(Address, WhatIsNoneSaysWhatWouldBe) {
  for (const char* text :
       {"", "/run/engine.sock", "http://localhost:1", "tcp:localhost:1", "tcp://localhost", "tcp://::1:7001"}) {
    const Result<Address> address = parse_address(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_NE(address.status().message().find(':'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace onekernel::client
