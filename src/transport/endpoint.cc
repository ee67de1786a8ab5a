#include "transport/endpoint.h"

#include <charconv>

namespace onekernel::transport {

std::string endpoint_url(const Endpoint& endpoint) {
  if (const auto* local = std::get_if<UnixEndpoint>(&endpoint)) return "unix:" + local->path;
  const auto& tcp = std::get<TcpEndpoint>(endpoint);
  const bool is_ipv6 = tcp.host.find(':') != std::string::npos;
  return "tcp://" + (is_ipv6 ? "[" + tcp.host + "]" : tcp.host) + ":" + std::to_string(tcp.port);
}

Result<TcpEndpoint> parse_host_port(std::string_view text) {
  const Status malformed(StatusCode::kInvalidArgument,
                         "'" + std::string(text) + "' is not HOST:PORT, such as 127.0.0.1:7001 or [::1]:7001");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return malformed;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return malformed;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return malformed;  // an IPv6 address without brackets: where does it end?
  }
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) return malformed;
  return TcpEndpoint{std::string(host), port};
}

}  // namespace onekernel::transport
