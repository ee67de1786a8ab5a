// A memfd that nobody can change any more, so that an engine may map it instead of reading it from a socket.
#ifndef ONEKERNEL_CLIENT_SEALED_MEMORY_H_
#define ONEKERNEL_CLIENT_SEALED_MEMORY_H_

#include <cstddef>
#include <span>

#include "base/file_descriptor.h"
#include "onekernel/status.h"

namespace onekernel::client {

// Errors: kIo, kUnavailable (no memory).
Result<base::FileDescriptor> sealed_copy(std::span<const std::byte> bytes);

}  // namespace onekernel::client

#endif  // ONEKERNEL_CLIENT_SEALED_MEMORY_H_
