#include "server/conversation.h"

#include <optional>

#include "server/classic_handler.h"
#include "transport/frame_reader.h"

namespace onekernel::server {
namespace {

using transport::FrameReader;

class Conversation {
 public:
  Conversation(transport::ByteChannel& channel, const EngineSettings& settings, const TimingsLog& timings)
      : channel_(channel), timings_(timings), handler_(settings), reader_(channel, handler_.rules()) {}

  enum class Step { kAnswered, kRefused, kEnded, kBroken };

  // One request and its reply. `why` is set unless the step is kAnswered.
  Step step(Status& why) {
    const FrameReader::Incoming incoming = reader_.next();
    switch (incoming.event) {
      case FrameReader::Event::kEnd:
        why = {StatusCode::kConnectionClosed, "there is no request"};
        return Step::kEnded;
      case FrameReader::Event::kBroken:
        why = incoming.status;
        // A peer that has hung up cannot be told; any other shall know before the channel closes.
        if (why.code() != StatusCode::kConnectionClosed) static_cast<void>(send(handler_.refuse(why)));
        return Step::kBroken;
      case FrameReader::Event::kRefused:
        return send_and_judge(handler_.refuse(incoming.status), why);
      case FrameReader::Event::kFrame:
        return send_and_judge(handler_.handle(incoming.body), why);
    }
    return Step::kBroken;
  }

 private:
  Step send_and_judge(const Reply& reply, Status& why) {
    why = send(reply);
    if (!why.ok()) return Step::kBroken;
    why = reply.status;
    return why.ok() ? Step::kAnswered : Step::kRefused;
  }

  Status send(const Reply& reply) {
    Status status = channel_.write_all(reply.parts);
    if (status.ok()) timings_.record(reply.timing);
    return status;
  }

  transport::ByteChannel& channel_;
  const TimingsLog& timings_;
  ClassicHandler handler_;
  FrameReader reader_;
};

}  // namespace

Status converse(transport::ByteChannel& channel, const EngineSettings& settings, const TimingsLog& timings,
                const std::atomic<bool>& stopping) {
  Conversation conversation(channel, settings, timings);
  Status why;
  while (!stopping.load(std::memory_order_relaxed)) {
    switch (conversation.step(why)) {
      case Conversation::Step::kAnswered:
      case Conversation::Step::kRefused:
        continue;
      case Conversation::Step::kEnded:
        return {};
      case Conversation::Step::kBroken:
        return why;
    }
  }
  return {};
}

Status answer_once(transport::ByteChannel& channel, const EngineSettings& settings, const TimingsLog& timings) {
  Status why;
  static_cast<void>(Conversation(channel, settings, timings).step(why));
  return why;
}

}  // namespace onekernel::server
