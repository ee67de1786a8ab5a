// The client's side of listener.h: a socket that is connected to a server.
#ifndef ONEKERNEL_TRANSPORT_CONNECTOR_H_
#define ONEKERNEL_TRANSPORT_CONNECTOR_H_

#include <chrono>

#include "base/file_descriptor.h"
#include "onekernel/status.h"
#include "transport/endpoint.h"

namespace onekernel::transport {

// Connects within `timeout`. A host's addresses are tried in turn; looking up a host's name takes the system's own time.
// Errors: kInvalidArgument (a path over kMaxUnixPath bytes or empty, a host without an address), kUnavailable (nobody listens
// there), kDeadlineExceeded, kIo (no permission, no descriptor).
Result<base::FileDescriptor> connect(const Endpoint& endpoint, std::chrono::milliseconds timeout);

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_CONNECTOR_H_
