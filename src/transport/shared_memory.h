// The memory two processes talk through, and the bells they wake each other with. It has no name anywhere: it goes when both
// have gone, however they went.
#ifndef ONEKERNEL_TRANSPORT_SHARED_MEMORY_H_
#define ONEKERNEL_TRANSPORT_SHARED_MEMORY_H_

#include <array>
#include <cstddef>

#include "base/file_descriptor.h"
#include "onekernel/status.h"
#include "transport/ring.h"

namespace onekernel::transport {

class SharedMemory {
 public:
  static constexpr std::size_t kMinRingBytes = 4096;

  // The server's side: a new memfd of two rings of at least `ring_bytes` each. It is filled now, so that no page is missing
  // later, and sealed against any change of size, so that no access can end in SIGBUS.
  // Errors: kUnavailable (no memory), kIo.
  static Result<SharedMemory> create(std::size_t ring_bytes);

  // The client's side: what the server passed, in the order of descriptors(). Checked as if it came from a stranger.
  // Errors: kInvalidArgument (not sealed, too small, not a power of two), kIo.
  static Result<SharedMemory> adopt(std::array<base::FileDescriptor, 3> descriptors, std::size_t ring_bytes);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  Ring to_server() const { return ring(0); }
  Ring to_client() const { return ring(1); }
  std::size_t ring_bytes() const { return ring_bytes_; }
  std::size_t size() const { return 2 * Ring::bytes(ring_bytes_); }

  // Memory, the server's bell, the client's bell. A bell is an eventfd: whoever wants the owner to look rings it.
  std::array<int, 3> descriptors() const { return {memory_.get(), server_bell_.get(), client_bell_.get()}; }
  int server_bell() const { return server_bell_.get(); }
  int client_bell() const { return client_bell_.get(); }

 private:
  SharedMemory() = default;
  Status map();
  Ring ring(std::size_t index) const;

  base::FileDescriptor memory_;
  base::FileDescriptor server_bell_;
  base::FileDescriptor client_bell_;
  std::byte* address_ = nullptr;
  std::size_t ring_bytes_ = 0;
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_SHARED_MEMORY_H_
