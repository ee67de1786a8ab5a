#include "server/session_handler.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/clock.h"
#include "onekernel/sweep.h"
#include "onekernel/version.h"
#include "server/series_work.h"

namespace onekernel::server {
namespace {

constexpr std::size_t kMaxNameBytes = 255;
// More than any machine has cores; the engine uses no more threads than there is work for.
constexpr std::uint32_t kMaxThreadsAsked = 1024;

Reply hang_up_after(Reply reply) {
  reply.hang_up = true;
  return reply;
}

template <std::size_t kSize>
void copy_text(char (&to)[kSize], std::string_view text) {
  std::memcpy(to, text.data(), std::min(text.size(), kSize - 1));
}

std::string kernel_names() {
  std::string names;
  for (const Kernel kernel : all_kernels()) names.append(names.empty() ? "" : ",").append(kernel_name(kernel));
  return names;
}

}  // namespace

Reply SessionHandler::handle(std::span<const std::byte> body, transport::ByteChannel& channel) {
  writer_.clear();
  live_.forget_reply();
  const Result<wire::RequestHeader> decoded = wire::decode_request_header(body);
  if (!decoded.ok()) {
    wire::RequestHeader unknown;
    if (body.size() >= sizeof(unknown)) std::memcpy(&unknown, body.data(), sizeof(unknown));
    return finish(unknown, decoded.status());
  }
  const wire::RequestHeader& header = decoded.value();
  const bool is_hello = header.opcode == static_cast<std::uint8_t>(wire::SessionOpcode::kHello);
  if (!is_hello && !access_.granted()) return hang_up_after(finish(header, Access::denied()));
  if (header.epoch != engine_.epoch() && !(is_hello && header.epoch == 0)) {
    return finish(header, Status(StatusCode::kStaleEpoch,
                                 "this request names another run of the engine; it was restarted: say hello and put the series "
                                 "again"));
  }
  Reply reply = [&] {
    try {
      return finish(header, dispatch(header, body, channel));
    } catch (const std::bad_alloc&) {
      return finish(header, Status(StatusCode::kUnavailable, "not enough memory for this request"));
    } catch (const std::exception& error) {
      return finish(header, Status(StatusCode::kInternal, error.what()));
    }
  }();
  reply.timing.bytes_in = wire::kLengthPrefixSize + body.size();
  return access_.granted() ? reply : hang_up_after(std::move(reply));
}

Result<Payload> SessionHandler::dispatch(const wire::RequestHeader& header, std::span<const std::byte> body,
                                         transport::ByteChannel& channel) {
  const std::span<const std::byte> rest = body.subspan(wire::kSessionHeaderSize);
  switch (static_cast<wire::SessionOpcode>(header.opcode)) {
    case wire::SessionOpcode::kHello:
      return hello(wire::PayloadReader(rest), channel);
    case wire::SessionOpcode::kPut:
      return put(wire::PayloadReader(rest), channel);
    case wire::SessionOpcode::kList:
      return list();
    case wire::SessionOpcode::kDrop:
      return drop(wire::PayloadReader(rest));
    case wire::SessionOpcode::kSweep:
      return sweep(wire::PayloadReader(rest));
    case wire::SessionOpcode::kEcho:
      return Payload{.timing = {.operation = "echo"}, .arrays = {rest}};
    case wire::SessionOpcode::kStatistics:
      return statistics();
    case wire::SessionOpcode::kAttach:
      return attach(wire::PayloadReader(rest), channel);
    case wire::SessionOpcode::kLiveOpen:
      return live_.open(wire::PayloadReader(rest));
    case wire::SessionOpcode::kLiveBars:
      return live_.bars(wire::PayloadReader(rest));
    case wire::SessionOpcode::kLiveStates:
      return live_.states(wire::PayloadReader(rest));
    case wire::SessionOpcode::kLiveSnapshot:
      return live_.snapshot(wire::PayloadReader(rest));
    case wire::SessionOpcode::kLiveRestore:
      return live_.restore(rest);
    case wire::SessionOpcode::kLiveClose:
      return live_.close(wire::PayloadReader(rest));
    case wire::SessionOpcode::kTrades:
      return live_.trades(wire::PayloadReader(rest));
  }
  return Status(StatusCode::kUnknownOpcode, "session opcode " + std::to_string(header.opcode) + " is not known here");
}

Result<Payload> SessionHandler::hello(wire::PayloadReader payload, const transport::ByteChannel& channel) {
  if (!payload.empty()) {
    const auto request = payload.take<wire::HelloRequest>();
    if (!request) return too_short("hello request");
    const auto token = payload.take_text(request->token_bytes);
    if (!token) return too_short("token");
    if (!payload.empty()) return bytes_left_over();
    access_.grant(*token);
  }
  if (!access_.granted()) return Access::denied();
  const EngineSettings& settings = engine_.settings();
  const std::string names = kernel_names();
  wire::HelloReply hello{.capabilities = channel.passes_descriptors() ? std::uint64_t{wire::kCanPassDescriptors} : 0,
                         .max_frame_bytes = settings.limits.max_frame_bytes,
                         .max_combos = settings.limits.max_combos,
                         .max_connections = settings.limits.max_connections,
                         .max_series = settings.limits.store.max_series,
                         .max_series_bytes = settings.limits.store.max_bytes,
                         .max_live_sessions = settings.limits.live.max_sessions,
                         .default_fee = settings.fee,
                         .default_kernel = static_cast<std::uint32_t>(settings.kernel),
                         .kernel_names_bytes = static_cast<std::uint32_t>(names.size())};
  copy_text(hello.version, ONEKERNEL_VERSION_STRING);
  writer_.put(hello).put_text(names);
  return Payload{.timing = {.operation = "hello"}};
}

Result<Payload> SessionHandler::put(wire::PayloadReader payload, transport::ByteChannel& channel) {
  // Taken whatever becomes of the frame, so that a descriptor never waits for a frame it did not come with.
  const base::FileDescriptor memory = channel.take_descriptor();
  const auto request = payload.take<wire::PutRequest>();
  if (!request) return too_short("put request");
  const auto name = payload.take_text(request->name_bytes);
  if (!name) return too_short("name");
  if (name->empty() || name->size() > kMaxNameBytes) {
    return Status(StatusCode::kInvalidArgument, "the name of a series has 1 to " + std::to_string(kMaxNameBytes) +
                                                    " bytes, this one " + std::to_string(name->size()));
  }
  const bool by_descriptor = (request->flags & wire::kDescriptor) != 0;
  const auto close = payload.take_array<double>(by_descriptor ? 0 : request->n_bars);
  if (!close) return too_short("closes");
  if (!payload.empty()) return bytes_left_over();

  Result<std::shared_ptr<const engine::Series>> series =
      by_descriptor ? engine::Series::map(memory, request->n_bars) : engine::Series::copy(*close);
  if (!series.ok()) return series.status();
  const bool shared = (request->flags & wire::kShared) != 0;
  const bool replace = (request->flags & wire::kReplace) != 0;
  Result<engine::StoredSeriesPtr> stored =
      shelf_.put(std::string(*name), std::move(series).value(), {.shared = shared, .replace = replace});
  if (!stored.ok()) return stored.status();
  write_info({std::string(*name), stored.value(), shared});
  return Payload{.timing = {.operation = "put", .n_bars = request->n_bars}};
}

Result<Payload> SessionHandler::list() {
  for (const engine::NamedSeries& series : shelf_.list()) write_info(series);
  return Payload{.timing = {.operation = "list"}};
}

Result<Payload> SessionHandler::drop(wire::PayloadReader payload) {
  const auto request = payload.take<wire::DropRequest>();
  if (!request) return too_short("drop request");
  if (!payload.empty()) return bytes_left_over();
  if (Status status = shelf_.drop(request->series_id); !status.ok()) return status;
  return Payload{.timing = {.operation = "drop"}};
}

Result<Payload> SessionHandler::sweep(wire::PayloadReader payload) {
  const auto request = payload.take<wire::SweepRequest>();
  if (!request) return too_short("sweep request");
  const Result<SeriesWork> work = take_series_work(payload, request->series_id, request->n_bars, request->n_combos,
                                                   engine_.settings().limits.max_combos, shelf_);
  if (!work.ok()) return work.status();
  const std::span<const Combo> combos = work.value().combos;
  const std::span<const double> close = work.value().close;
  SweepOptions options{
      .fee = request->fee, .kernel = engine_.settings().kernel, .threads = engine_.settings().threads, .cancel = &gone_};
  if (request->threads != 0) {
    options.threads = static_cast<int>(std::min<std::uint32_t>(request->threads, kMaxThreadsAsked));
  }
  if (request->kernel != wire::kDefaultKernel) {
    if (request->kernel >= all_kernels().size()) {
      return Status(StatusCode::kInvalidArgument, "kernel number " + std::to_string(request->kernel) + " is none of " +
                                                      std::to_string(all_kernels().size()) + " (" + kernel_names() + ")");
    }
    options.kernel = all_kernels()[request->kernel];
  }
  pnl_.resize(combos.size());
  trades_.resize(combos.size());
  const std::int64_t start = base::monotonic_ns();
  SweepReport report;
  const Status status = onekernel::sweep(close, combos, options, pnl_, trades_, &report);
  const std::int64_t compute_ns = base::monotonic_ns() - start;
  if (!status.ok()) return status;
  const LevelCounts& levels = report.levels;
  wire::SweepReply answer{.n_combos = combos.size(),
                          .kernel = static_cast<std::uint32_t>(report.kernel),
                          .threads = static_cast<std::uint32_t>(report.threads),
                          .levels = {levels.by_bound, levels.by_dot, levels.by_reference, levels.by_exact, levels.flips,
                                     levels.blocks, levels.blocks_exact}};
  copy_text(answer.target, report.target);
  writer_.put(answer);
  return Payload{.timing = {.operation = "sweep", .n_bars = close.size(), .n_combos = combos.size(), .compute_ns = compute_ns},
                 .arrays = {std::as_bytes(std::span(pnl_)), std::as_bytes(std::span(trades_))}};
}

Result<Payload> SessionHandler::statistics() {
  const Statistics& counted = engine_.statistics();
  const engine::SeriesStore::Usage usage = engine_.store().usage();
  const LiveBudget::Usage live = engine_.live_budget().usage();
  writer_.put(wire::StatisticsReply{
      .uptime_ns = static_cast<std::uint64_t>(base::monotonic_ns() - engine_.started_ns()),
      .requests = counted.requests.load(std::memory_order_relaxed),
      .errors = counted.errors.load(std::memory_order_relaxed),
      .bytes_in = counted.bytes_in.load(std::memory_order_relaxed),
      .bytes_out = counted.bytes_out.load(std::memory_order_relaxed),
      .compute_ns = counted.compute_ns.load(std::memory_order_relaxed),
      .connections = counted.connections.load(std::memory_order_relaxed),
      .series = usage.series,
      .series_bytes = usage.bytes,
      .live_sessions = live.sessions,
      .live_bytes = live.bytes,
  });
  return Payload{.timing = {.operation = "statistics"}};
}

Result<Payload> SessionHandler::attach(wire::PayloadReader payload, const transport::ByteChannel& channel) {
  const auto request = payload.take<wire::AttachRequest>();
  if (!request) return too_short("attach request");
  if (!payload.empty()) return bytes_left_over();
  if (!channel.passes_descriptors()) {
    return Status(StatusCode::kInvalidArgument, "shared memory is negotiated over a Unix socket; this connection is none");
  }
  const std::uint64_t limit = engine_.settings().limits.max_ring_bytes;
  if (request->ring_bytes > limit) {
    return Status(StatusCode::kLimitExceeded, "rings of " + std::to_string(request->ring_bytes) +
                                                  " bytes are over the limit of " + std::to_string(limit) +
                                                  " (--max-ring-bytes)");
  }
  Result<transport::SharedMemory> memory = transport::SharedMemory::create(static_cast<std::size_t>(request->ring_bytes));
  if (!memory.ok()) return memory.status();
  auto attached = std::make_shared<transport::SharedMemory>(std::move(memory).value());
  writer_.put(wire::AttachReply{.ring_bytes = attached->ring_bytes(), .memory_bytes = attached->size()});
  return Payload{.timing = {.operation = "attach"}, .attached = std::move(attached)};
}

void SessionHandler::write_info(const engine::NamedSeries& series) {
  writer_
      .put(wire::SeriesInfo{.id = series.stored->id,
                            .n_bars = series.stored->series->close().size(),
                            .content_hash = series.stored->series->content_hash(),
                            .flags = series.shared ? std::uint32_t{wire::kShared} : 0,
                            .name_bytes = static_cast<std::uint32_t>(series.name.size())})
      .put_text(series.name);
}

Reply SessionHandler::finish(const wire::RequestHeader& request, Result<Payload> payload) {
  Reply reply;
  std::array<std::span<const std::byte>, 2> arrays;
  if (payload.ok()) {
    reply.timing = payload.value().timing;
    reply.attached = std::move(payload.value().attached);
    arrays = payload.value().arrays;
  } else {
    reply.status = payload.status();
    reply.timing.operation = "error";
    writer_.clear();
    writer_.put_text(std::string_view(reply.status.message()).substr(0, wire::kMaxErrorMessage));
  }
  header_ = {.opcode = request.opcode,
             .status = static_cast<std::uint16_t>(reply.status.code()),
             .request_id = request.request_id,
             .epoch = engine_.epoch(),
             .compute_ns = reply.timing.compute_ns};
  const std::size_t size = sizeof(header_) + writer_.bytes().size() + arrays[0].size() + arrays[1].size();
  length_ = wire::encode_length(static_cast<std::uint32_t>(size));
  reply.timing.bytes_out = wire::kLengthPrefixSize + size;
  reply.parts = {length_, std::as_bytes(std::span(&header_, 1)), writer_.bytes(), arrays[0], arrays[1]};
  return reply;
}

}  // namespace onekernel::server
