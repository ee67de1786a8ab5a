#include "transport/byte_channel.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/system_error.h"

namespace onekernel::transport {
namespace {

// Parts per system call; Linux takes 1024 (IOV_MAX), no frame here has more than a handful.
constexpr std::size_t kMaxParts = 16;

// Calls `write(iovec*, count)` until everything has gone. `write` returns what writev does.
template <class Write>
Status write_parts(Outgoing& outgoing, bool interruptible, Write write) {
  while (outgoing.left() > 0) {
    std::array<iovec, kMaxParts> vectors;
    const std::size_t count = outgoing.peek(vectors);
    const ssize_t written = write(vectors.data(), count);
    if (written >= 0) {
      outgoing.skip(static_cast<std::size_t>(written));
      if (outgoing.left() > 0 && outgoing.out_of_time()) {
        return {StatusCode::kDeadlineExceeded, "the peer takes a message too slowly"};
      }
      continue;
    }
    if (errno == EINTR && !interruptible) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
      return {StatusCode::kDeadlineExceeded, "the peer took nothing of a message for too long"};
    }
    if (errno == EPIPE || errno == ECONNRESET) return {StatusCode::kConnectionClosed, "the peer hung up before its reply"};
    return base::system_error("cannot write", errno);
  }
  return {};
}

// Calls `read()` again while signals interrupt it, unless they may end the wait.
template <class Read>
Result<std::size_t> read_once(bool interruptible, Read read) {
  for (;;) {
    const ssize_t got = read();
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR && !interruptible) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
      return Status(StatusCode::kDeadlineExceeded, "the peer sent nothing for too long");
    }
    if (errno == ECONNRESET) return std::size_t{0};  // a peer that was killed: it will send nothing more
    return base::system_error("cannot read", errno);
  }
}

int socket_family(int socket) {
  int family = 0;
  socklen_t size = sizeof(family);
  ::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size);
  return family;
}

}  // namespace

Status ByteChannel::write_with_descriptors(Outgoing::Parts parts, std::span<const int> descriptors) {
  if (!passes_descriptors()) return {StatusCode::kInternal, "this channel carries bytes only"};
  Outgoing outgoing(parts, descriptors);
  return write(outgoing);
}

SocketChannel::SocketChannel(base::FileDescriptor socket, std::chrono::milliseconds patience, std::chrono::nanoseconds spin)
    : socket_(std::move(socket)), is_unix_(socket_family(socket_.get()) == AF_UNIX), spin_(spin) {
  set_patience(patience);
}

// The kernel keeps the deadline, which costs no extra system call per read.
void SocketChannel::set_patience(std::chrono::milliseconds patience) {
  if (patience == patience_) return;
  patience_ = patience;
  const timeval timeout{static_cast<time_t>(patience.count() / 1000), static_cast<suseconds_t>(patience.count() % 1000 * 1000)};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

Result<std::size_t> SocketChannel::read_some(std::span<std::byte> into) {
  if (spin_.count() > 0) {
    const std::int64_t until = base::monotonic_ns() + spin_.count();
    do {
      const ssize_t got = receive(into, MSG_DONTWAIT);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EAGAIN && errno != EWOULDBLOCK) break;  // the blocking call below reports it
      ::sched_yield();                                     // the peer may have to run on this very core
    } while (base::monotonic_ns() < until);
  }
  return read_once(interruptible_, [&] { return receive(into, 0); });
}

ssize_t SocketChannel::receive(std::span<std::byte> into, int flags) {
  return is_unix_ ? receive_with_descriptor(into, flags) : ::recv(socket_.get(), into.data(), into.size(), flags);
}

ssize_t SocketChannel::receive_with_descriptor(std::span<std::byte> into, int flags) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control;
  iovec vector{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket_.get(), &message, flags | MSG_CMSG_CLOEXEC);
  if (got < 0) return got;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int received = -1;
      std::memcpy(&received, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      descriptors_.emplace_back(received);
      if (descriptors_.size() > kMaxDescriptors) descriptors_.erase(descriptors_.begin());  // nobody took it: closed
    }
  }
  return got;
}

base::FileDescriptor SocketChannel::take_descriptor() {
  if (descriptors_.empty()) return {};
  base::FileDescriptor first = std::move(descriptors_.front());
  descriptors_.erase(descriptors_.begin());
  return first;
}

Status SocketChannel::write(Outgoing& outgoing) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
  return write_parts(outgoing, interruptible_, [&](iovec* vectors, std::size_t count) {
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = count;
    if (const std::span<const int> descriptors = outgoing.descriptors(); !descriptors.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  });
}

void SocketChannel::hang_up() { ::shutdown(socket_.get(), SHUT_RDWR); }

void SocketChannel::end_reading() { ::shutdown(socket_.get(), SHUT_RD); }

void SocketChannel::linger(std::chrono::milliseconds at_most) {
  ::shutdown(socket_.get(), SHUT_WR);
  const std::int64_t deadline = base::monotonic_ns() + std::chrono::nanoseconds(at_most).count();
  std::vector<std::byte> dropped(64 * 1024);
  for (;;) {
    const std::int64_t left_ms = (deadline - base::monotonic_ns()) / 1'000'000;
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (left_ms <= 0 || ::poll(&waiting, 1, static_cast<int>(left_ms)) <= 0) return;
    if (::recv(socket_.get(), dropped.data(), dropped.size(), MSG_DONTWAIT) <= 0) return;
  }
}

Result<std::size_t> PipeChannel::read_some(std::span<std::byte> into) {
  return read_once(/*interruptible=*/false, [&] { return ::read(input_, into.data(), into.size()); });
}

Status PipeChannel::write(Outgoing& outgoing) {
  return write_parts(outgoing, /*interruptible=*/false,
                     [&](iovec* vectors, std::size_t count) { return ::writev(output_, vectors, static_cast<int>(count)); });
}

}  // namespace onekernel::transport
