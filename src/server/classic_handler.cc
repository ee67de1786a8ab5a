#include "server/classic_handler.h"

#include <exception>
#include <new>
#include <string>

#include "base/clock.h"
#include "onekernel/sweep.h"

namespace onekernel::server {
namespace {

// Puts the arrays, which begin 9 bytes into a body, on a multiple of 8.
constexpr std::size_t kClassicLead = (8 - wire::kClassicHeaderSize % 8) % 8;

}  // namespace

transport::FrameRules ClassicHandler::rules() const {
  const std::uint32_t max_combos = settings_.limits.max_combos;
  return {settings_.limits.max_frame_bytes, wire::kClassicHeaderSize,
          [max_combos](std::span<const std::byte> prefix, std::uint32_t body_len) -> Result<std::size_t> {
            const Result<wire::ClassicHeader> header = wire::decode_classic_header(prefix, body_len);
            if (!header.ok()) return header.status();
            if (header.value().n_combos > max_combos) return over_combo_limit(header.value().n_combos, max_combos);
            return kClassicLead;
          }};
}

Reply ClassicHandler::handle(std::span<const std::byte> body) try {
  const Result<wire::ClassicRequest> request = wire::decode_classic_request(body);
  if (!request.ok()) return refuse(request.status());
  Reply answer = request.value().opcode == wire::ClassicOpcode::kEcho
                     ? reply(std::as_bytes(request.value().close), {}, {.operation = "echo"})
                     : sweep(request.value());
  answer.timing.n_bars = request.value().close.size();
  answer.timing.n_combos = request.value().combos.size();
  answer.timing.bytes_in = wire::kLengthPrefixSize + body.size();
  return answer;
} catch (const std::bad_alloc&) {
  return refuse({StatusCode::kUnavailable, "not enough memory for this request"});
} catch (const std::exception& error) {
  return refuse({StatusCode::kInternal, error.what()});
}

Reply ClassicHandler::sweep(const wire::ClassicRequest& request) {
  pnl_.resize(request.combos.size());
  trades_.resize(request.combos.size());
  const std::int64_t start = base::monotonic_ns();
  const Status status = onekernel::sweep(
      request.close, request.combos,
      {.fee = settings_.fee, .kernel = settings_.kernel, .threads = settings_.threads, .cancel = gone_}, pnl_, trades_);
  const std::int64_t compute_ns = base::monotonic_ns() - start;
  if (!status.ok()) return refuse(status);
  return reply(std::as_bytes(std::span(pnl_)), std::as_bytes(std::span(trades_)),
               {.operation = "sweep", .compute_ns = compute_ns});
}

Reply ClassicHandler::refuse(const Status& status) {
  error_ = wire::encode_error_body(status);
  Reply answer = reply(error_, {}, {.operation = "error"});
  answer.status = status;
  return answer;
}

Reply ClassicHandler::reply(std::span<const std::byte> first, std::span<const std::byte> second, Timing timing) {
  const std::size_t body_len = first.size() + second.size();
  length_ = wire::encode_length(static_cast<std::uint32_t>(body_len));
  timing.bytes_out = wire::kLengthPrefixSize + body_len;
  return {.parts = {length_, first, second}, .timing = timing};
}

}  // namespace onekernel::server
