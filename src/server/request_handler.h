// Bytes in, bytes out: tells classic from session frames and answers both. One handler per connection.
#ifndef ONEKERNEL_SERVER_REQUEST_HANDLER_H_
#define ONEKERNEL_SERVER_REQUEST_HANDLER_H_

#include <atomic>
#include <span>
#include <string>

#include "server/access.h"
#include "server/classic_handler.h"
#include "server/engine_state.h"
#include "server/reply.h"
#include "server/session_handler.h"
#include "transport/byte_channel.h"
#include "transport/frame_reader.h"

namespace onekernel::server {

class RequestHandler {
 public:
  // `gone` is set when the client has gone; with classic frames over TCP, where a client may end its side of the connection and
  // still wait for a reply, that may be a mistake.
  RequestHandler(EngineState& engine, const std::string& token, const std::atomic<bool>& gone, bool is_local)
      : access_(token), classic_(engine.settings(), is_local ? &gone : nullptr), session_(engine, access_, gone) {}

  // What a frame reader must know to receive requests: limits, and where a body has to lie.
  transport::FrameRules rules() const;

  // Answers the request in `body`, which was received from `channel` under rules().
  Reply handle(std::span<const std::byte> body, transport::ByteChannel& channel);

  // The reply to what was never a request: a frame refused under rules(), or a broken stream.
  Reply refuse(const Status& status) { return classic_.refuse(status); }

 private:
  Access access_;
  ClassicHandler classic_;
  SessionHandler session_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_REQUEST_HANDLER_H_
