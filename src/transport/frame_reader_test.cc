#include "transport/frame_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

namespace onekernel::transport {
namespace {

using Event = FrameReader::Event;

// Hands out its bytes at most `step` at a time. An empty chunk stands for a wait that ran out of patience.
class ScriptedChannel final : public ByteChannel {
 public:
  explicit ScriptedChannel(std::string bytes, std::size_t step = std::numeric_limits<std::size_t>::max()) : step_(step) {
    add(std::move(bytes));
  }
  void add(std::string bytes) { chunks_.push_back(std::move(bytes)); }
  void add_timeout() { chunks_.emplace_back(); }
  bool drained() const { return chunks_.empty(); }

  Result<std::size_t> read_some(std::span<std::byte> into) override {
    if (chunks_.empty()) return std::size_t{0};
    std::string& chunk = chunks_.front();
    if (chunk.empty()) {
      chunks_.pop_front();
      return Status(StatusCode::kDeadlineExceeded, "too slow");
    }
    const std::size_t count = std::min({chunk.size(), into.size(), step_});
    std::memcpy(into.data(), chunk.data(), count);
    chunk.erase(0, count);
    if (chunk.empty()) chunks_.pop_front();
    return count;
  }
  Status write(Outgoing&) override { return {}; }

 private:
  std::size_t step_;
  std::deque<std::string> chunks_;
};

std::string frame(const std::string& body) {
  const auto length = static_cast<std::uint32_t>(body.size());
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &length, 4);
  return bytes + body;
}

std::string text(std::span<const std::byte> body) { return {reinterpret_cast<const char*>(body.data()), body.size()}; }

FrameRules any_frame(std::uint32_t max_body = 1 << 20) {
  return {max_body, 9, [](std::span<const std::byte>, std::uint32_t) -> Result<std::size_t> { return std::size_t{7}; }};
}

TEST(FrameReader, CutsTheStreamHoweverItArrives) {
  const std::vector<std::string> bodies{"a", "", std::string(10'000, 'b'), "last one, longer than the prefix"};
  std::string bytes;
  for (const std::string& body : bodies) bytes += frame(body);
  for (const std::size_t step : {1u, 2u, 3u, 5u, 4096u, 1u << 20}) {
    ScriptedChannel channel(bytes, step);
    FrameReader reader(channel, any_frame());
    for (const std::string& body : bodies) {
      const FrameReader::Incoming incoming = reader.next();
      ASSERT_EQ(incoming.event, Event::kFrame) << step;
      EXPECT_EQ(text(incoming.body), body) << step;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(incoming.body.data()) % 8, 7u);
    }
    EXPECT_EQ(reader.next().event, Event::kEnd) << step;
  }
}

TEST(FrameReader, TheStreamMayEndOnlyBetweenFrames) {
  const std::string bytes = frame("0123456789abcdef");
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    ScriptedChannel channel(bytes.substr(0, cut));
    FrameReader reader(channel, any_frame());
    const FrameReader::Incoming incoming = reader.next();
    ASSERT_EQ(incoming.event, Event::kBroken) << cut;
    EXPECT_EQ(incoming.status.code(), StatusCode::kConnectionClosed);
  }
}

TEST(FrameReader, ALengthOverTheLimitBreaksTheStreamBeforeAnythingIsRead) {
  ScriptedChannel channel(std::string("\xFF\xFF\xFF\xFF", 4));
  FrameReader reader(channel, any_frame(1000));
  const FrameReader::Incoming incoming = reader.next();
  ASSERT_EQ(incoming.event, Event::kBroken);
  EXPECT_EQ(incoming.status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(incoming.status.message().find("1000"), std::string::npos) << incoming.status.message();
}

TEST(FrameReader, ARefusedFrameIsSkippedAndTheNextOneRead) {
  for (const std::size_t refused_size : {0u, 5u, 9u, 4000u, 100'000u}) {
    ScriptedChannel channel(frame(std::string(refused_size, 'x')) + frame("good"), 1000);
    FrameRules rules = any_frame();
    rules.admit = [](std::span<const std::byte> prefix, std::uint32_t body_len) -> Result<std::size_t> {
      EXPECT_EQ(prefix.size(), std::min<std::size_t>(9, body_len));
      if (body_len == 4) return std::size_t{0};
      return Status(StatusCode::kInvalidArgument, "no");
    };
    FrameReader reader(channel, rules);
    const FrameReader::Incoming refused = reader.next();
    ASSERT_EQ(refused.event, Event::kRefused) << refused_size;
    EXPECT_EQ(refused.status.message(), "no");
    const FrameReader::Incoming good = reader.next();
    ASSERT_EQ(good.event, Event::kFrame) << refused_size;
    EXPECT_EQ(text(good.body), "good");
  }
}

TEST(FrameReader, PatienceHoldsInsideAFrameOnly) {
  ScriptedChannel channel("");  // one wait without a byte
  channel.add(frame("good"));
  channel.add_timeout();
  channel.add(frame("half").substr(0, 6));
  channel.add_timeout();
  FrameReader reader(channel, any_frame());
  EXPECT_EQ(reader.next().event, Event::kFrame);
  const FrameReader::Incoming stalled = reader.next();
  ASSERT_EQ(stalled.event, Event::kBroken);
  EXPECT_EQ(stalled.status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(channel.drained());
}

}  // namespace
}  // namespace onekernel::transport
