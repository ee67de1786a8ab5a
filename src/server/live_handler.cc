#include "server/live_handler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "engine/checks.h"
#include "engine/live_snapshot.h"
#include "server/settings.h"

namespace onekernel::server {
namespace {

constexpr std::uint64_t kMaxThreadsAsked = 1024;
// What a reply has besides its array, rounded up.
constexpr std::size_t kReplyHeadBytes = 256;
// A reply tells no more changes than these (or those of one bar), so that no session keeps much memory for them; the client
// sends the rest of its closes again.
constexpr std::size_t kMostChanges = 8'192;

std::int64_t since(std::int64_t started_ns) { return base::monotonic_ns() - started_ns; }

}  // namespace

void LiveHandler::forget_reply() {
  states_ = {};
  snapshot_ = {};
  trades_ = {};
}

Result<LiveHandler::Asked> LiveHandler::take_asked(wire::PayloadReader payload) {
  const auto request = payload.take<wire::LiveOpenRequest>();
  if (!request) return too_short("request");
  Result<SeriesWork> work = take_series_work(payload, request->series_id, request->n_bars, request->n_combos,
                                             engine_.settings().limits.max_combos, shelf_);
  if (!work.ok()) return work.status();
  return Asked{.request = *request, .work = std::move(work).value()};
}

Result<Payload> LiveHandler::open(wire::PayloadReader payload) {
  const Result<Asked> asked = take_asked(payload);
  if (!asked.ok()) return asked.status();
  Result<LiveBudget::Share> share = reserve(asked.value().work.combos);
  if (!share.ok()) return share.status();
  const wire::LiveOpenRequest& request = asked.value().request;
  LiveOptions options{.fee = request.fee,
                      .threads = engine_.settings().threads,
                      .max_bytes = UINT64_MAX,  // reserved above
                      .cancel = &gone_};
  if (request.threads != 0) options.threads = static_cast<int>(std::min(request.threads, kMaxThreadsAsked));
  const std::int64_t started_ns = base::monotonic_ns();
  return keep(LiveSession::open(asked.value().work.combos, options, asked.value().work.close), std::move(share).value(),
              "live open", started_ns);
}

Result<Payload> LiveHandler::restore(std::span<const std::byte> snapshot) {
  const Result<engine::LiveSnapshot> decoded = engine::decode_snapshot(snapshot);
  if (!decoded.ok()) return decoded.status();
  Result<LiveBudget::Share> share = reserve(decoded.value().combos);
  if (!share.ok()) return share.status();
  const std::int64_t started_ns = base::monotonic_ns();
  return keep(LiveSession::restore(snapshot, {.max_bytes = UINT64_MAX, .cancel = &gone_}), std::move(share).value(),
              "live restore", started_ns);
}

Result<LiveBudget::Share> LiveHandler::reserve(std::span<const Combo> combos) {
  if (Status windows = engine::check_windows(combos); !windows.ok()) return windows;
  if (Status windows = engine::check_longest_window(combos, kLongestLiveWindow); !windows.ok()) return windows;
  return engine_.live_budget().take(engine::most_live_bytes(combos));
}

Result<Payload> LiveHandler::keep(Result<LiveSession> session, LiveBudget::Share share, const char* operation,
                                  std::int64_t started_ns) {
  if (!session.ok()) return session.status();
  const std::uint64_t n_combos = session.value().combos().size();
  const std::uint64_t change_bytes = n_combos * sizeof(Change) + kReplyHeadBytes;
  if (change_bytes > engine_.settings().limits.max_frame_bytes) {
    return Status(StatusCode::kLimitExceeded,
                  "one bar may change all " + std::to_string(n_combos) + " combos, and telling so takes " +
                      std::to_string(change_bytes) + " bytes, over the limit of " +
                      std::to_string(engine_.settings().limits.max_frame_bytes) + " (--max-frame-bytes)");
  }
  const std::uint64_t id = next_id_++;
  const auto [place, is_new] =
      sessions_.try_emplace(id, Held{.id = id, .session = std::move(session).value(), .share = std::move(share)});
  write_info(place->second);
  return Payload{.timing = {.operation = operation, .n_combos = n_combos, .compute_ns = since(started_ns)}};
}

Result<Payload> LiveHandler::bars(wire::PayloadReader payload) {
  const auto request = payload.take<wire::LiveBarsRequest>();
  if (!request) return too_short("bars request");
  const auto closes = payload.take_array<double>(request->n_bars);
  if (!closes) return too_short("closes");
  if (!payload.empty()) return bytes_left_over();
  const Result<Held*> held = find(request->live_id);
  if (!held.ok()) return held.status();
  LiveSession& session = held.value()->session;
  const std::size_t fit = (engine_.settings().limits.max_frame_bytes - kReplyHeadBytes) / sizeof(Change);
  const std::size_t most_changes = std::min(fit, std::max(kMostChanges, session.combos().size()));
  const std::int64_t started_ns = base::monotonic_ns();
  const Result<std::span<const Change>> changes = session.bars(request->first_bar, *closes, most_changes);
  if (!changes.ok()) return changes.status();
  const std::int64_t compute_ns = since(started_ns);
  writer_.put(wire::LiveBarsReply{.next_bar = session.next_bar(), .n_changes = changes.value().size()});
  return Payload{.timing = {.operation = "live bars",
                            .n_bars = static_cast<std::uint64_t>(session.next_bar() - request->first_bar),
                            .n_combos = session.combos().size(),
                            .compute_ns = compute_ns},
                 .arrays = {std::as_bytes(changes.value())}};
}

Result<Payload> LiveHandler::states(wire::PayloadReader payload) {
  const Result<Held*> held = take_session(payload);
  if (!held.ok()) return held.status();
  states_ = held.value()->session.states();
  write_info(*held.value());
  return Payload{.timing = {.operation = "live states"}, .arrays = {std::as_bytes(std::span(states_))}};
}

Result<Payload> LiveHandler::snapshot(wire::PayloadReader payload) {
  const Result<Held*> held = take_session(payload);
  if (!held.ok()) return held.status();
  Result<std::vector<std::byte>> taken = held.value()->session.snapshot();
  if (!taken.ok()) return taken.status();
  if (const std::uint64_t size = taken.value().size() + kReplyHeadBytes; size > engine_.settings().limits.max_frame_bytes) {
    return Status(StatusCode::kLimitExceeded, "the snapshot takes " + std::to_string(size) + " bytes, over the limit of " +
                                                  std::to_string(engine_.settings().limits.max_frame_bytes) +
                                                  " (--max-frame-bytes)");
  }
  snapshot_ = std::move(taken).value();
  return Payload{.timing = {.operation = "live snapshot"}, .arrays = {snapshot_}};
}

Result<Payload> LiveHandler::close(wire::PayloadReader payload) {
  const Result<Held*> held = take_session(payload);
  if (!held.ok()) return held.status();
  sessions_.erase(held.value()->id);
  return Payload{.timing = {.operation = "live close"}};
}

Result<Payload> LiveHandler::trades(wire::PayloadReader payload) {
  const Result<Asked> asked = take_asked(payload);
  if (!asked.ok()) return asked.status();
  const wire::LiveOpenRequest& request = asked.value().request;
  SweepOptions options{
      .fee = request.fee, .kernel = Kernel::kCertified, .threads = engine_.settings().threads, .cancel = &gone_};
  if (request.threads != 0) options.threads = static_cast<int>(std::min(request.threads, kMaxThreadsAsked));
  const std::size_t n_combos = asked.value().work.combos.size();
  const std::size_t others = n_combos * (sizeof(OpenTrade) + sizeof(double)) + kReplyHeadBytes;
  const std::size_t room = engine_.settings().limits.max_frame_bytes;
  const std::int64_t started_ns = base::monotonic_ns();
  Result<TradeList> list = list_trades(asked.value().work.close, asked.value().work.combos, options,
                                       room < others ? 0 : (room - others) / sizeof(Trade));
  if (!list.ok()) return list.status();
  trades_ = std::move(list).value();
  const std::int64_t compute_ns = since(started_ns);
  writer_.put(wire::TradesReply{.n_combos = n_combos, .n_closed = trades_.closed.size(), .n_open = trades_.open.size()});
  for (const double pnl : trades_.pnl) writer_.put(pnl);
  return Payload{.timing = {.operation = "trades",
                            .n_bars = asked.value().work.close.size(),
                            .n_combos = n_combos,
                            .compute_ns = compute_ns},
                 .arrays = {std::as_bytes(std::span(trades_.closed)), std::as_bytes(std::span(trades_.open))}};
}

Result<LiveHandler::Held*> LiveHandler::take_session(wire::PayloadReader payload) {
  const auto request = payload.take<wire::LiveRequest>();
  if (!request) return too_short("live session's id");
  if (!payload.empty()) return bytes_left_over();
  return find(request->live_id);
}

Result<LiveHandler::Held*> LiveHandler::find(std::uint64_t live_id) {
  const auto found = sessions_.find(live_id);
  if (found != sessions_.end()) return &found->second;
  return Status(StatusCode::kNotFound, "this connection has no live session " + std::to_string(live_id));
}

void LiveHandler::write_info(const Held& held) {
  const LiveSession& session = held.session;
  writer_.put(wire::LiveInfo{.live_id = held.id,
                             .next_bar = session.next_bar(),
                             .n_combos = session.combos().size(),
                             .bytes = session.bytes(),
                             .fee = session.fee()});
}

}  // namespace onekernel::server
