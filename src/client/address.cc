#include "client/address.h"

#include <string>
#include <utility>

namespace onekernel::client {

Result<Address> parse_address(std::string_view url) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::string_view kShm = "shm:";
  constexpr std::string_view kTcp = "tcp://";
  if (url.starts_with(kUnix)) return Address{transport::UnixEndpoint{std::string(url.substr(kUnix.size()))}};
  if (url.starts_with(kShm)) {
    return Address{transport::UnixEndpoint{std::string(url.substr(kShm.size()))}, /*over_shared_memory=*/true};
  }
  if (url.starts_with(kTcp)) {
    Result<transport::TcpEndpoint> endpoint = transport::parse_host_port(url.substr(kTcp.size()));
    if (!endpoint.ok()) return endpoint.status();
    return Address{std::move(endpoint).value()};
  }
  return Status(StatusCode::kInvalidArgument, "endpoint '" + std::string(url) +
                                                  "' is not understood; use unix:/path/to.sock, tcp://host:port or "
                                                  "shm:/path/to.sock");
}

}  // namespace onekernel::client
