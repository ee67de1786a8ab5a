#include "server/request_handler.h"

#include "wire/session.h"

namespace onekernel::server {
namespace {

// A client that has not proved itself gets no more memory than a hello takes.
constexpr std::uint32_t kMostBeforeHello = 4096;

bool is_session(std::span<const std::byte> bytes) {
  return !bytes.empty() && wire::is_session_opcode(static_cast<std::uint8_t>(bytes[0]));
}

}  // namespace

transport::FrameRules RequestHandler::rules() const {
  transport::FrameRules rules = classic_.rules();
  rules.admit = [this, classic = std::move(rules.admit)](std::span<const std::byte> prefix,
                                                         std::uint32_t body_len) -> Result<std::size_t> {
    if (!access_.granted() && body_len > kMostBeforeHello) return Access::denied();
    if (is_session(prefix)) return std::size_t{0};  // its arrays are aligned within the body
    return classic(prefix, body_len);
  };
  return rules;
}

Reply RequestHandler::handle(std::span<const std::byte> body, transport::ByteChannel& channel) {
  if (is_session(body)) return session_.handle(body, channel);
  if (access_.granted()) return classic_.handle(body);
  Reply reply = classic_.refuse(Access::denied());
  reply.hang_up = true;
  return reply;
}

}  // namespace onekernel::server
