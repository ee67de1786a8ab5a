// An answer on its way out.
#ifndef ONEKERNEL_SERVER_REPLY_H_
#define ONEKERNEL_SERVER_REPLY_H_

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "onekernel/status.h"
#include "server/timings_log.h"
#include "transport/shared_memory.h"

namespace onekernel::server {

// A frame to be sent, in parts that lie where they were computed. Valid until the next request is handled; an echo's parts lie
// in the request itself.
struct Reply {
  std::array<std::span<const std::byte>, 5> parts;  // length prefix, then headers and arrays
  Timing timing;
  Status status;         // what an error reply says
  bool hang_up = false;  // the connection ends with it
  // Set by an attach: goes along with the reply, and the conversation moves there behind it.
  std::shared_ptr<transport::SharedMemory> attached;
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_REPLY_H_
