#include "onekernel/client.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "client/address.h"
#include "client/rep.h"
#include "client/sealed_memory.h"
#include "transport/connector.h"
#include "wire/session.h"

namespace onekernel {
namespace {

using client::Bytes;
using client::bytes_of;
using client::Connection;
using client::malformed;
using wire::SessionOpcode;

constexpr std::chrono::milliseconds kLongestTimeout = std::chrono::hours(24 * 365);

std::string text_of(std::span<const char> field) { return {field.begin(), std::find(field.begin(), field.end(), '\0')}; }

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> split;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    split.emplace_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return split;
}

}  // namespace

Result<std::vector<std::byte>> client::Rep::call_of_run(std::uint64_t epoch, SessionOpcode opcode,
                                                        std::initializer_list<Bytes> payload,
                                                        std::span<const int> descriptors) {
  return guarded(connection, [&]() -> Result<std::vector<std::byte>> {
    const Result<Connection::Incoming> incoming = connection.exchange(opcode, epoch, payload, descriptors);
    if (!incoming.ok()) return incoming.status();
    return connection.read_all(incoming.value().payload_size);
  });
}

Status client::Rep::say_hello(const std::string& token) {
  wire::PayloadWriter request;
  if (!token.empty()) request.put(wire::HelloRequest{.token_bytes = static_cast<std::uint32_t>(token.size())}).put_text(token);
  const Result<Connection::Incoming> incoming = connection.exchange(SessionOpcode::kHello, /*epoch=*/0, {request.bytes()});
  if (!incoming.ok()) return incoming.status();
  const Result<std::vector<std::byte>> reply = connection.read_all(incoming.value().payload_size);
  if (!reply.ok()) return reply.status();
  engine.epoch = incoming.value().header.epoch;
  wire::PayloadReader payload(reply.value());
  const auto hello = payload.take<wire::HelloReply>();
  if (!hello) return connection.give_up(malformed("hello is too short"));
  const auto names = payload.take_text(hello->kernel_names_bytes);
  if (!names) return connection.give_up(malformed("hello ends before its kernels do"));
  engine.version = text_of(hello->version);
  engine.kernels = split_names(*names);
  if (hello->default_kernel >= engine.kernels.size()) return connection.give_up(malformed("its kernel has no name"));
  engine.default_kernel = engine.kernels[hello->default_kernel];
  engine.default_fee = hello->default_fee;
  engine.max_frame_bytes = hello->max_frame_bytes;
  engine.max_combos = hello->max_combos;
  engine.max_connections = hello->max_connections;
  engine.max_series = hello->max_series;
  engine.max_series_bytes = hello->max_series_bytes;
  engine.max_live_sessions = hello->max_live_sessions;
  connection.set_max_frame_bytes(std::min<std::uint64_t>(hello->max_frame_bytes, 0xFFFFFFFF));
  return {};
}

Result<RemoteSeries> client::Rep::take_info(wire::PayloadReader& payload) const {
  const auto info = payload.take<wire::SeriesInfo>();
  if (!info) return malformed("a series' description is too short");
  const auto name = payload.take_text(info->name_bytes);
  if (!name) return malformed("a series' description ends before its name does");
  return RemoteSeries{.id = info->id,
                      .epoch = engine.epoch,
                      .n_bars = info->n_bars,
                      .content_hash = info->content_hash,
                      .shared = (info->flags & wire::kShared) != 0,
                      .name = std::string(*name)};
}

Result<std::uint32_t> client::Rep::kernel_index(std::string_view name) const {
  if (name.empty()) return wire::kDefaultKernel;
  const auto found = std::find(engine.kernels.begin(), engine.kernels.end(), name);
  if (found != engine.kernels.end()) return static_cast<std::uint32_t>(found - engine.kernels.begin());
  std::string known;
  for (const std::string& kernel : engine.kernels) known.append(known.empty() ? "" : ", ").append(kernel);
  return Status(StatusCode::kInvalidArgument, "the engine has no kernel '" + std::string(name) + "'; it has " + known);
}

Result<SweepReply> client::Rep::sweep(std::uint64_t epoch, std::uint64_t series_id, std::span<const double> close,
                                      std::span<const Combo> combos, const RemoteSweepOptions& options) {
  const Result<std::uint32_t> kernel = kernel_index(options.kernel);
  if (!kernel.ok()) return kernel.status();
  const wire::SweepRequest request{.series_id = series_id,
                                   .n_bars = close.size(),
                                   .n_combos = combos.size(),
                                   .fee = options.fee,
                                   .kernel = kernel.value(),
                                   .threads = options.threads};
  return guarded(connection, [&]() -> Result<SweepReply> {
    const Result<Connection::Incoming> incoming =
        connection.exchange(SessionOpcode::kSweep, epoch, {bytes_of(request), std::as_bytes(close), std::as_bytes(combos)});
    if (!incoming.ok()) return incoming.status();
    wire::SweepReply head;
    if (incoming.value().payload_size != sizeof(head) + combos.size() * (sizeof(double) + sizeof(std::int64_t))) {
      return connection.give_up(malformed("a sweep's results have the wrong size"));
    }
    if (Status status = connection.read(std::as_writable_bytes(std::span(&head, 1))); !status.ok()) return status;
    if (head.kernel >= engine.kernels.size()) return connection.give_up(malformed("its kernel has no name"));
    SweepReply reply{.pnl = std::vector<double>(combos.size()),
                     .trades = std::vector<std::int64_t>(combos.size()),
                     .compute = std::chrono::nanoseconds(incoming.value().header.compute_ns),
                     .kernel = engine.kernels[head.kernel],
                     .target = text_of(head.target),
                     .threads = head.threads};
    static_assert(sizeof(reply.levels) == sizeof(head.levels), "the wire has LevelCounts in their order");
    std::memcpy(&reply.levels, head.levels, sizeof(head.levels));
    if (Status status = connection.read(std::as_writable_bytes(std::span(reply.pnl))); !status.ok()) return status;
    if (Status status = connection.read(std::as_writable_bytes(std::span(reply.trades))); !status.ok()) return status;
    return reply;
  });
}

Client::Client(std::shared_ptr<client::Rep> rep) : rep_(std::move(rep)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(std::string_view url, const ClientOptions& options) {
  const Result<client::Address> address = client::parse_address(url);
  if (!address.ok()) return address.status();
  if (options.timeout.count() <= 0) {
    return Status(StatusCode::kInvalidArgument, "the timeout must be longer than 0; there is no call without a deadline");
  }
  ClientOptions bounded = options;
  bounded.timeout = std::min(options.timeout, kLongestTimeout);
  Result<base::FileDescriptor> socket = transport::connect(address.value().endpoint, bounded.timeout);
  if (!socket.ok()) return socket.status();
  auto rep = std::make_shared<client::Rep>(std::move(socket).value(), bounded);
  if (Status status = rep->say_hello(options.token); !status.ok()) return status;
  if (address.value().over_shared_memory) {
    Status status = rep->connection.move_to_shared_memory(rep->engine.epoch, options.ring_bytes);
    if (!status.ok()) return status;
  }
  return Client(std::move(rep));
}

const EngineInfo& Client::engine() const { return rep_->engine; }

Result<RemoteSeries> client::Rep::put(std::string_view name, std::uint64_t n_bars, Bytes close, int memfd,
                                      const PutOptions& options) {
  const bool by_memfd = memfd >= 0;
  const std::uint32_t flags =
      (options.shared ? wire::kShared : 0u) | (options.replace ? wire::kReplace : 0u) | (by_memfd ? wire::kDescriptor : 0u);
  wire::PayloadWriter head;
  head.put(wire::PutRequest{.n_bars = n_bars, .flags = flags, .name_bytes = static_cast<std::uint32_t>(name.size())})
      .put_text(name);
  const Result<std::vector<std::byte>> reply =
      call(SessionOpcode::kPut, {head.bytes(), close}, {&memfd, std::size_t{by_memfd ? 1u : 0u}});
  if (!reply.ok()) return reply.status();
  wire::PayloadReader payload(reply.value());
  return take_info(payload);
}

Result<RemoteSeries> Client::put(std::string_view name, std::span<const double> close, const PutOptions& options) {
  const Bytes bytes = std::as_bytes(close);
  const bool by_memfd = rep_->connection.passes_descriptors() && bytes.size() >= rep_->memfd_from_bytes;
  if (!by_memfd) return rep_->put(name, close.size(), bytes, -1, options);
  const Result<base::FileDescriptor> memory = client::sealed_copy(bytes);
  if (!memory.ok()) return memory.status();
  return rep_->put(name, close.size(), {}, memory.value().get(), options);
}

Result<RemoteSeries> Client::put_memfd(std::string_view name, int memfd, std::uint64_t n_bars, const PutOptions& options) {
  if (!rep_->connection.passes_descriptors()) {
    return Status(StatusCode::kInvalidArgument,
                  "a memfd is passed over a Unix socket only (unix:/path); put the closes instead");
  }
  if (memfd < 0) return Status(StatusCode::kInvalidArgument, "descriptor " + std::to_string(memfd) + " is none");
  return rep_->put(name, n_bars, {}, memfd, options);
}

Result<std::vector<RemoteSeries>> Client::list() {
  const Result<std::vector<std::byte>> reply = rep_->call(SessionOpcode::kList, {});
  if (!reply.ok()) return reply.status();
  std::vector<RemoteSeries> all;
  for (wire::PayloadReader payload(reply.value()); !payload.empty();) {
    Result<RemoteSeries> series = rep_->take_info(payload);
    if (!series.ok()) return series.status();
    all.push_back(std::move(series).value());
  }
  return all;
}

Status Client::drop(const RemoteSeries& series) {
  const wire::DropRequest request{.series_id = series.id};
  const Result<Connection::Incoming> incoming =
      rep_->connection.exchange(SessionOpcode::kDrop, series.epoch, {bytes_of(request)});
  if (!incoming.ok()) return incoming.status();
  if (incoming.value().payload_size != 0) return rep_->connection.give_up(malformed("a drop answers nothing"));
  return {};
}

Result<SweepReply> Client::sweep(const RemoteSeries& series, std::span<const Combo> combos, const RemoteSweepOptions& options) {
  if (series.id == 0) return client::not_kept();
  return rep_->sweep(series.epoch, series.id, {}, combos, options);
}

Result<SweepReply> Client::sweep(std::span<const double> close, std::span<const Combo> combos,
                                 const RemoteSweepOptions& options) {
  return rep_->sweep(rep_->engine.epoch, 0, close, combos, options);
}

Status Client::echo(std::span<const std::byte> data, std::span<std::byte> back) {
  if (back.size() != data.size()) {
    return {StatusCode::kInvalidArgument, "an echo of " + std::to_string(data.size()) +
                                              " bytes needs as many to return to, not " + std::to_string(back.size())};
  }
  const Result<Connection::Incoming> incoming = rep_->connection.exchange(SessionOpcode::kEcho, rep_->engine.epoch, {data});
  if (!incoming.ok()) return incoming.status();
  if (incoming.value().payload_size != data.size()) {
    return rep_->connection.give_up(malformed("an echo has another length"));
  }
  return rep_->connection.read(back);
}

Result<EngineStatistics> Client::statistics() {
  const Result<std::vector<std::byte>> reply = rep_->call(SessionOpcode::kStatistics, {});
  if (!reply.ok()) return reply.status();
  const auto counted = wire::PayloadReader(reply.value()).take<wire::StatisticsReply>();
  if (!counted) return malformed("statistics are too short");
  return EngineStatistics{.uptime = std::chrono::nanoseconds(counted->uptime_ns),
                          .requests = counted->requests,
                          .errors = counted->errors,
                          .bytes_in = counted->bytes_in,
                          .bytes_out = counted->bytes_out,
                          .compute = std::chrono::nanoseconds(counted->compute_ns),
                          .connections = counted->connections,
                          .series = counted->series,
                          .series_bytes = counted->series_bytes,
                          .live_sessions = counted->live_sessions,
                          .live_bytes = counted->live_bytes};
}

}  // namespace onekernel
