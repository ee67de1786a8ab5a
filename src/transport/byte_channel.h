// A stream of bytes in both directions, whatever carries it: a socket, or a pair of pipes.
#ifndef ONEKERNEL_TRANSPORT_BYTE_CHANNEL_H_
#define ONEKERNEL_TRANSPORT_BYTE_CHANNEL_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "base/file_descriptor.h"
#include "onekernel/status.h"
#include "transport/outgoing.h"

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

  // Writes all of it. On an error `outgoing` knows what has not been written, so that the write can be taken up again.
  // Errors: kDeadlineExceeded when the peer took nothing within the channel's patience, kConnectionClosed, kIo.
  // REQUIRES: descriptors only where passes_descriptors().
  virtual Status write(Outgoing& outgoing) = 0;

  // The same for parts that need not be taken up again.
  Status write_all(Outgoing::Parts parts) {
    Outgoing outgoing(parts);
    return write(outgoing);
  }

  // Ends reading, from any thread: a blocked or later read_some sees the end of the stream once what has arrived is read.
  virtual void end_reading() {}

  // What becomes readable when the other side has gone; -1 where there is no such thing.
  virtual int descriptor_to_watch() const { return -1; }

  // Whether open files can go along with bytes (SCM_RIGHTS), as on a Unix socket.
  virtual bool passes_descriptors() const { return false; }
  // The oldest of the descriptors that came with the bytes read so far; invalid where there is none. Of those that nobody
  // takes, the newest kMaxDescriptors are kept open.
  virtual base::FileDescriptor take_descriptor() { return {}; }
  // As write_all; the descriptors travel with the first byte. REQUIRES: at most kMaxDescriptors.
  static constexpr std::size_t kMaxDescriptors = 4;
  Status write_with_descriptors(Outgoing::Parts parts, std::span<const int> descriptors);
};

// A connected stream socket. `patience` bounds every single wait for the peer.
class SocketChannel final : public ByteChannel {
 public:
  // `spin`: how long read_some looks again and again before it lets the kernel put this thread to sleep.
  SocketChannel(base::FileDescriptor socket, std::chrono::milliseconds patience,
                std::chrono::nanoseconds spin = std::chrono::nanoseconds(0));

  // From the next wait on.
  void set_patience(std::chrono::milliseconds patience);
  // Ends the connection, from any thread: whoever waits in it is woken.
  void hang_up();
  // Whether a signal ends a wait like the end of its patience does (kDeadlineExceeded), so that the caller can look what the
  // signal wants. Otherwise the wait goes on.
  void set_interruptible(bool interruptible) { interruptible_ = interruptible; }

  Result<std::size_t> read_some(std::span<std::byte> into) override;
  Status write(Outgoing& outgoing) override;
  void end_reading() override;
  bool passes_descriptors() const override { return is_unix_; }
  base::FileDescriptor take_descriptor() override;

  int descriptor_to_watch() const override { return socket_.get(); }

  // Says goodbye so that the peer still gets what was written last: closing a socket with unread input discards it.
  // Ends writing, then reads and drops what the peer still sends until it hangs up, for at most `at_most`.
  void linger(std::chrono::milliseconds at_most);

 private:
  ssize_t receive(std::span<std::byte> into, int flags);
  ssize_t receive_with_descriptor(std::span<std::byte> into, int flags);

  base::FileDescriptor socket_;
  bool is_unix_;
  bool interruptible_ = false;
  std::chrono::milliseconds patience_{-1};  // as the kernel knows it
  std::chrono::nanoseconds spin_;
  std::vector<base::FileDescriptor> descriptors_;
};

// Two descriptors that stay the caller's, such as standard input and output. Waits are not bounded: whoever started the
// process can end it. SIGPIPE must be ignored.
class PipeChannel final : public ByteChannel {
 public:
  PipeChannel(int input, int output) : input_(input), output_(output) {}

  Result<std::size_t> read_some(std::span<std::byte> into) override;
  Status write(Outgoing& outgoing) override;

 private:
  int input_;
  int output_;
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_BYTE_CHANNEL_H_
