// Where a server listens: unix:/path/to.sock or tcp://host:port.
#ifndef ONEKERNEL_TRANSPORT_ENDPOINT_H_
#define ONEKERNEL_TRANSPORT_ENDPOINT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "onekernel/status.h"

namespace onekernel::transport {

struct UnixEndpoint {
  std::string path;
};
struct TcpEndpoint {
  std::string host;        // a name or an address; IPv6 addresses without brackets
  std::uint16_t port = 0;  // 0: the system chooses
};
using Endpoint = std::variant<UnixEndpoint, TcpEndpoint>;

std::string endpoint_url(const Endpoint& endpoint);

// "host:port", "[::1]:port". Errors: kInvalidArgument.
Result<TcpEndpoint> parse_host_port(std::string_view text);

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_ENDPOINT_H_
