// Answers session requests. One handler per connection: it owns what the client has put for itself and the last reply.
#ifndef ONEKERNEL_SERVER_SESSION_HANDLER_H_
#define ONEKERNEL_SERVER_SESSION_HANDLER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/series_store.h"
#include "onekernel/status.h"
#include "server/access.h"
#include "server/engine_state.h"
#include "server/live_handler.h"
#include "server/payload.h"
#include "server/reply.h"
#include "transport/byte_channel.h"
#include "wire/classic.h"
#include "wire/session.h"

namespace onekernel::server {

class SessionHandler {
 public:
  SessionHandler(EngineState& engine, Access& access, const std::atomic<bool>& gone)
      : engine_(engine), access_(access), gone_(gone), shelf_(engine.store()) {}

  // Answers the request in `body`, which is 8-aligned and came over `channel`. Whatever is wrong with it becomes an error
  // reply.
  Reply handle(std::span<const std::byte> body, transport::ByteChannel& channel);

 private:
  Result<Payload> dispatch(const wire::RequestHeader& header, std::span<const std::byte> body, transport::ByteChannel& channel);
  Result<Payload> hello(wire::PayloadReader payload, const transport::ByteChannel& channel);
  Result<Payload> put(wire::PayloadReader payload, transport::ByteChannel& channel);
  Result<Payload> list();
  Result<Payload> drop(wire::PayloadReader payload);
  Result<Payload> sweep(wire::PayloadReader payload);
  Result<Payload> statistics();
  Result<Payload> attach(wire::PayloadReader payload, const transport::ByteChannel& channel);

  void write_info(const engine::NamedSeries& series);
  Reply finish(const wire::RequestHeader& request, Result<Payload> payload);

  EngineState& engine_;
  Access& access_;
  const std::atomic<bool>& gone_;
  engine::SeriesShelf shelf_;
  std::array<std::byte, wire::kLengthPrefixSize> length_{};
  wire::ReplyHeader header_;
  wire::PayloadWriter writer_;
  LiveHandler live_{engine_, shelf_, writer_, gone_};
  std::vector<double> pnl_;
  std::vector<std::int64_t> trades_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_SESSION_HANDLER_H_
