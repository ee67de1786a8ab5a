#include "transport/connector.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/system_error.h"
#include "transport/listener.h"

namespace onekernel::transport {
namespace {

using std::chrono::milliseconds;

Status refused(const std::string& url, int error) {
  switch (error) {
    case ECONNREFUSED:
    case ENOENT:
      return {StatusCode::kUnavailable, "no engine listens on " + url};
    case EAGAIN:
    case EINPROGRESS:
    case ETIMEDOUT:
      return {StatusCode::kDeadlineExceeded, "no engine took the connection to " + url + " in time"};
    default:
      return base::system_error("cannot connect to " + url, error);
  }
}

// Waits until an asynchronous connect has come to its end. Returns its errno, ETIMEDOUT where that took too long.
int finish_connecting(int socket, std::int64_t deadline) {
  for (;;) {
    const std::int64_t left_ms = std::max<std::int64_t>(0, (deadline - base::monotonic_ns()) / 1'000'000);
    pollfd waiting{socket, POLLOUT, 0};
    const int events = ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left_ms, std::numeric_limits<int>::max())));
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) return events == 0 ? ETIMEDOUT : errno;
    int error = 0;
    socklen_t size = sizeof(error);
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }
}

// A Unix socket's connect waits only where the server's backlog is full; the send timeout bounds that.
Result<base::FileDescriptor> connect_unix(const UnixEndpoint& endpoint, milliseconds timeout) {
  const std::string url = endpoint_url(endpoint);
  if (endpoint.path.empty()) return Status(StatusCode::kInvalidArgument, "'" + url + "' names no socket file");
  if (endpoint.path.size() > kMaxUnixPath) {
    return Status(StatusCode::kInvalidArgument, "the socket path in '" + url + "' has " + std::to_string(endpoint.path.size()) +
                                                    " bytes, but a Unix socket path holds at most " +
                                                    std::to_string(kMaxUnixPath));
  }
  base::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return base::system_error("cannot create a Unix socket", errno);
  const timeval at_most{static_cast<time_t>(timeout.count() / 1000), static_cast<suseconds_t>(timeout.count() % 1000 * 1000)};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &at_most, sizeof(at_most));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, endpoint.path.data(), endpoint.path.size());
  int error = 0;
  do {
    error = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 ? 0 : errno;
  } while (error == EINTR);
  if (error != 0) return refused(url, error);
  return socket;
}

Result<base::FileDescriptor> connect_address(const addrinfo& address, const std::string& url, std::int64_t deadline) {
  const int type = address.ai_socktype | SOCK_CLOEXEC;
  base::FileDescriptor socket(::socket(address.ai_family, type | SOCK_NONBLOCK, address.ai_protocol));
  if (!socket.valid()) return base::system_error("cannot create a TCP socket", errno);
  int error = ::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) error = finish_connecting(socket.get(), deadline);
  if (error != 0) return refused(url, error);
  const int flags = ::fcntl(socket.get(), F_GETFL);
  ::fcntl(socket.get(), F_SETFL, flags & ~O_NONBLOCK);
  const int on = 1;  // a request is written at once; waiting to fill a segment would only add latency
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return socket;
}

Result<base::FileDescriptor> connect_tcp(const TcpEndpoint& endpoint, milliseconds timeout) {
  const std::string url = endpoint_url(endpoint);
  const std::int64_t deadline = base::monotonic_ns() + std::chrono::nanoseconds(timeout).count();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
      error != 0) {
    return Status(StatusCode::kInvalidArgument, "cannot resolve the host of " + url + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  Status why(StatusCode::kInvalidArgument, "the host of " + url + " has no address");
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Result<base::FileDescriptor> socket = connect_address(*address, url, deadline);
    if (socket.ok()) return socket;
    why = socket.status();
  }
  return why;
}

}  // namespace

Result<base::FileDescriptor> connect(const Endpoint& endpoint, milliseconds timeout) {
  if (const auto* local = std::get_if<UnixEndpoint>(&endpoint)) return connect_unix(*local, timeout);
  return connect_tcp(std::get<TcpEndpoint>(endpoint), timeout);
}

}  // namespace onekernel::transport
