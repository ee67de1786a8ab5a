// A connection to an engine as Python uses it: a socket, or shared memory with a socket beside it.
#ifndef ONEKERNEL_PYTHON_LINK_H_
#define ONEKERNEL_PYTHON_LINK_H_

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "onekernel/status.h"
#include "pieces.h"
#include "transport/byte_channel.h"
#include "transport/ring_channel.h"
#include "wire/classic.h"
#include "wire/session.h"

namespace onekernel::python {

// One call at a time. Every wait happens without the GIL and in slices, between which Ctrl-C is heard; a deadline holds
// whatever signals come.
class Link {
 public:
  // The socket becomes the link's own. `url` is for messages.
  Link(int socket, std::string url, std::int64_t spin_ns);

  // Goes on in shared memory, which consists of the open files that came over the socket.
  void attach(std::size_t ring_bytes, std::int64_t spin_ns);
  // Longer requests are refused here: they would cost the connection.
  void limit_bodies(std::uint64_t max_body_bytes) { max_body_bytes_ = max_body_bytes; }

  // Sends a request of a session, receives and checks its reply: (compute_ns, payload).
  nanobind::tuple exchange(nanobind::handle pieces, std::int64_t due_bytes, double seconds, nanobind::handle descriptors);
  // A sweep over a stored series, encoded, sent, received and decoded in one go:
  // (compute_ns, kernel, threads, target, levels, payload with the two arrays at its end). None where the combos are not what
  // they should be; nothing is sent then.
  nanobind::object sweep(std::uint64_t request_id, std::uint64_t epoch, std::uint64_t series_id, nanobind::handle combos,
                         double fee, std::uint32_t kernel, std::uint32_t threads, double seconds);
  // One bar of a live session that awaits bar `due`, encoded, sent, received and decoded in one go: its changes. ValueError and
  // TypeError before anything is sent.
  nanobind::object live_bar(std::uint64_t request_id, std::uint64_t epoch, std::uint64_t live_id, std::int64_t due,
                            nanobind::handle index, nanobind::handle price, double seconds);
  // Sends whatever it is, then receives at least so many bytes and at most what fills the buffer; returns how many.
  std::size_t request(nanobind::handle pieces, nanobind::handle buffer, std::size_t at_least, double seconds);
  std::size_t receive(nanobind::handle buffer, std::size_t at_least, double seconds);

  void hang_up();
  // A thread that is inside a call lets go of everything itself.
  void close();
  std::uint64_t epoch() const { return epoch_; }
  int descriptor() const { return socket_ ? socket_->descriptor_to_watch() : -1; }

 private:
  using Bytes = std::span<std::byte>;
  static constexpr std::size_t kReadAhead = 4096;
  static constexpr std::size_t kHead = wire::kLengthPrefixSize + wire::kSessionHeaderSize;

  struct Busy {
    explicit Busy(Link& link);
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy();
    Link& link;
  };
  struct Head {
    std::uint32_t body_len = 0;
    wire::ReplyHeader header;  // where the body is long enough
    std::size_t total() const { return wire::kLengthPrefixSize + body_len; }
  };

  transport::ByteChannel& channel() { return ring_ ? static_cast<transport::ByteChannel&>(*ring_) : *socket_; }
  template <class Step>
  Status run(std::int64_t deadline, Step step);
  // Receives until `got` is at least `wanted`, or the slice is over.
  Status read(transport::ByteChannel& from, Bytes into, std::size_t wanted, std::size_t& got) const;
  Status write(transport::ByteChannel& to, transport::Outgoing& outgoing) const;
  void check_length(std::size_t n_bytes) const;
  struct Answer {
    std::int64_t compute_ns;
    nanobind::object payload;
  };
  Answer converse(const wire::RequestHeader& asked, std::span<const std::span<const std::byte>> parts,
                  std::span<const int> along, std::int64_t due_bytes, std::int64_t deadline);
  Status read_head(transport::ByteChannel& from);
  Head check_head(const wire::RequestHeader& asked, std::int64_t due_bytes, std::int64_t deadline);
  void check_epoch(const wire::ReplyHeader& header);
  // What is still due of a reply of `total` bytes behind its first `skipped` ones.
  void read_rest(Bytes into, std::size_t skipped, std::int64_t deadline);
  nanobind::object read_payload(std::size_t skipped, std::size_t size, std::int64_t deadline);

  std::string url_;
  std::uint64_t max_body_bytes_ = 0xFFFFFFFF;
  std::uint64_t epoch_ = 0;
  // Read and written with the GIL held.
  std::optional<transport::SocketChannel> socket_;
  std::optional<transport::RingChannel> ring_;
  std::int64_t slice_end_ = 0;
  bool busy_ = false;
  bool closing_ = false;
  std::array<std::byte, kReadAhead> ahead_;  // how a reply begins
  std::size_t ahead_size_ = 0;
};

void bind_link(nanobind::module_& module);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_LINK_H_
