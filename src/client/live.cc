#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "client/rep.h"
#include "onekernel/remote_live.h"
#include "wire/live.h"

namespace onekernel {

using client::Bytes;
using client::bytes_of;
using client::Connection;
using client::guarded;
using client::malformed;
using wire::SessionOpcode;

struct RemoteLive::State {
  std::shared_ptr<client::Rep> rep;
  wire::LiveInfo info;
  std::vector<Change> changes;
  std::size_t part = SIZE_MAX;  // closes of one request: about as many as the engine can tell the changes of
  bool open = true;

  Status usable() const {
    return open ? Status() : Status(StatusCode::kNotFound, "this live session is closed: open another one");
  }
  Status take_bars(std::int64_t first, std::span<const double> closes);
  Result<std::vector<std::byte>> ask(SessionOpcode opcode);
  Status close();
};

// One request and its reply; the changes are put behind those that are there.
Status RemoteLive::State::take_bars(std::int64_t first, std::span<const double> closes) {
  Connection& connection = rep->connection;
  return guarded(connection, [&]() -> Status {
    const wire::LiveBarsRequest request{.live_id = info.live_id, .first_bar = first, .n_bars = closes.size()};
    const Result<Connection::Incoming> incoming =
        connection.exchange(SessionOpcode::kLiveBars, rep->engine.epoch, {bytes_of(request), std::as_bytes(closes)});
    if (!incoming.ok()) return incoming.status();
    wire::LiveBarsReply reply;
    const std::size_t size = incoming.value().payload_size;
    if (size < sizeof(reply)) return connection.give_up(malformed("a reply to bars is too short"));
    if (Status status = connection.read(std::as_writable_bytes(std::span(&reply, 1))); !status.ok()) return status;
    const std::size_t rest = size - sizeof(reply);
    if (rest % sizeof(Change) != 0 || reply.n_changes != rest / sizeof(Change)) {
      return connection.give_up(malformed("a reply to bars has the wrong size"));
    }
    // At least one bar is taken by every request that has one, or a client would ask for ever.
    const std::int64_t most = first + std::ssize(closes);
    if (reply.next_bar > most || (reply.next_bar <= first && !closes.empty())) {
      return connection.give_up(malformed("it took bars that were not sent, or none"));
    }
    const std::size_t before = changes.size();
    changes.resize(before + static_cast<std::size_t>(reply.n_changes));
    if (Status status = connection.read(std::as_writable_bytes(std::span(changes).subspan(before))); !status.ok()) {
      changes.resize(before);
      return status;
    }
    info.next_bar = reply.next_bar;
    return {};
  });
}

Result<std::vector<std::byte>> RemoteLive::State::ask(SessionOpcode opcode) {
  if (Status status = usable(); !status.ok()) return status;
  return rep->call(opcode, {bytes_of(wire::LiveRequest{.live_id = info.live_id})});
}

Status RemoteLive::State::close() {
  const Result<std::vector<std::byte>> reply = ask(SessionOpcode::kLiveClose);
  open = false;
  return reply.ok() ? Status() : reply.status();
}

RemoteLive::RemoteLive(std::unique_ptr<State> state) : state_(std::move(state)) {}
RemoteLive::RemoteLive(RemoteLive&&) noexcept = default;
RemoteLive& RemoteLive::operator=(RemoteLive&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
RemoteLive::~RemoteLive() {
  if (state_ && state_->open) (void)state_->close();
}

Result<std::span<const Change>> RemoteLive::bar(std::int64_t index, double close) { return bars(index, {&close, 1}); }

Result<std::span<const Change>> RemoteLive::bars(std::int64_t first, std::span<const double> closes) {
  State& state = *state_;
  state.changes.clear();
  if (Status status = state.usable(); !status.ok()) return status;
  const std::uint64_t head = wire::kSessionHeaderSize + sizeof(wire::LiveBarsRequest);
  const std::uint64_t frame = std::max<std::uint64_t>(state.rep->engine.max_frame_bytes, head + sizeof(double));
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>((frame - head) / sizeof(double), closes.size()));
  do {
    const std::size_t sent = std::min({most, state.part, closes.size()});
    if (Status status = state.take_bars(first, closes.first(sent)); !status.ok()) return status;
    const std::size_t taken = sent == 0 ? 0 : static_cast<std::size_t>(state.info.next_bar - first);
    // What was sent and not taken is sent again, so not much more than that is sent; and less only as long as it must be.
    if (taken < sent || sent == state.part) state.part = 2 * taken;
    closes = closes.subspan(taken);
    first = state.info.next_bar;
  } while (!closes.empty());
  return std::span<const Change>(state.changes);
}

std::int64_t RemoteLive::next_bar() const { return state_->info.next_bar; }
std::size_t RemoteLive::n_combos() const { return static_cast<std::size_t>(state_->info.n_combos); }
double RemoteLive::fee() const { return state_->info.fee; }
std::uint64_t RemoteLive::bytes() const { return state_->info.bytes; }

Result<std::vector<LiveState>> RemoteLive::states() {
  const Result<std::vector<std::byte>> reply = state_->ask(SessionOpcode::kLiveStates);
  if (!reply.ok()) return reply.status();
  wire::PayloadReader payload(reply.value());
  if (!payload.take<wire::LiveInfo>()) return malformed("a live session's description is too short");
  const auto states = payload.take_array<LiveState>(state_->info.n_combos);
  if (!states || !payload.empty()) return malformed("the states of a live session have the wrong size");
  return std::vector<LiveState>(states->begin(), states->end());
}

Result<std::vector<std::byte>> RemoteLive::snapshot() { return state_->ask(SessionOpcode::kLiveSnapshot); }

Status RemoteLive::close() { return state_->close(); }

Result<RemoteLive> Client::open_live(std::uint64_t epoch, std::uint64_t series_id, std::span<const double> history,
                                     std::span<const Combo> combos, const RemoteLiveOptions& options) {
  const wire::LiveOpenRequest request{.series_id = series_id,
                                      .n_bars = history.size(),
                                      .n_combos = combos.size(),
                                      .fee = options.fee,
                                      .threads = options.threads};
  return keep_live(
      rep_->call_of_run(epoch, SessionOpcode::kLiveOpen, {bytes_of(request), std::as_bytes(history), std::as_bytes(combos)}));
}

Result<RemoteLive> Client::keep_live(const Result<std::vector<std::byte>>& reply) {
  if (!reply.ok()) return reply.status();
  const auto info = wire::PayloadReader(reply.value()).take<wire::LiveInfo>();
  if (!info) return malformed("a live session's description is too short");
  return RemoteLive(std::make_unique<RemoteLive::State>(RemoteLive::State{.rep = rep_, .info = *info, .changes = {}}));
}

Result<RemoteLive> Client::live(std::span<const Combo> combos, const RemoteLiveOptions& options,
                                std::span<const double> history) {
  return open_live(rep_->engine.epoch, 0, history, combos, options);
}

Result<RemoteLive> Client::live(std::span<const Combo> combos, const RemoteLiveOptions& options, const RemoteSeries& history) {
  if (history.id == 0) return client::not_kept();
  return open_live(history.epoch, history.id, {}, combos, options);
}

Result<RemoteLive> Client::restore(std::span<const std::byte> snapshot) {
  return keep_live(rep_->call(SessionOpcode::kLiveRestore, {snapshot}));
}

Result<TradeList> Client::trades(std::span<const double> close, std::span<const Combo> combos,
                                 const RemoteLiveOptions& options) {
  return list_trades(rep_->engine.epoch, 0, close, combos, options);
}

Result<TradeList> Client::trades(const RemoteSeries& series, std::span<const Combo> combos, const RemoteLiveOptions& options) {
  if (series.id == 0) return client::not_kept();
  return list_trades(series.epoch, series.id, {}, combos, options);
}

Result<TradeList> Client::list_trades(std::uint64_t epoch, std::uint64_t series_id, std::span<const double> close,
                                      std::span<const Combo> combos, const RemoteLiveOptions& options) {
  Connection& connection = rep_->connection;
  const wire::LiveOpenRequest request{.series_id = series_id,
                                      .n_bars = close.size(),
                                      .n_combos = combos.size(),
                                      .fee = options.fee,
                                      .threads = options.threads};
  return guarded(connection, [&]() -> Result<TradeList> {
    const Result<Connection::Incoming> incoming =
        connection.exchange(SessionOpcode::kTrades, epoch, {bytes_of(request), std::as_bytes(close), std::as_bytes(combos)});
    if (!incoming.ok()) return incoming.status();
    const std::uint64_t size = incoming.value().payload_size;
    wire::TradesReply head;
    if (size < sizeof(head)) return connection.give_up(malformed("a list of trades is too short"));
    if (Status status = connection.read(std::as_writable_bytes(std::span(&head, 1))); !status.ok()) return status;
    if (head.n_combos != combos.size() || head.n_closed > size / sizeof(Trade) || head.n_open > combos.size() ||
        size !=
            sizeof(head) + head.n_combos * sizeof(double) + head.n_closed * sizeof(Trade) + head.n_open * sizeof(OpenTrade)) {
      return connection.give_up(malformed("a list of trades has the wrong size"));
    }
    TradeList list{.closed = std::vector<Trade>(static_cast<std::size_t>(head.n_closed)),
                   .open = std::vector<OpenTrade>(static_cast<std::size_t>(head.n_open)),
                   .pnl = std::vector<double>(combos.size())};
    if (Status status = connection.read(std::as_writable_bytes(std::span(list.pnl))); !status.ok()) return status;
    if (Status status = connection.read(std::as_writable_bytes(std::span(list.closed))); !status.ok()) return status;
    if (Status status = connection.read(std::as_writable_bytes(std::span(list.open))); !status.ok()) return status;
    return list;
  });
}

}  // namespace onekernel
