// A stream of bytes in both directions, whatever carries it: a socket, or a pair of pipes.
#ifndef ONEKERNEL_TRANSPORT_BYTE_CHANNEL_H_
#define ONEKERNEL_TRANSPORT_BYTE_CHANNEL_H_

#include <chrono>
#include <cstddef>
#include <span>

#include "base/file_descriptor.h"
#include "onekernel/status.h"

namespace onekernel::transport {

class ByteChannel {
 public:
  ByteChannel() = default;
  ByteChannel(const ByteChannel&) = delete;
  ByteChannel& operator=(const ByteChannel&) = delete;
  virtual ~ByteChannel() = default;

  // Waits for at least one byte and returns how many were read, 0 at the end of the stream.
  // Errors: kDeadlineExceeded when nothing came within the channel's patience, kIo.
  virtual Result<std::size_t> read_some(std::span<std::byte> into) = 0;

  // Writes all parts, one after the other, as if they were one array.
  // Errors: kDeadlineExceeded when the peer took nothing within the channel's patience, kConnectionClosed, kIo.
  virtual Status write_all(std::span<const std::span<const std::byte>> parts) = 0;
};

// A connected stream socket. `patience` bounds every single wait for the peer.
class SocketChannel final : public ByteChannel {
 public:
  SocketChannel(base::FileDescriptor socket, std::chrono::milliseconds patience);

  Result<std::size_t> read_some(std::span<std::byte> into) override;
  Status write_all(std::span<const std::span<const std::byte>> parts) override;

  // Ends reading, from any thread: a blocked or later read_some sees the end of the stream once what has arrived is read.
  void end_reading();

  // Says goodbye so that the peer still gets what was written last: closing a socket with unread input discards it.
  // Ends writing, then reads and drops what the peer still sends until it hangs up, for at most `at_most`.
  void linger(std::chrono::milliseconds at_most);

 private:
  base::FileDescriptor socket_;
};

// Two descriptors that stay the caller's, such as standard input and output. Waits are not bounded: whoever started the
// process can end it. SIGPIPE must be ignored.
class PipeChannel final : public ByteChannel {
 public:
  PipeChannel(int input, int output) : input_(input), output_(output) {}

  Result<std::size_t> read_some(std::span<std::byte> into) override;
  Status write_all(std::span<const std::span<const std::byte>> parts) override;

 private:
  int input_;
  int output_;
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_BYTE_CHANNEL_H_
