// Request, reply, request, reply: what happens between one client and the engine from the first byte to the last.
#ifndef ONEKERNEL_SERVER_CONVERSATION_H_
#define ONEKERNEL_SERVER_CONVERSATION_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "onekernel/status.h"
#include "server/engine_state.h"
#include "server/request_handler.h"
#include "transport/byte_channel.h"
#include "transport/ring_channel.h"

namespace onekernel::server {

class Conversation {
 public:
  // `channel` must outlive the conversation. `patience` bounds waits inside a frame, also in shared memory.
  Conversation(EngineState& engine, transport::ByteChannel& channel, std::chrono::milliseconds patience);
  ~Conversation();

  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Answers requests until the client hangs up between two of them (ok), until end() (ok), or until the stream breaks (the
  // reason; the client was told it where it can still listen). A client that asks for shared memory is answered there from
  // then on, and the channel is only watched.
  Status run();

  // Answers one request. Ok only if it was answered with a result and the reply was written.
  Status answer_once();

  // Makes run() return when what runs is answered. From any thread.
  void end();

 private:
  enum class Step { kAnswered, kRefused, kEnded, kBroken };

  Step step(transport::ByteChannel& channel, transport::FrameReader& reader, Status& why);
  Step answer(transport::ByteChannel& channel, const Reply& reply, Status& why);
  Status send(transport::ByteChannel& channel, const Reply& reply);
  Status talk(transport::ByteChannel& channel);
  Status move_to_shared_memory();

  EngineState& engine_;
  transport::ByteChannel& channel_;
  std::chrono::milliseconds patience_;
  RequestHandler handler_;
  std::shared_ptr<transport::SharedMemory> attached_;
  std::atomic<bool> ending_{false};
  std::mutex mutex_;  // guards ring_ against end() from another thread
  std::unique_ptr<transport::RingChannel> ring_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_CONVERSATION_H_
