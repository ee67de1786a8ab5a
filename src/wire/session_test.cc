#include "wire/session.h"

#include <gtest/gtest.h>

#include <limits>

namespace onekernel::wire {
namespace {

struct alignas(8) Bytes {
  std::byte data[64] = {};
};

TEST(Session, HeadersSurviveTheWire) {
  RequestHeader sent;
  sent.opcode = 0x14;
  sent.request_id = 7;
  sent.epoch = 9;
  Bytes body;
  std::memcpy(body.data, &sent, sizeof(sent));
  const Result<RequestHeader> received = decode_request_header(std::span(body.data).first(32));
  ASSERT_TRUE(received.ok());
  EXPECT_EQ(received.value().request_id, 7u);
  EXPECT_EQ(received.value().epoch, 9u);
  EXPECT_EQ(body.data[0], std::byte{0x14});
  EXPECT_EQ(body.data[1], std::byte{1});
  EXPECT_EQ(body.data[8], std::byte{7});
  EXPECT_EQ(body.data[16], std::byte{9});
}

TEST(Session, ShortForeignOrReservedHeadersAreMalformed) {
  Bytes body;
  const RequestHeader header{.opcode = 0x10};
  std::memcpy(body.data, &header, sizeof(header));
  EXPECT_TRUE(decode_request_header(std::span(body.data).first(32)).ok());
  EXPECT_FALSE(decode_request_header(std::span(body.data).first(31)).ok());
  for (const int offset : {1, 2, 3, 4, 7, 24, 31}) {
    Bytes changed = body;
    changed.data[offset] = std::byte{9};
    const Result<RequestHeader> decoded = decode_request_header(std::span(changed.data).first(32));
    ASSERT_FALSE(decoded.ok()) << offset;
    EXPECT_EQ(decoded.status().code(), StatusCode::kMalformedFrame);
  }
}

TEST(Session, AReaderNeverReadsPastTheEnd) {
  const Bytes bytes;
  PayloadReader reader(std::span(bytes.data).first(24));
  EXPECT_TRUE(reader.take<DropRequest>().has_value());
  EXPECT_FALSE(reader.take<PutRequest>().has_value() && reader.take<DropRequest>().has_value());
  PayloadReader arrays(std::span(bytes.data).first(24));
  EXPECT_FALSE(arrays.take_array<double>(4).has_value());
  EXPECT_FALSE(arrays.take_array<double>(std::numeric_limits<std::uint64_t>::max()).has_value());
  EXPECT_FALSE(arrays.take_array<Combo>(std::numeric_limits<std::uint64_t>::max() / 24).has_value());
  EXPECT_FALSE(arrays.take_text(25).has_value());
  EXPECT_FALSE(arrays.take_text(std::numeric_limits<std::uint32_t>::max()).has_value());
  ASSERT_TRUE(arrays.take_array<double>(3).has_value());
  EXPECT_TRUE(arrays.empty());
}

TEST(Session, TextIsPaddedToEight) {
  PayloadWriter writer;
  writer.put(DropRequest{1}).put_text("name").put(DropRequest{2});
  ASSERT_EQ(writer.bytes().size(), 24u);
  PayloadReader reader(writer.bytes());
  EXPECT_EQ(reader.take<DropRequest>()->series_id, 1u);
  EXPECT_EQ(reader.take_text(4).value(), "name");
  EXPECT_EQ(reader.take<DropRequest>()->series_id, 2u);
  PayloadWriter error;
  error.put_text("what was wrong");
  EXPECT_EQ(decode_error_text(error.bytes()), "what was wrong");
}

}  // namespace
}  // namespace onekernel::wire
