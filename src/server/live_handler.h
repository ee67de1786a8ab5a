// Answers the requests of live sessions and lists of trades. One per connection: its sessions end with it.
#ifndef ONEKERNEL_SERVER_LIVE_HANDLER_H_
#define ONEKERNEL_SERVER_LIVE_HANDLER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/series_store.h"
#include "onekernel/live.h"
#include "onekernel/trades.h"
#include "server/engine_state.h"
#include "server/live_budget.h"
#include "server/payload.h"
#include "server/series_work.h"
#include "wire/live.h"
#include "wire/session.h"

namespace onekernel::server {

class LiveHandler {
 public:
  LiveHandler(EngineState& engine, engine::SeriesShelf& shelf, wire::PayloadWriter& writer, const std::atomic<bool>& gone)
      : engine_(engine), shelf_(shelf), writer_(writer), gone_(gone) {}
  LiveHandler(const LiveHandler&) = delete;
  LiveHandler& operator=(const LiveHandler&) = delete;

  // Lets go of what the last reply needed.
  void forget_reply();

  Result<Payload> open(wire::PayloadReader payload);
  Result<Payload> restore(std::span<const std::byte> snapshot);
  Result<Payload> bars(wire::PayloadReader payload);
  Result<Payload> states(wire::PayloadReader payload);
  Result<Payload> snapshot(wire::PayloadReader payload);
  Result<Payload> close(wire::PayloadReader payload);
  Result<Payload> trades(wire::PayloadReader payload);

 private:
  struct Held {
    std::uint64_t id;
    LiveSession session;
    LiveBudget::Share share;
  };
  // What open and trades ask for.
  struct Asked {
    wire::LiveOpenRequest request;
    SeriesWork work;
  };

  Result<Asked> take_asked(wire::PayloadReader payload);
  Result<LiveBudget::Share> reserve(std::span<const Combo> combos);
  Result<Payload> keep(Result<LiveSession> session, LiveBudget::Share share, const char* operation, std::int64_t started_ns);
  // The session that a request of nothing but its id is for.
  Result<Held*> take_session(wire::PayloadReader payload);
  Result<Held*> find(std::uint64_t live_id);
  void write_info(const Held& held);

  EngineState& engine_;
  engine::SeriesShelf& shelf_;
  wire::PayloadWriter& writer_;
  const std::atomic<bool>& gone_;
  std::map<std::uint64_t, Held> sessions_;
  std::uint64_t next_id_ = 1;
  // The arrays of the last reply.
  std::vector<LiveState> states_;
  std::vector<std::byte> snapshot_;
  TradeList trades_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_LIVE_HANDLER_H_
