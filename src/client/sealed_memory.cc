#include "client/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/system_error.h"

namespace onekernel::client {

Result<base::FileDescriptor> sealed_copy(std::span<const std::byte> bytes) {
  base::FileDescriptor memory(::memfd_create("onekernel-series", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid()) return base::system_error("cannot create a memfd", errno);
  // Written, not mapped and copied: that would fault on every page, and a writable mapping forbids the seal.
  while (!bytes.empty()) {
    const ssize_t written = ::write(memory.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == ENOSPC) {
      return Status(StatusCode::kUnavailable, "no memory for a series of " + std::to_string(bytes.size()) + " bytes");
    }
    if (written <= 0) return base::system_error("cannot fill a memfd", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return base::system_error("cannot seal a memfd", errno);
  }
  return memory;
}

}  // namespace onekernel::client
