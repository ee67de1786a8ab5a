// One request, one reply, over whatever carries bytes. Knows headers and errors, nothing of what an operation says.
//
// A reply is read in two steps: exchange() reads its header, read() its payload, straight to where the caller wants it.
// When anything goes wrong between a request's first byte and its reply's last, the stream is out of step: the connection is
// broken, and everything later is refused.
#ifndef ONEKERNEL_CLIENT_CONNECTION_H_
#define ONEKERNEL_CLIENT_CONNECTION_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "client/fork_guard.h"
#include "onekernel/client.h"
#include "onekernel/status.h"
#include "transport/byte_channel.h"
#include "transport/ring_channel.h"
#include "wire/session.h"

namespace onekernel::client {

class Connection {
 public:
  using Bytes = std::span<const std::byte>;
  static constexpr std::size_t kMaxParts = 4;

  struct Incoming {
    wire::ReplyHeader header;
    std::size_t payload_size = 0;  // to be read
  };

  Connection(base::FileDescriptor socket, const ClientOptions& options);

  // Sends a request and reads its reply's header. An error reply is read whole and is the Status.
  // REQUIRES: at most kMaxParts parts; the payload of the reply before has been read.
  Result<Incoming> exchange(wire::SessionOpcode opcode, std::uint64_t epoch, std::initializer_list<Bytes> payload,
                            std::span<const int> descriptors = {});

  // Reads the next bytes of the payload.
  Status read(std::span<std::byte> into);
  // Reads a payload whose size the engine chose. Errors: kMalformedFrame where it is beyond all sense.
  Result<std::vector<std::byte>> read_all(std::size_t size);

  // Makes the connection unusable because of `why`, and returns why.
  Status give_up(Status why);

  // Goes on in shared memory: asks for rings of `ring_bytes`.
  Status move_to_shared_memory(std::uint64_t epoch, std::size_t ring_bytes);

  bool passes_descriptors() const { return channel_->passes_descriptors(); }
  // Of what the engine said it takes; a longer request would cost the connection.
  void set_max_frame_bytes(std::uint64_t bytes) { max_frame_bytes_ = bytes; }

 private:
  Status usable() const;
  Status refuse_length(std::uint64_t body_len) const;
  Result<Incoming> read_header(wire::SessionOpcode opcode);
  Status read_error(const wire::ReplyHeader& header, std::size_t payload_size);
  Status read_classic_error(std::uint32_t body_len);
  Status fill_ahead(std::size_t wanted);
  Result<std::size_t> read_some(std::span<std::byte> into);
  Status check_trickle();

  static constexpr std::size_t kReadAhead = 4096;

  ClientOptions options_;
  ForkGuard fork_guard_;
  transport::SocketChannel socket_;
  std::optional<transport::RingChannel> ring_;
  transport::ByteChannel* channel_;
  std::uint64_t max_frame_bytes_ = 0xFFFFFFFF;
  std::uint64_t next_id_ = 1;
  Status broken_;
  // What came with a header. Nothing lies here when a reply has been read to its end: an engine speaks only when asked.
  std::array<std::byte, kReadAhead> ahead_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t reply_deadline_ = 0;  // 0: the reply has not begun to trickle
};

}  // namespace onekernel::client

#endif  // ONEKERNEL_CLIENT_CONNECTION_H_
