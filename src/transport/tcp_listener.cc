#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/system_error.h"
#include "transport/listener.h"

namespace onekernel::transport {
namespace {

constexpr int kBacklog = SOMAXCONN;

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
  }
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

std::uint16_t bound_port(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (generic->sa_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(generic)->sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in*>(generic)->sin_port);
}

}  // namespace

Result<Listener> Listener::open_tcp(const TcpEndpoint& endpoint, Reach reach) {
  const std::string url = endpoint_url(endpoint);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
      error != 0) {
    return Status(StatusCode::kInvalidArgument, "cannot resolve the host of " + url + ": " + ::gai_strerror(error));
  }
  const AddressList addresses(found, &::freeaddrinfo);
  const addrinfo& address = *addresses;
  if (reach == Reach::kThisMachine && !is_loopback(address.ai_addr)) {
    return Status(StatusCode::kInvalidArgument,
                  url +
                      " can be reached from other machines, so its clients must know a token: give --token-file PATH or set "
                      "ONEKERNEL_TOKEN; or listen on 127.0.0.1 or [::1]");
  }
  base::FileDescriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return base::system_error("cannot create a TCP socket", errno);
  const int on = 1;  // a restart must not wait for the old connections' TIME_WAIT
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno == EADDRINUSE) return Status(StatusCode::kUnavailable, "a server already listens on " + url);
    return base::system_error("cannot bind " + url, errno);
  }
  if (::listen(socket.get(), kBacklog) != 0) return base::system_error("cannot listen on " + url, errno);
  const std::uint16_t port = bound_port(socket.get());
  return Listener(std::move(socket), TcpEndpoint{endpoint.host, port}, std::nullopt);
}

}  // namespace onekernel::transport
