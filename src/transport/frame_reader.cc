#include "transport/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace onekernel::transport {
namespace {

constexpr std::size_t kLengthPrefix = 4;
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 8, "arrays of 8-byte values start aligned in a buffer from new");
// A buffer is kept for the next frame unless it is larger than this: one huge request must not pin its memory.
constexpr std::size_t kKeptCapacity = std::size_t{64} << 20;

const char* const kHungUp = "the stream ended inside a frame";

}  // namespace

FrameReader::Incoming FrameReader::next() {
  Status why;
  switch (fill_ahead(kLengthPrefix, /*inside_frame=*/false, why)) {
    case Fill::kEnd:
      return {Event::kEnd, {}, {}};
    case Fill::kFailed:
      return {Event::kBroken, {}, why};
    case Fill::kFilled:
      break;
  }
  std::uint32_t body_len = 0;
  std::memcpy(&body_len, peek(kLengthPrefix).data(), kLengthPrefix);
  begin_ += kLengthPrefix;
  if (body_len > rules_.max_body) {
    return {Event::kBroken,
            {},
            {StatusCode::kLimitExceeded, "a frame of " + std::to_string(body_len) + " bytes is over the limit of " +
                                             std::to_string(rules_.max_body) + " bytes (--max-frame-bytes)"}};
  }
  const std::size_t prefix_size = std::min<std::size_t>(body_len, rules_.prefix_size);
  if (fill_ahead(prefix_size, /*inside_frame=*/true, why) != Fill::kFilled) return {Event::kBroken, {}, why};

  Result<std::size_t> lead = rules_.admit(peek(prefix_size), body_len);
  if (!lead.ok()) {
    if (Status skipped = skip(body_len); !skipped.ok()) return {Event::kBroken, {}, skipped};
    return {Event::kRefused, {}, lead.status()};
  }
  const std::span<std::byte> body = place_body(body_len, lead.value());
  if (body.data() == nullptr) {
    if (Status skipped = skip(body_len); !skipped.ok()) return {Event::kBroken, {}, skipped};
    return {Event::kRefused, {}, {StatusCode::kUnavailable, "no memory for a frame of " + std::to_string(body_len) + " bytes"}};
  }
  if (Status status = read_body(body); !status.ok()) return {Event::kBroken, {}, status};
  return {Event::kFrame, body, {}};
}

// Reads until `wanted` bytes lie ready. `why` is set unless the result is kFilled.
FrameReader::Fill FrameReader::fill_ahead(std::size_t wanted, bool inside_frame, Status& why) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (ahead() < wanted && kReadAhead - begin_ < wanted) {
    std::memmove(read_ahead_.data(), read_ahead_.data() + begin_, ahead());
    end_ = ahead();
    begin_ = 0;
  }
  while (ahead() < wanted) {
    const bool idle = !inside_frame && ahead() == 0;
    const Result<std::size_t> got = channel_.read_some(std::span(read_ahead_).subspan(end_));
    if (!got.ok()) {
      if (idle && got.status().code() == StatusCode::kDeadlineExceeded) continue;
      why = got.status();
      return Fill::kFailed;
    }
    if (got.value() == 0) {
      why = {StatusCode::kConnectionClosed, kHungUp};
      return idle ? Fill::kEnd : Fill::kFailed;
    }
    end_ += got.value();
  }
  return Fill::kFilled;
}

std::span<std::byte> FrameReader::place_body(std::uint32_t body_len, std::size_t lead) {
  const std::size_t needed = lead + body_len;
  if (needed > capacity_ || capacity_ > kKeptCapacity) {
    buffer_.reset();
    capacity_ = 0;
    buffer_.reset(new (std::nothrow) std::byte[std::max<std::size_t>(needed, 1)]);
    if (buffer_ == nullptr) return {};
    capacity_ = needed;
  }
  return {buffer_.get() + lead, body_len};
}

Status FrameReader::read_body(std::span<std::byte> body) {
  const std::size_t ready = std::min(ahead(), body.size());
  std::memcpy(body.data(), peek(ready).data(), ready);
  begin_ += ready;
  return read_exactly(body.subspan(ready));
}

Status FrameReader::read_exactly(std::span<std::byte> into) {
  while (!into.empty()) {
    const Result<std::size_t> got = channel_.read_some(into);
    if (!got.ok()) return got.status();
    if (got.value() == 0) return {StatusCode::kConnectionClosed, kHungUp};
    into = into.subspan(got.value());
  }
  return {};
}

Status FrameReader::skip(std::uint64_t count) {
  const auto ready = static_cast<std::size_t>(std::min<std::uint64_t>(ahead(), count));
  begin_ += ready;
  count -= ready;
  while (count > 0) {  // what lay ahead is used up by now, so its memory is free
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(count, kReadAhead));
    if (Status status = read_exactly(std::span(read_ahead_).first(step)); !status.ok()) return status;
    count -= step;
  }
  return {};
}

}  // namespace onekernel::transport
