// One request per process. A process has an epoch of its own that nobody can know before it answers, so of session frames only
// hello applies; classic frames do all the rest.
#include <sys/wait.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "tests/conformance/fixture.h"
#include "wire/classic.h"
#include "wire/session.h"

namespace onekernel::testing {
namespace {

std::string chars(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

struct Answer {
  std::vector<std::byte> body;
  int exit_code = -1;
};

Answer ask(const std::string& request, const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> command{ONEKERNEL_ENGINE_PROGRAM, "stdio"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  int status = 0;
  const std::string output = run_program(command, request, status);
  Answer answer;
  if (WIFEXITED(status)) answer.exit_code = WEXITSTATUS(status);
  if (output.size() < wire::kLengthPrefixSize) return answer;
  const auto bytes = std::as_bytes(std::span(output));
  EXPECT_EQ(wire::decode_length(bytes.first<wire::kLengthPrefixSize>()), output.size() - wire::kLengthPrefixSize);
  answer.body.assign(bytes.begin() + wire::kLengthPrefixSize, bytes.end());
  return answer;
}

std::string classic(wire::ClassicOpcode opcode, std::span<const double> close, std::span<const Combo> combos) {
  const auto head =
      wire::encode_classic_head({opcode, static_cast<std::uint32_t>(close.size()), static_cast<std::uint32_t>(combos.size())});
  return chars(head) + chars(std::as_bytes(close)) + chars(std::as_bytes(combos));
}

std::string session(const wire::RequestHeader& header) {
  return chars(wire::encode_length(sizeof(header))) + chars(std::as_bytes(std::span(&header, 1)));
}

TEST(Stdio, EchoesOfAllSizes) {
  for (const std::size_t n : {0, 1, 1000, 250'000}) {
    const std::vector<double> close = walk(n, 30);
    const Answer answer = ask(classic(wire::ClassicOpcode::kEcho, close, {}));
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_EQ(chars(answer.body), chars(std::as_bytes(std::span(close)))) << n;
  }
}

TEST(Stdio, SweepsAreTheSameBitsAsInProcess) {
  const std::vector<double> close = walk(20'000, 31);
  const std::vector<Combo> combos = some_combos();
  const Answer answer = ask(classic(wire::ClassicOpcode::kSweep, close, combos), {"--fee", "0.05"});
  EXPECT_EQ(answer.exit_code, 0);
  ASSERT_EQ(answer.body.size(), combos.size() * 16);
  std::vector<double> pnl(combos.size());
  std::vector<std::int64_t> trades(combos.size());
  std::memcpy(pnl.data(), answer.body.data(), pnl.size() * 8);
  std::memcpy(trades.data(), answer.body.data() + pnl.size() * 8, trades.size() * 8);
  expect_same_bits(pnl, trades, in_process(close, combos, {.fee = 0.05}));
}

TEST(Stdio, HelloAndTheEpochOfEachProcess) {
  const std::string hello = session({.opcode = 0x10, .request_id = 5});
  std::vector<std::uint64_t> epochs;
  for (int i = 0; i < 2; ++i) {
    const Answer answer = ask(hello);
    EXPECT_EQ(answer.exit_code, 0);
    const Result<wire::ReplyHeader> header = wire::decode_reply_header(answer.body);
    ASSERT_TRUE(header.ok());
    EXPECT_EQ(header.value().status, 0);
    EXPECT_EQ(header.value().request_id, 5u);
    epochs.push_back(header.value().epoch);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  const Answer stale = ask(session({.opcode = 0x15, .request_id = 6, .epoch = epochs[0]}));
  EXPECT_NE(stale.exit_code, 0);
  EXPECT_EQ(wire::decode_reply_header(stale.body).value().status, static_cast<std::uint16_t>(StatusCode::kStaleEpoch));
}

TEST(Stdio, ErrorsAreTyped) {
  const std::vector<double> close = walk(100, 32);
  const std::vector<Combo> bad{{0, 1, 1, 1, 1, 1}};
  const Answer window = ask(classic(wire::ClassicOpcode::kSweep, close, bad));
  EXPECT_NE(window.exit_code, 0);
  ASSERT_TRUE(wire::is_error_length(static_cast<std::uint32_t>(window.body.size())));
  EXPECT_EQ(wire::decode_error_body(window.body).code(), StatusCode::kInvalidArgument);
  const Answer limit = ask(classic(wire::ClassicOpcode::kSweep, close, some_combos()), {"--max-combos", "2"});
  EXPECT_EQ(wire::decode_error_body(limit.body).code(), StatusCode::kLimitExceeded);
}

TEST(Stdio, ARequestThatEndsInTheMiddleHasNoReply) {
  const Answer answer = ask(classic(wire::ClassicOpcode::kEcho, walk(10, 33), {}).substr(0, 50));
  EXPECT_NE(answer.exit_code, 0);
  EXPECT_TRUE(answer.body.empty());
}

}  // namespace
}  // namespace onekernel::testing
