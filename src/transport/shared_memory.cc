#include "transport/shared_memory.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string>
#include <utility>

#include "base/system_error.h"

namespace onekernel::transport {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

Result<SharedMemory> SharedMemory::create(std::size_t ring_bytes) {
  SharedMemory shared;
  shared.ring_bytes_ = std::bit_ceil(std::max(ring_bytes, kMinRingBytes));
  shared.memory_.reset(::memfd_create("onekernel-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  shared.server_bell_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  shared.client_bell_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!shared.memory_.valid() || !shared.server_bell_.valid() || !shared.client_bell_.valid()) {
    return base::system_error("cannot create shared memory", errno);
  }
  if (const int error = ::posix_fallocate(shared.memory_.get(), 0, static_cast<off_t>(shared.size())); error != 0) {
    return Status(StatusCode::kUnavailable, "no room for " + std::to_string(shared.size()) + " bytes of shared memory");
  }
  if (::fcntl(shared.memory_.get(), F_ADD_SEALS, kSizeSeals) != 0)
    return base::system_error("cannot seal shared memory", errno);
  if (Status status = shared.map(); !status.ok()) return status;
  return shared;
}

Result<SharedMemory> SharedMemory::adopt(std::array<base::FileDescriptor, 3> descriptors, std::size_t ring_bytes) {
  if (!std::has_single_bit(ring_bytes) || ring_bytes < kMinRingBytes || ring_bytes > (std::size_t{1} << 32)) {
    return Status(StatusCode::kInvalidArgument, "rings of " + std::to_string(ring_bytes) + " bytes cannot be");
  }
  SharedMemory shared;
  shared.ring_bytes_ = ring_bytes;
  shared.memory_ = std::move(descriptors[0]);
  shared.server_bell_ = std::move(descriptors[1]);
  shared.client_bell_ = std::move(descriptors[2]);
  if (!shared.memory_.valid() || !shared.server_bell_.valid() || !shared.client_bell_.valid()) {
    return Status(StatusCode::kInvalidArgument, "a descriptor of the shared memory did not arrive");
  }
  struct stat found {};
  const int seals = ::fcntl(shared.memory_.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSizeSeals) != kSizeSeals || ::fstat(shared.memory_.get(), &found) != 0 ||
      static_cast<std::uint64_t>(found.st_size) < shared.size()) {
    return Status(StatusCode::kInvalidArgument, "the shared memory is not sealed, or too small");
  }
  if (Status status = shared.map(); !status.ok()) return status;
  return shared;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : memory_(std::move(other.memory_)),
      server_bell_(std::move(other.server_bell_)),
      client_bell_(std::move(other.client_bell_)),
      address_(std::exchange(other.address_, nullptr)),
      ring_bytes_(other.ring_bytes_) {}

SharedMemory::~SharedMemory() {
  if (address_ != nullptr) ::munmap(address_, size());
}

Status SharedMemory::map() {
  void* address = ::mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory_.get(), 0);
  if (address == MAP_FAILED) return base::system_error("cannot map shared memory", errno);
  address_ = static_cast<std::byte*>(address);
  return {};
}

// A new memfd is all zeros, which is what the lines have to be at the start: no stamp fits, nobody sleeps.
Ring SharedMemory::ring(std::size_t index) const {
  std::byte* start = address_ + index * Ring::bytes(ring_bytes_);
  return {reinterpret_cast<RingLines*>(start), {start + sizeof(RingLines), ring_bytes_}};
}

}  // namespace onekernel::transport
