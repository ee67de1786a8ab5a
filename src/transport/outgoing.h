// What is still to be written to a channel, so that a write that was broken off can be taken up again.
#ifndef ONEKERNEL_TRANSPORT_OUTGOING_H_
#define ONEKERNEL_TRANSPORT_OUTGOING_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace onekernel::transport {

// Parts to be written one after the other, as if they were one array, and open files that go along with the first byte.
// All of them stay the caller's.
class Outgoing {
 public:
  using Parts = std::span<const std::span<const std::byte>>;

  explicit Outgoing(Parts parts, std::span<const int> descriptors = {});

  // When a write shall be broken off though the peer takes bytes, in the time of base::monotonic_ns(); never if not set.
  void set_end(std::int64_t end_ns) { end_ns_ = end_ns; }
  bool out_of_time() const;

  // Bytes.
  std::size_t left() const { return left_; }
  std::span<const int> descriptors() const { return descriptors_; }

  // Copies the next `size` bytes, which are written thereby. REQUIRES: size <= left().
  void copy(std::byte* to, std::size_t size);
  // The next `size` bytes have been written, and the descriptors with them. REQUIRES: size <= left().
  void skip(std::size_t size);
  // Fills `vectors` with what comes next; returns how many were needed.
  std::size_t peek(std::span<iovec> vectors) const;

 private:
  Parts parts_;
  std::span<const int> descriptors_;
  std::size_t part_ = 0;
  std::size_t offset_ = 0;
  std::size_t left_ = 0;
  std::int64_t end_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_OUTGOING_H_
