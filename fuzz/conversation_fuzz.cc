// Any bytes as a client's side of a connection: the engine must answer in well-formed frames, and the same whatever the size
// of the pieces in which the bytes arrive.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "server/conversation.h"
#include "transport/byte_channel.h"
#include "wire/classic.h"
#include "wire/session.h"

namespace {

using onekernel::Result;
using onekernel::Status;

constexpr std::uint64_t kEpoch = 0x0102030405060708;

class MemoryChannel final : public onekernel::transport::ByteChannel {
 public:
  MemoryChannel(std::span<const std::byte> input, std::size_t piece) : input_(input), piece_(piece) {}

  Result<std::size_t> read_some(std::span<std::byte> into) override {
    const std::size_t count = std::min({into.size(), input_.size(), piece_});
    if (count > 0) std::memcpy(into.data(), input_.data(), count);
    input_ = input_.subspan(count);
    return count;
  }
  Status write(onekernel::transport::Outgoing& outgoing) override {
    const std::size_t before = output_.size();
    output_.resize(before + outgoing.left());
    outgoing.copy(output_.data() + before, outgoing.left());
    return {};
  }
  const std::vector<std::byte>& output() const { return output_; }

 private:
  std::span<const std::byte> input_;
  std::size_t piece_;
  std::vector<std::byte> output_;
};

std::vector<std::byte> answers(std::span<const std::byte> input, std::size_t piece) {
  onekernel::server::EngineSettings settings;
  settings.limits.max_frame_bytes = 1 << 16;
  settings.limits.max_combos = 4;
  onekernel::server::EngineState engine(settings, {}, kEpoch);
  MemoryChannel channel(input, piece);
  const std::string token;
  static_cast<void>(onekernel::server::Conversation(engine, channel, std::chrono::seconds(1), token).run());
  return channel.output();
}

bool is_session_reply(std::span<const std::byte> body) {
  return body.size() >= onekernel::wire::kSessionHeaderSize && body.size() % 8 == 0 &&
         onekernel::wire::decode_reply_header(body).ok() && onekernel::wire::decode_reply_header(body).value().epoch == kEpoch;
}

// Checks that the output is whole frames, and blanks what may differ between two runs: times.
void check_and_blank(std::span<std::byte> output) {
  using onekernel::wire::kLengthPrefixSize;
  while (!output.empty()) {
    if (output.size() < kLengthPrefixSize) std::abort();
    const std::uint32_t length = onekernel::wire::decode_length(std::span<const std::byte>(output).first<kLengthPrefixSize>());
    output = output.subspan(kLengthPrefixSize);
    if (output.size() < length || (length % 8 != 0 && length % 8 != 1)) std::abort();
    const std::span<std::byte> body = output.first(length);
    if (onekernel::wire::is_error_length(length) && onekernel::wire::decode_error_body(body).ok()) std::abort();
    if (is_session_reply(body)) std::memset(body.data() + offsetof(onekernel::wire::ReplyHeader, compute_ns), 0, 8);
    if (is_session_reply(body) &&
        body[0] == std::byte{static_cast<std::uint8_t>(onekernel::wire::SessionOpcode::kStatistics)}) {
      std::memset(body.data() + onekernel::wire::kSessionHeaderSize, 0, length - onekernel::wire::kSessionHeaderSize);
    }
    output = output.subspan(length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input(reinterpret_cast<const std::byte*>(data), size);
  std::vector<std::byte> whole = answers(input, size + 1);
  check_and_blank(whole);
  for (const std::size_t piece : {1u, 7u, 4096u}) {
    std::vector<std::byte> pieces = answers(input, piece);
    check_and_blank(pieces);
    if (pieces != whole) std::abort();
  }
  return 0;
}
