// Request, reply, request, reply: what happens between one client and the engine from the first byte to the last.
#ifndef ONEKERNEL_SERVER_CONVERSATION_H_
#define ONEKERNEL_SERVER_CONVERSATION_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "onekernel/status.h"
#include "server/engine_state.h"
#include "server/request_handler.h"
#include "transport/byte_channel.h"
#include "transport/ring_channel.h"

namespace onekernel::server {

class Conversation {
 public:
  // `channel` must outlive the conversation. `patience` bounds waits inside a frame, also in shared memory.
  // `token`: what the client must know; empty: nothing. It must outlive the conversation.
  Conversation(EngineState& engine, transport::ByteChannel& channel, std::chrono::milliseconds patience,
               const std::string& token);
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

  // The client has gone: what it wanted is not computed to the end. From any thread.
  void abandon() { gone_.store(true); }

  // Since when a reply is being written, in the time of base::monotonic_ns(); 0 while none is. From any thread.
  std::int64_t replying_since() const { return replying_since_.load(std::memory_order_relaxed); }

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
  std::atomic<bool> gone_{false};
  std::atomic<std::int64_t> replying_since_{0};
  RequestHandler handler_;
  std::shared_ptr<transport::SharedMemory> attached_;
  std::atomic<bool> ending_{false};
  std::mutex mutex_;  // guards ring_ against end() from another thread
  std::unique_ptr<transport::RingChannel> ring_;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_CONVERSATION_H_
