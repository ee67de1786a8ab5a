#include "server/conversation.h"

#include <utility>

#include "base/clock.h"
#include "transport/frame_reader.h"

namespace onekernel::server {

using transport::FrameReader;

Conversation::Conversation(EngineState& engine, transport::ByteChannel& channel, std::chrono::milliseconds patience,
                           const std::string& token)
    : engine_(engine), channel_(channel), patience_(patience), handler_(engine, token, gone_, channel.passes_descriptors()) {
  engine_.statistics().connections.fetch_add(1, std::memory_order_relaxed);
}

Conversation::~Conversation() { engine_.statistics().connections.fetch_sub(1, std::memory_order_relaxed); }

Status Conversation::run() {
  Status status = talk(channel_);
  if (status.ok() && attached_ != nullptr && !ending_.load()) return move_to_shared_memory();
  return status;
}

Status Conversation::answer_once() {
  FrameReader reader(channel_, handler_.rules());
  Status why;
  static_cast<void>(step(channel_, reader, why));
  return why;
}

void Conversation::end() {
  ending_.store(true);
  channel_.end_reading();
  const std::lock_guard lock(mutex_);
  if (ring_ != nullptr) ring_->end_reading();
}

// Until the stream ends, or until the conversation has to go on in shared memory.
Status Conversation::talk(transport::ByteChannel& channel) {
  FrameReader reader(channel, handler_.rules());
  Status why;
  while (!ending_.load(std::memory_order_relaxed)) {
    switch (step(channel, reader, why)) {
      case Step::kAnswered:
        if (attached_ != nullptr && ring_ == nullptr) return {};
        continue;
      case Step::kRefused:
        continue;
      case Step::kEnded:
        return {};
      case Step::kBroken:
        return why;
    }
  }
  return {};
}

Status Conversation::move_to_shared_memory() {
  const int socket = channel_.descriptor_to_watch();
  {
    const std::lock_guard lock(mutex_);
    ring_ = std::make_unique<transport::RingChannel>(
        std::move(*attached_), transport::RingChannel::Side::kServer, socket,
        transport::RingChannel::Waiting{.spin = engine_.settings().spin.shared_memory, .patience = patience_});
    if (ending_.load()) ring_->end_reading();
  }
  return talk(*ring_);
}

// One request and its reply. `why` is set unless the step is kAnswered.
Conversation::Step Conversation::step(transport::ByteChannel& channel, FrameReader& reader, Status& why) {
  const FrameReader::Incoming incoming = reader.next();
  switch (incoming.event) {
    case FrameReader::Event::kEnd:
      why = {StatusCode::kConnectionClosed, "there is no request"};
      return Step::kEnded;
    case FrameReader::Event::kBroken:
      why = incoming.status;
      // A client that has hung up cannot be told; any other shall know before the channel closes.
      if (why.code() != StatusCode::kConnectionClosed) static_cast<void>(send(channel, handler_.refuse(why)));
      return Step::kBroken;
    case FrameReader::Event::kRefused:
      return answer(channel, handler_.refuse(incoming.status), why);
    case FrameReader::Event::kFrame:
      return answer(channel, handler_.handle(incoming.body, channel), why);
  }
  return Step::kBroken;
}

Conversation::Step Conversation::answer(transport::ByteChannel& channel, const Reply& reply, Status& why) {
  why = send(channel, reply);
  if (!why.ok()) return Step::kBroken;
  why = reply.status;
  if (reply.attached != nullptr) attached_ = reply.attached;
  if (reply.hang_up) return Step::kBroken;
  return why.ok() ? Step::kAnswered : Step::kRefused;
}

Status Conversation::send(transport::ByteChannel& channel, const Reply& reply) {
  replying_since_.store(base::monotonic_ns(), std::memory_order_relaxed);
  Status status = reply.attached == nullptr ? channel.write_all(reply.parts)
                                            : channel.write_with_descriptors(reply.parts, reply.attached->descriptors());
  replying_since_.store(0, std::memory_order_relaxed);
  engine_.statistics().count(reply.timing, !reply.status.ok());
  if (status.ok()) engine_.timings().record(reply.timing);
  return status;
}

}  // namespace onekernel::server
