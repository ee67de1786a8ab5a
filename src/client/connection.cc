#include "client/connection.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/clock.h"
#include "wire/classic.h"

namespace onekernel::client {
namespace {

// A list of all series an engine can keep is far below this.
constexpr std::size_t kMaxChosenByEngine = std::size_t{64} << 20;

constexpr std::chrono::nanoseconds kSharedMemorySpin{50'000};

struct Head {
  std::array<std::byte, wire::kLengthPrefixSize + wire::kSessionHeaderSize> bytes;
};

Head encode_head(std::uint32_t body_len, const wire::RequestHeader& header) {
  Head head;
  const auto length = wire::encode_length(body_len);
  std::memcpy(head.bytes.data(), length.data(), length.size());
  std::memcpy(head.bytes.data() + length.size(), &header, sizeof(header));
  return head;
}

StatusCode known_code(std::uint16_t status) {
  return status <= static_cast<std::uint16_t>(StatusCode::kOutOfOrder) ? static_cast<StatusCode>(status)
                                                                       : StatusCode::kInternal;
}

Status no_engine(const std::string& what) {
  return {StatusCode::kMalformedFrame, "what answers does not speak this protocol: " + what};
}

}  // namespace

Connection::Connection(base::FileDescriptor socket, const ClientOptions& options)
    : options_(options),
      socket_(std::move(socket), options.timeout, options.spin.value_or(std::chrono::nanoseconds(0))),
      channel_(&socket_) {}

Status Connection::usable() const {
  if (fork_guard_.in_child()) {
    return {StatusCode::kInvalidArgument,
            "this client was connected before this process was forked; its engine talks to the parent: connect again here"};
  }
  if (!broken_.ok()) {
    return {StatusCode::kConnectionClosed, "this client is of no use any more, connect again: " + broken_.message()};
  }
  return {};
}

Status Connection::give_up(Status why) {
  if (broken_.ok()) broken_ = why;
  return why;
}

Status Connection::refuse_length(std::uint64_t body_len) const {
  return {StatusCode::kLimitExceeded, "a frame of " + std::to_string(body_len) + " bytes is over the engine's limit of " +
                                          std::to_string(max_frame_bytes_) + " bytes (--max-frame-bytes)"};
}

Result<Connection::Incoming> Connection::exchange(wire::SessionOpcode opcode, std::uint64_t epoch,
                                                  std::initializer_list<Bytes> payload, std::span<const int> descriptors) {
  if (Status status = usable(); !status.ok()) return status;
  std::uint64_t body_len = wire::kSessionHeaderSize;
  for (const Bytes& part : payload) body_len += part.size();
  if (body_len > max_frame_bytes_) return refuse_length(body_len);

  const Head head = encode_head(static_cast<std::uint32_t>(body_len),
                                {.opcode = static_cast<std::uint8_t>(opcode), .request_id = next_id_, .epoch = epoch});
  std::array<Bytes, 1 + kMaxParts> parts{head.bytes};
  std::size_t count = 1;
  for (const Bytes& part : payload) parts[count++] = part;
  const std::span<const Bytes> frame(parts.data(), count);
  const Status sent = descriptors.empty() ? channel_->write_all(frame) : channel_->write_with_descriptors(frame, descriptors);
  // An engine that turns a client away says why before it hangs up: what it wrote is still there to be read.
  const bool hung_up = sent.code() == StatusCode::kConnectionClosed;
  if (!sent.ok() && !hung_up) return give_up(sent);
  Result<Incoming> incoming = read_header(opcode);
  ++next_id_;
  return incoming;
}

Result<Connection::Incoming> Connection::read_header(wire::SessionOpcode opcode) {
  begin_ = end_ = 0;
  reply_deadline_ = 0;
  if (Status status = fill_ahead(wire::kLengthPrefixSize + 1); !status.ok()) return status;
  std::uint32_t body_len = 0;
  std::memcpy(&body_len, ahead_.data() + begin_, sizeof(body_len));
  begin_ += sizeof(body_len);
  if (!wire::is_session_opcode(static_cast<std::uint8_t>(ahead_[begin_]))) return read_classic_error(body_len);
  if (body_len < wire::kSessionHeaderSize) return give_up(no_engine("a reply of " + std::to_string(body_len) + " bytes"));
  if (Status status = fill_ahead(wire::kSessionHeaderSize); !status.ok()) return status;
  const Result<wire::ReplyHeader> decoded = wire::decode_reply_header({ahead_.data() + begin_, wire::kSessionHeaderSize});
  if (!decoded.ok()) return give_up(decoded.status());
  begin_ += wire::kSessionHeaderSize;
  const wire::ReplyHeader& header = decoded.value();
  if (header.request_id != next_id_ || header.opcode != static_cast<std::uint8_t>(opcode)) {
    return give_up(no_engine("a reply to request " + std::to_string(header.request_id) + " where " + std::to_string(next_id_) +
                             " was asked"));
  }
  const std::size_t payload_size = body_len - wire::kSessionHeaderSize;
  if (header.status != 0) return read_error(header, payload_size);
  return Incoming{header, payload_size};
}

Status Connection::read_error(const wire::ReplyHeader& header, std::size_t payload_size) {
  Result<std::vector<std::byte>> text = read_all(payload_size);
  if (!text.ok()) return text.status();
  return {known_code(header.status), std::string(wire::decode_error_text(text.value()))};
}

// The engine closes after the only classic errors that can be met here: too many clients, a frame it could not take.
Status Connection::read_classic_error(std::uint32_t body_len) {
  if (!wire::is_error_length(body_len)) return give_up(no_engine("a classic reply to a session frame"));
  Result<std::vector<std::byte>> body = read_all(body_len);
  if (!body.ok()) return body.status();
  return give_up(wire::decode_error_body(body.value()));
}

Status Connection::read(std::span<std::byte> into) {
  const std::size_t ready = std::min(end_ - begin_, into.size());
  if (ready > 0) std::memcpy(into.data(), ahead_.data() + begin_, ready);
  begin_ += ready;
  into = into.subspan(ready);
  while (!into.empty()) {
    const Result<std::size_t> got = read_some(into);
    if (!got.ok()) return got.status();
    into = into.subspan(got.value());
    if (into.empty()) break;
    if (Status status = check_trickle(); !status.ok()) return status;
  }
  return {};
}

Result<std::vector<std::byte>> Connection::read_all(std::size_t size) {
  if (size > kMaxChosenByEngine) return give_up(no_engine("a payload of " + std::to_string(size) + " bytes"));
  std::vector<std::byte> payload(size);
  if (Status status = read(payload); !status.ok()) return status;
  return payload;
}

// REQUIRES: what is wanted fits behind begin_.
Status Connection::fill_ahead(std::size_t wanted) {
  while (end_ - begin_ < wanted) {
    const Result<std::size_t> got = read_some(std::span(ahead_).subspan(end_));
    if (!got.ok()) return got.status();
    end_ += got.value();
    if (end_ - begin_ >= wanted) break;
    if (Status status = check_trickle(); !status.ok()) return status;
  }
  return {};
}

// At least one byte.
Result<std::size_t> Connection::read_some(std::span<std::byte> into) {
  Result<std::size_t> got = channel_->read_some(into);
  if (!got.ok()) return give_up(got.status());
  if (got.value() == 0) {
    return give_up({StatusCode::kConnectionClosed, "the engine hung up before its reply; it was stopped, or has died"});
  }
  return got;
}

// The channel bounds each single wait; this bounds a reply in many pieces, and only such a reply pays for the clock.
Status Connection::check_trickle() {
  const std::int64_t now = base::monotonic_ns();
  if (reply_deadline_ == 0) reply_deadline_ = now + std::chrono::nanoseconds(options_.timeout).count();
  if (now > reply_deadline_) return give_up({StatusCode::kDeadlineExceeded, "the engine's reply trickles in too slowly"});
  return {};
}

Status Connection::move_to_shared_memory(std::uint64_t epoch, std::size_t ring_bytes) {
  const wire::AttachRequest request{.ring_bytes = ring_bytes};
  Result<Incoming> incoming = exchange(wire::SessionOpcode::kAttach, epoch, {std::as_bytes(std::span(&request, 1))});
  if (!incoming.ok()) return incoming.status();
  wire::AttachReply reply;
  if (incoming.value().payload_size != sizeof(reply)) return give_up(no_engine("an attach reply of the wrong size"));
  if (Status status = read(std::as_writable_bytes(std::span(&reply, 1))); !status.ok()) return status;
  std::array<base::FileDescriptor, 3> descriptors;
  for (base::FileDescriptor& descriptor : descriptors) descriptor = socket_.take_descriptor();
  Result<transport::SharedMemory> memory =
      transport::SharedMemory::adopt(std::move(descriptors), static_cast<std::size_t>(reply.ring_bytes));
  if (!memory.ok()) return give_up(memory.status());
  ring_.emplace(
      std::move(memory).value(), transport::RingChannel::Side::kClient, socket_.descriptor_to_watch(),
      transport::RingChannel::Waiting{.spin = options_.spin.value_or(kSharedMemorySpin), .patience = options_.timeout});
  channel_ = &*ring_;
  return {};
}

}  // namespace onekernel::client
