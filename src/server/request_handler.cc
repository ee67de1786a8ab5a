#include "server/request_handler.h"

#include "wire/session.h"

namespace onekernel::server {
namespace {

bool is_session(std::span<const std::byte> bytes) {
  return !bytes.empty() && wire::is_session_opcode(static_cast<std::uint8_t>(bytes[0]));
}

}  // namespace

transport::FrameRules RequestHandler::rules() const {
  transport::FrameRules rules = classic_.rules();
  rules.admit = [classic = std::move(rules.admit)](std::span<const std::byte> prefix,
                                                   std::uint32_t body_len) -> Result<std::size_t> {
    if (is_session(prefix)) return std::size_t{0};  // its arrays are aligned within the body
    return classic(prefix, body_len);
  };
  return rules;
}

Reply RequestHandler::handle(std::span<const std::byte> body, transport::ByteChannel& channel) {
  return is_session(body) ? session_.handle(body, channel) : classic_.handle(body);
}

}  // namespace onekernel::server
