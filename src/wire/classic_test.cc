#include "wire/classic.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace onekernel::wire {
namespace {

constexpr std::size_t kLead = 7;  // puts the arrays, 9 bytes into the body, on a multiple of 8

// A body in 8-aligned memory, from the words of the format: opcode, counts, then raw bytes.
class Body {
 public:
  Body(std::uint8_t opcode, std::uint32_t n_bars, std::uint32_t n_combos, std::size_t payload)
      : size_(kClassicHeaderSize + payload), memory_((kLead + size_) / sizeof(double) + 1) {
    std::byte* body = bytes().data();
    std::memcpy(body, &opcode, 1);
    std::memcpy(body + 1, &n_bars, 4);
    std::memcpy(body + 5, &n_combos, 4);
  }
  std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(memory_.data()) + kLead, size_}; }

 private:
  std::size_t size_;
  std::vector<double> memory_;
};

TEST(Classic, ARequestIsViewedWhereItLies) {
  Body body(0, 2, 1, 2 * 8 + 48);
  const double close[2] = {1.5, 2.5};
  const Combo combo{1, 2, 3, 4, 5, 6};
  std::memcpy(body.bytes().data() + 9, close, sizeof(close));
  std::memcpy(body.bytes().data() + 9 + sizeof(close), &combo, sizeof(combo));
  const Result<ClassicRequest> request = decode_classic_request(body.bytes());
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request.value().opcode, ClassicOpcode::kSweep);
  ASSERT_EQ(request.value().close.size(), 2u);
  EXPECT_EQ(request.value().close[1], 2.5);
  ASSERT_EQ(request.value().combos.size(), 1u);
  EXPECT_EQ(request.value().combos[0], combo);
  EXPECT_EQ(static_cast<const void*>(request.value().close.data()), body.bytes().data() + 9);
}

TEST(Classic, TheHeadIsThePublishedBytes) {
  const auto head = encode_classic_head({ClassicOpcode::kEcho, 0x01020304, 0});
  const std::uint32_t length = 9 + 8 * 0x01020304u;
  const unsigned char expected[13] = {static_cast<unsigned char>(length),
                                      static_cast<unsigned char>(length >> 8),
                                      static_cast<unsigned char>(length >> 16),
                                      static_cast<unsigned char>(length >> 24),
                                      1,
                                      4,
                                      3,
                                      2,
                                      1,
                                      0,
                                      0,
                                      0,
                                      0};
  EXPECT_EQ(std::memcmp(head.data(), expected, sizeof(expected)), 0);
}

TEST(Classic, ABodyShorterThanItsHeaderIsMalformed) {
  const std::vector<std::byte> body(8);
  EXPECT_EQ(decode_classic_header(body, 8).status().code(), StatusCode::kMalformedFrame);
  EXPECT_EQ(decode_classic_header({}, 0).status().code(), StatusCode::kMalformedFrame);
}

TEST(Classic, CountsMustMatchTheLength) {
  Body body(0, 2, 1, 2 * 8 + 48);
  EXPECT_TRUE(decode_classic_header(body.bytes(), 9 + 16 + 48).ok());
  for (const std::uint64_t wrong : {9u + 16u + 47u, 9u + 16u + 49u, 9u}) {
    const Result<ClassicHeader> header = decode_classic_header(body.bytes(), wrong);
    ASSERT_FALSE(header.ok()) << wrong;
    EXPECT_EQ(header.status().code(), StatusCode::kMalformedFrame);
    EXPECT_NE(header.status().message().find("2 bars and 1 combos take 73"), std::string::npos);
  }
}

TEST(Classic, CountsThatWouldOverflow32BitsAreCaught) {
  // 0x20000001 bars take 2^32 + 8 bytes: modulo 2^32 that is one bar, which is what this body holds.
  Body body(1, 0x20000001u, 0, 8);
  EXPECT_EQ(decode_classic_header(body.bytes(), 17).status().code(), StatusCode::kMalformedFrame);
  const std::uint32_t max = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(classic_body_size(max, max), 9 + std::uint64_t{max} * 56);
}

TEST(Classic, UnknownOpcodes) {
  for (int opcode = 2; opcode < 256; ++opcode) {
    Body body(static_cast<std::uint8_t>(opcode), 0, 0, 0);
    EXPECT_EQ(decode_classic_header(body.bytes(), 9).status().code(), StatusCode::kUnknownOpcode) << opcode;
  }
}

TEST(Classic, ErrorsSurviveTheWire) {
  for (std::size_t length = 0; length < 40; ++length) {
    const Status sent(StatusCode::kLimitExceeded, std::string(length, 'x'));
    const std::vector<std::byte> body = encode_error_body(sent);
    EXPECT_TRUE(is_error_length(static_cast<std::uint32_t>(body.size())));
    const Status received = decode_error_body(body);
    EXPECT_EQ(received.code(), sent.code());
    EXPECT_EQ(received.message(), sent.message());
  }
}

TEST(Classic, NoResultHasAnErrorsLength) {
  for (std::uint32_t n = 0; n < 1000; ++n) {
    EXPECT_FALSE(is_error_length(n * 8));
    EXPECT_FALSE(is_error_length(n * 16));
  }
}

TEST(Classic, ALongMessageIsCutBetweenCharacters) {
  std::string message(kMaxErrorMessage - 1, 'x');
  message += "\xC3\xA9 and more";  // a two-byte character across the limit
  const Status received = decode_error_body(encode_error_body({StatusCode::kInternal, message}));
  EXPECT_EQ(received.message(), std::string(kMaxErrorMessage - 1, 'x'));
}

}  // namespace
}  // namespace onekernel::wire
