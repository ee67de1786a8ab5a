// Cuts a stream of bytes into frames: [u32 little-endian body length][body]. Knows nothing of what a body means.
#ifndef ONEKERNEL_TRANSPORT_FRAME_READER_H_
#define ONEKERNEL_TRANSPORT_FRAME_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "onekernel/status.h"
#include "transport/byte_channel.h"

namespace onekernel::transport {

struct FrameRules {
  // A longer declared length breaks the stream: nothing of it is read.
  std::uint32_t max_body = 0;
  // How many of the first bytes of a body `admit` wants to see; at most FrameReader::kReadAhead.
  std::size_t prefix_size = 0;
  // Judges a frame by its first bytes (fewer than prefix_size when the body is shorter) and its length, before any memory is
  // set aside for it. Returns where the body shall start modulo 8, so that arrays inside it come out aligned, or why it is
  // refused; a refused body is read and dropped, and the stream goes on behind it.
  std::function<Result<std::size_t>(std::span<const std::byte> prefix, std::uint32_t body_len)> admit;
};

class FrameReader {
 public:
  static constexpr std::size_t kReadAhead = 4096;

  enum class Event {
    kFrame,    // `body` holds a frame, until the next call
    kEnd,      // the stream ended between two frames
    kRefused,  // `status` says why; the next frame can be read
    kBroken,   // `status` says why; the stream cannot be used any more
  };
  struct Incoming {
    Event event;
    std::span<const std::byte> body;
    Status status;
  };

  // `channel` must outlive the reader.
  FrameReader(ByteChannel& channel, FrameRules rules) : channel_(channel), rules_(std::move(rules)) {}

  // Waits for the next frame. Between two frames the wait is unlimited; inside one the channel's patience holds.
  Incoming next();

 private:
  enum class Fill { kFilled, kEnd, kFailed };

  std::size_t ahead() const { return end_ - begin_; }
  std::span<const std::byte> peek(std::size_t count) const { return {read_ahead_.data() + begin_, count}; }
  Fill fill_ahead(std::size_t wanted, bool inside_frame, Status& why);
  Status read_body(std::span<std::byte> body);
  Status skip(std::uint64_t count);
  std::span<std::byte> place_body(std::uint32_t body_len, std::size_t lead);
  Status read_exactly(std::span<std::byte> into);

  ByteChannel& channel_;
  FrameRules rules_;
  std::array<std::byte, kReadAhead> read_ahead_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0;
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_FRAME_READER_H_
