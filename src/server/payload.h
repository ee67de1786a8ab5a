// What an operation of the session gives back, before its header is known.
#ifndef ONEKERNEL_SERVER_PAYLOAD_H_
#define ONEKERNEL_SERVER_PAYLOAD_H_

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "onekernel/status.h"
#include "server/timings_log.h"
#include "transport/shared_memory.h"

namespace onekernel::server {

struct Payload {
  Timing timing;
  std::array<std::span<const std::byte>, 2> arrays;  // behind what was written into the writer
  std::shared_ptr<transport::SharedMemory> attached;
};

inline Status too_short(const char* what) {
  return {StatusCode::kMalformedFrame, std::string("the frame ends before its ") + what + " does"};
}

inline Status bytes_left_over() { return {StatusCode::kMalformedFrame, "the frame goes on behind its last field"}; }

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_PAYLOAD_H_
