#include "transport/byte_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/clock.h"
#include "base/system_error.h"

namespace onekernel::transport {
namespace {

// Parts per system call; Linux takes 1024 (IOV_MAX), no frame here has more than a handful.
constexpr std::size_t kMaxParts = 16;

// Calls `write(iovec*, count)` until every part has gone. `write` returns what writev does.
template <class Write>
Status write_parts(std::span<const std::span<const std::byte>> parts, Write write) {
  std::size_t part = 0;
  std::size_t offset = 0;
  while (part < parts.size()) {
    std::array<iovec, kMaxParts> vectors;
    std::size_t count = 0;
    for (std::size_t i = part; i < parts.size() && count < kMaxParts; ++i) {
      const std::span<const std::byte> rest = parts[i].subspan(i == part ? offset : 0);
      if (!rest.empty()) vectors[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};
    }
    if (count == 0) {
      part += kMaxParts;
      offset = 0;
      continue;
    }
    const ssize_t written = write(vectors.data(), count);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return {StatusCode::kDeadlineExceeded, "the peer took nothing of a reply for too long"};
      }
      if (errno == EPIPE || errno == ECONNRESET) return {StatusCode::kConnectionClosed, "the peer hung up before its reply"};
      return base::system_error("cannot write a reply", errno);
    }
    for (auto left = static_cast<std::size_t>(written); part < parts.size();) {
      const std::size_t step = std::min(left, parts[part].size() - offset);
      left -= step;
      offset += step;
      if (offset < parts[part].size()) break;
      ++part;
      offset = 0;
    }
  }
  return {};
}

// Calls `read()` again while signals interrupt it.
template <class Read>
Result<std::size_t> read_once(Read read) {
  for (;;) {
    const ssize_t got = read();
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Status(StatusCode::kDeadlineExceeded, "the peer sent nothing for too long");
    }
    if (errno == ECONNRESET) return std::size_t{0};  // a peer that was killed: it will send nothing more
    return base::system_error("cannot read", errno);
  }
}

}  // namespace

SocketChannel::SocketChannel(base::FileDescriptor socket, std::chrono::milliseconds patience) : socket_(std::move(socket)) {
  // The kernel keeps the deadline, which costs no extra system call per read.
  const timeval timeout{static_cast<time_t>(patience.count() / 1000), static_cast<suseconds_t>(patience.count() % 1000 * 1000)};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

Result<std::size_t> SocketChannel::read_some(std::span<std::byte> into) {
  return read_once([&] { return ::recv(socket_.get(), into.data(), into.size(), 0); });
}

Status SocketChannel::write_all(std::span<const std::span<const std::byte>> parts) {
  return write_parts(parts, [&](iovec* vectors, std::size_t count) {
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = count;
    return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  });
}

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
  return read_once([&] { return ::read(input_, into.data(), into.size()); });
}

Status PipeChannel::write_all(std::span<const std::span<const std::byte>> parts) {
  return write_parts(parts,
                     [&](iovec* vectors, std::size_t count) { return ::writev(output_, vectors, static_cast<int>(count)); });
}

}  // namespace onekernel::transport
