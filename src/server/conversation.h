// Request, reply, request, reply: what happens on one channel from its first byte to its last.
#ifndef ONEKERNEL_SERVER_CONVERSATION_H_
#define ONEKERNEL_SERVER_CONVERSATION_H_

#include <atomic>

#include "onekernel/status.h"
#include "server/settings.h"
#include "server/timings_log.h"
#include "transport/byte_channel.h"

namespace onekernel::server {

// Answers requests until the peer hangs up between two of them (ok), until `stopping` is set (ok), or until the stream breaks
// (the reason; the peer was told it where it can still listen).
Status converse(transport::ByteChannel& channel, const EngineSettings& settings, const TimingsLog& timings,
                const std::atomic<bool>& stopping);

// Answers the one request on the channel. Ok only if the request was answered with a result and the reply was written.
Status answer_once(transport::ByteChannel& channel, const EngineSettings& settings, const TimingsLog& timings);

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_CONVERSATION_H_
