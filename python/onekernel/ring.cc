#include "ring.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/clock.h"
#include "pieces.h"
#include "transport/ring_channel.h"

namespace onekernel::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using transport::RingChannel;
using transport::SharedMemory;

// A wait is cut into slices, between which Ctrl-C is looked for.
constexpr std::int64_t kSliceNs = 50'000'000;
constexpr std::size_t kMaxPieces = Pieces::kMax;
constexpr std::size_t kLengthPrefix = 4;

// What is still to be sent, cut into messages that a ring takes whole or not at all: a wait can then be broken off between two
// of them and taken up again.
class Outgoing {
 public:
  Outgoing(std::span<const std::span<const std::byte>> pieces, std::size_t message_bytes)
      : message_bytes_(message_bytes), rest_(pieces.size()) {
    std::copy(pieces.begin(), pieces.end(), pieces_.begin());
  }

  Status send(RingChannel& channel) {
    while (rest_ > 0) {
      std::array<std::span<const std::byte>, kMaxPieces> message;
      const std::size_t count = cut(message);
      if (Status status = channel.write_all(std::span(message).first(count)); !status.ok()) return status;
      drop(std::span(message).first(count));
    }
    return {};
  }

 private:
  std::size_t cut(std::array<std::span<const std::byte>, kMaxPieces>& message) const {
    std::size_t room = message_bytes_;
    std::size_t count = 0;
    for (; count < rest_ && room > 0; ++count) {
      const auto& piece = pieces_[first_ + count];
      message[count] = piece.first(std::min(piece.size(), room));
      room -= message[count].size();
    }
    return count;
  }

  void drop(std::span<const std::span<const std::byte>> sent) {
    for (const auto& part : sent) {
      auto& piece = pieces_[first_];
      piece = piece.subspan(part.size());
      if (!piece.empty()) return;
      ++first_;
      --rest_;
    }
  }

  std::array<std::span<const std::byte>, kMaxPieces> pieces_;
  std::size_t message_bytes_;
  std::size_t first_ = 0;
  std::size_t rest_;
};

[[noreturn]] void raise_own(const char* name, const std::string& message) {
  const nb::object type = nb::module_::import_("onekernel.errors").attr(name);
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

[[noreturn]] void raise(const Status& status) {
  switch (status.code()) {
    case StatusCode::kDeadlineExceeded:
      PyErr_SetString(PyExc_TimeoutError, status.message().c_str());
      throw nb::python_error();
    case StatusCode::kConnectionClosed:
      raise_own("ConnectionLost", "the engine hung up before it replied");
    case StatusCode::kMalformedFrame:
    case StatusCode::kInvalidArgument:
      raise_own("ProtocolError", status.message());
    default:
      PyErr_SetString(PyExc_OSError, status.message().c_str());
      throw nb::python_error();
  }
}

class Ring {
 public:
  Ring(int memory, int server_bell, int client_bell, std::size_t ring_bytes, int socket, std::int64_t spin_ns)
      : message_bytes_(ring_bytes / 4) {
    Result<SharedMemory> adopted = SharedMemory::adopt(
        {base::FileDescriptor(memory), base::FileDescriptor(server_bell), base::FileDescriptor(client_bell)}, ring_bytes);
    if (!adopted.ok()) raise(adopted.status());
    channel_.emplace(std::move(adopted).value(), RingChannel::Side::kClient, socket,
                     RingChannel::Waiting{.spin = std::chrono::nanoseconds(spin_ns)});
  }

  std::size_t exchange(const PieceSequence& pieces, nb::handle reply, double seconds) {
    const Pieces request(pieces);
    const Buffer into(reply, /*writable=*/true);
    Outgoing outgoing(request.spans(), message_bytes_);
    std::size_t got = 0;
    run(seconds, [&](RingChannel& channel) {
      if (Status status = outgoing.send(channel); !status.ok()) return status;
      return read_frame(channel, into.bytes(), got);
    });
    return got;
  }

  std::size_t receive(nb::handle buffer, std::size_t at_least, double seconds) {
    const Buffer into(buffer, /*writable=*/true);
    if (at_least > into.bytes().size()) throw nb::value_error("more bytes are wanted than the buffer holds");
    std::size_t got = 0;
    run(seconds, [&](RingChannel& channel) { return read(channel, into.bytes(), at_least, got); });
    return got;
  }

  // A thread that is inside a call finds the stream ended, and lets go of the memory itself.
  void close() {
    if (!channel_) return;
    closing_ = true;
    busy_ ? channel_->end_reading() : channel_.reset();
  }

 private:
  // Calls `step`, without the GIL, until it is through; it must be able to go on where a deadline broke it off.
  template <class Step>
  void run(double seconds, Step step) {
    if (!channel_ || closing_) raise_own("ConnectionLost", "the shared memory is closed");
    if (busy_) throw std::runtime_error("another thread uses this ring");
    busy_ = true;
    const Leave leave{*this};
    const std::int64_t deadline = base::monotonic_ns() + static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) * 1e9);
    for (;;) {
      const std::int64_t left = deadline - base::monotonic_ns();
      Status status;
      {
        const nb::gil_scoped_release released;
        channel_->set_patience(std::chrono::milliseconds(std::clamp<std::int64_t>(left, 0, kSliceNs) / 1'000'000 + 1));
        status = step(*channel_);
      }
      if (status.ok()) return;
      if (status.code() != StatusCode::kDeadlineExceeded || left <= kSliceNs) raise(status);
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }

  // Receives until `got` is at least `wanted`.
  static Status read(RingChannel& channel, std::span<std::byte> into, std::size_t wanted, std::size_t& got) {
    while (got < wanted) {
      const Result<std::size_t> more = channel.read_some(into.subspan(got));
      if (!more.ok()) return more.status();
      if (more.value() == 0) return {StatusCode::kConnectionClosed, ""};
      got += more.value();
    }
    return {};
  }

  // Receives a frame, or as much of it as there is room for.
  static Status read_frame(RingChannel& channel, std::span<std::byte> into, std::size_t& got) {
    if (Status status = read(channel, into, std::min(kLengthPrefix, into.size()), got); !status.ok()) return status;
    std::uint32_t body_len = 0;
    std::memcpy(&body_len, into.data(), std::min(kLengthPrefix, into.size()));
    return read(channel, into, std::min(kLengthPrefix + body_len, into.size()), got);
  }

  struct Leave {
    Ring& ring;
    ~Leave() {
      ring.busy_ = false;
      if (ring.closing_) ring.channel_.reset();
    }
  };

  // Read and written with the GIL held.
  std::size_t message_bytes_;
  std::optional<RingChannel> channel_;
  bool busy_ = false;
  bool closing_ = false;
};

}  // namespace

void bind_ring(nb::module_& module) {
  nb::class_<Ring>(module, "Ring",
                   "The client's side of an engine's shared memory; onekernel.connect opens it.\n\n"
                   "It is a stream of bytes each way. TimeoutError when a deadline passes, onekernel.ConnectionLost when the\n"
                   "engine has gone, onekernel.ProtocolError when what is in the memory makes no sense. The GIL is released\n"
                   "while a call waits; Ctrl-C is heard meanwhile.")
      .def(nb::init<int, int, int, std::size_t, int, std::int64_t>(), "memory"_a, "server_bell"_a, "client_bell"_a,
           "ring_bytes"_a, "socket"_a, "spin_ns"_a,
           "Map what an engine passed. The first three descriptors become the ring's own, whatever happens; the socket is\n"
           "only watched. ring_bytes is the size of one direction, spin_ns how long a wait looks before it sleeps.")
      .def("exchange", &Ring::exchange, "pieces"_a, "reply"_a, "seconds"_a,
           "Send up to 8 pieces as one frame, then receive a frame into reply, or as much of it as there is room for.\n"
           "Returns the number of bytes received.")
      .def("receive", &Ring::receive, "buffer"_a, "at_least"_a, "seconds"_a,
           "Receive at least so many bytes, and at most what fills the buffer. Returns how many.")
      .def("close", &Ring::close, "Unmap the memory; a call that another thread has under way ends with ConnectionLost.");
}

}  // namespace onekernel::python
