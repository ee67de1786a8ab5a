#include "server/classic_handler.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "onekernel/sweep.h"

namespace onekernel::server {
namespace {

constexpr std::size_t kLead = 7;

// The body of a request in memory that is aligned as rules() asks for.
class RequestBody {
 public:
  RequestBody(wire::ClassicOpcode opcode, const std::vector<double>& close, const std::vector<Combo>& combos)
      : memory_(2 + close.size() + combos.size() * 6) {
    const auto head = wire::encode_classic_head(
        {opcode, static_cast<std::uint32_t>(close.size()), static_cast<std::uint32_t>(combos.size())});
    std::byte* body = reinterpret_cast<std::byte*>(memory_.data()) + kLead;
    std::memcpy(body, head.data() + wire::kLengthPrefixSize, wire::kClassicHeaderSize);
    if (!close.empty()) std::memcpy(body + 9, close.data(), close.size() * sizeof(double));
    if (!combos.empty()) std::memcpy(body + 9 + close.size() * sizeof(double), combos.data(), combos.size() * sizeof(Combo));
    bytes_ = {body, 9 + close.size() * sizeof(double) + combos.size() * sizeof(Combo)};
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<double> memory_;
  std::span<const std::byte> bytes_;
};

std::vector<std::byte> payload_of(const Reply& reply) {
  std::vector<std::byte> payload(reply.parts[1].begin(), reply.parts[1].end());
  payload.insert(payload.end(), reply.parts[2].begin(), reply.parts[2].end());
  std::uint32_t declared = 0;
  std::memcpy(&declared, reply.parts[0].data(), 4);
  EXPECT_EQ(declared, payload.size());
  EXPECT_EQ(reply.timing.bytes_out, payload.size() + 4);
  return payload;
}

TEST(ClassicHandler, ASweepIsTheLibrarysSweep) {
  std::vector<double> close(500);
  std::iota(close.begin(), close.end(), 100.0);
  for (std::size_t i = 0; i < close.size(); i += 7) close[i] -= 9.5;
  const std::vector<Combo> combos{{3, 6, 2, 1, 2, 3}, {4, 8, 3, 1, 2, 4}};
  std::vector<double> pnl(2);
  std::vector<std::int64_t> trades(2);
  ASSERT_TRUE(sweep(close, combos, {.fee = 0.25}, pnl, trades).ok());
  ASSERT_GT(trades[0], 0);

  ClassicHandler handler({.fee = 0.25});
  const RequestBody body(wire::ClassicOpcode::kSweep, close, combos);
  const Reply reply = handler.handle(body.bytes());
  const std::vector<std::byte> payload = payload_of(reply);
  ASSERT_EQ(payload.size(), 32u);
  EXPECT_EQ(std::memcmp(payload.data(), pnl.data(), 16), 0);
  EXPECT_EQ(std::memcmp(payload.data() + 16, trades.data(), 16), 0);
  EXPECT_TRUE(reply.status.ok());
  EXPECT_EQ(reply.timing.operation, "sweep");
  EXPECT_EQ(reply.timing.n_bars, 500u);
  EXPECT_EQ(reply.timing.n_combos, 2u);
  EXPECT_EQ(reply.timing.bytes_in, 4u + 9 + 500 * 8 + 2 * 48);
  EXPECT_GT(reply.timing.compute_ns, 0);
}

TEST(ClassicHandler, AnEchoIsNotEvenCopied) {
  const std::vector<double> close{1.0, -2.0, 3.5};
  ClassicHandler handler({});
  const RequestBody body(wire::ClassicOpcode::kEcho, close, {});
  const Reply reply = handler.handle(body.bytes());
  EXPECT_EQ(reply.parts[1].data(), body.bytes().data() + 9);
  const std::vector<std::byte> payload = payload_of(reply);
  ASSERT_EQ(payload.size(), 24u);
  EXPECT_EQ(std::memcmp(payload.data(), close.data(), 24), 0);
}

TEST(ClassicHandler, AWindowBelowOneIsAnErrorReply) {
  ClassicHandler handler({});
  const RequestBody body(wire::ClassicOpcode::kSweep, {1.0, 2.0}, {{1, 1, 1, 1, 1, -5}});
  const Reply reply = handler.handle(body.bytes());
  const Status status = wire::decode_error_body(payload_of(reply));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "combo 0: window 'full3' is -5, but a window is at least 1 bar long");
  EXPECT_EQ(reply.timing.operation, "error");
}

TEST(ClassicHandler, TheRulesKnowTheLimits) {
  EngineSettings settings;
  settings.limits = {.max_frame_bytes = 1000, .max_combos = 2};
  const transport::FrameRules rules = ClassicHandler(settings).rules();
  EXPECT_EQ(rules.max_body, 1000u);
  const RequestBody two(wire::ClassicOpcode::kSweep, {}, std::vector<Combo>(2));
  const Result<std::size_t> lead = rules.admit(two.bytes(), static_cast<std::uint32_t>(two.bytes().size()));
  ASSERT_TRUE(lead.ok());
  EXPECT_EQ(lead.value(), kLead);
  const RequestBody three(wire::ClassicOpcode::kSweep, {}, std::vector<Combo>(3));
  const Result<std::size_t> refused = rules.admit(three.bytes(), static_cast<std::uint32_t>(three.bytes().size()));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::kLimitExceeded);
  EXPECT_NE(refused.status().message().find("--max-combos"), std::string::npos);
}

}  // namespace
}  // namespace onekernel::server
