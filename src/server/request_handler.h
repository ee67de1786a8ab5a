// Bytes in, bytes out: tells classic from session frames and answers both. One handler per connection.
#ifndef ONEKERNEL_SERVER_REQUEST_HANDLER_H_
#define ONEKERNEL_SERVER_REQUEST_HANDLER_H_

#include <span>

#include "server/classic_handler.h"
#include "server/engine_state.h"
#include "server/reply.h"
#include "server/session_handler.h"
#include "transport/byte_channel.h"
#include "transport/frame_reader.h"

namespace onekernel::server {

class RequestHandler {
 public:
  explicit RequestHandler(EngineState& engine) : classic_(engine.settings()), session_(engine) {}

  // What a frame reader must know to receive requests: limits, and where a body has to lie.
  transport::FrameRules rules() const;

  // Answers the request in `body`, which was received from `channel` under rules().
  Reply handle(std::span<const std::byte> body, transport::ByteChannel& channel);

  // The reply to what was never a request: a frame refused under rules(), or a broken stream.
  Reply refuse(const Status& status) { return classic_.refuse(status); }

 private:
  ClassicHandler classic_;
  SessionHandler session_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_REQUEST_HANDLER_H_
