// Any bytes as a client's side of a connection: the engine must answer in well-formed frames, and the same whatever the size
// of the pieces in which the bytes arrive.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "server/conversation.h"
#include "transport/byte_channel.h"
#include "wire/classic.h"

namespace {

using onekernel::Result;
using onekernel::Status;

class MemoryChannel final : public onekernel::transport::ByteChannel {
 public:
  MemoryChannel(std::span<const std::byte> input, std::size_t piece) : input_(input), piece_(piece) {}

  Result<std::size_t> read_some(std::span<std::byte> into) override {
    const std::size_t count = std::min({into.size(), input_.size(), piece_});
    if (count > 0) std::memcpy(into.data(), input_.data(), count);
    input_ = input_.subspan(count);
    return count;
  }
  Status write_all(std::span<const std::span<const std::byte>> parts) override {
    for (const auto& part : parts) output_.insert(output_.end(), part.begin(), part.end());
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
  const std::atomic<bool> stopping{false};
  MemoryChannel channel(input, piece);
  static_cast<void>(onekernel::server::converse(channel, settings, {}, stopping));
  return channel.output();
}

void check_frames(std::span<const std::byte> output) {
  using onekernel::wire::kLengthPrefixSize;
  while (!output.empty()) {
    if (output.size() < kLengthPrefixSize) std::abort();
    const std::uint32_t length = onekernel::wire::decode_length(output.first<kLengthPrefixSize>());
    output = output.subspan(kLengthPrefixSize);
    if (output.size() < length || (length % 8 != 0 && length % 8 != 1)) std::abort();
    if (onekernel::wire::is_error_length(length) && onekernel::wire::decode_error_body(output.first(length)).ok()) std::abort();
    output = output.subspan(length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input(reinterpret_cast<const std::byte*>(data), size);
  const std::vector<std::byte> whole = answers(input, size + 1);
  check_frames(whole);
  for (const std::size_t piece : {1u, 7u, 4096u}) {
    if (answers(input, piece) != whole) std::abort();
  }
  return 0;
}
