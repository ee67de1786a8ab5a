#include "link.h"

#include <cxxabi.h>
#include <nanobind/stl/string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "bar_arguments.h"
#include "base/clock.h"
#include "change_tuple.h"
#include "combo_view.h"
#include "onekernel/types.h"
#include "raising.h"
#include "wire/live.h"

namespace onekernel::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using transport::ByteChannel;
using transport::Outgoing;
using transport::RingChannel;
using transport::SharedMemory;
using transport::SocketChannel;

// A wait is cut into slices, between which Ctrl-C is looked for. A signal ends a wait on a socket at once; but one that comes
// just before the wait begins is only seen after it.
constexpr std::chrono::milliseconds kSlice{50};
constexpr std::size_t kRingDescriptors = 3;  // the memory, the engine's bell, the client's bell
// A message is short; what is longer is none.
constexpr std::size_t kLongestMessage = 64 * 1024;
// The most that a payload of unknown length may have: a list of series with a few hundred bytes each.
constexpr std::size_t kMostOfUnknownLength = std::size_t{1} << 30;

std::int64_t deadline_in(double seconds) {
  return base::monotonic_ns() + static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) * 1e9);
}

// A daemon thread that comes back while the interpreter ends is told to unwind, which the frames between here and Python do not
// allow: it stays here instead, until the process has gone.
void take_gil(PyThreadState* thread) {
  try {
    PyEval_RestoreThread(thread);
  } catch (const abi::__forced_unwind&) {
    for (;;) ::pause();
  }
}

std::string hex(std::uint64_t number) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::string what_header(std::uint64_t id, int opcode, int version) {
  return "request " + std::to_string(id) + " (opcode " + hex(static_cast<std::uint64_t>(opcode)) + ", version " +
         std::to_string(version) + ")";
}

}  // namespace

Link::Busy::Busy(Link& busy) : link(busy) {
  if (!link.socket_ || link.closing_) raise_connection_lost("the connection is closed");
  if (link.busy_) throw std::runtime_error("another thread uses this connection");
  link.busy_ = true;
}

Link::Busy::~Busy() {
  link.busy_ = false;
  if (link.closing_) link.close();
}

Link::Link(int socket, std::string url, std::int64_t spin_ns) : url_(std::move(url)) {
  socket_.emplace(base::FileDescriptor(socket), kSlice, std::chrono::nanoseconds(spin_ns));
  socket_->set_interruptible(true);
}

void Link::attach(std::size_t ring_bytes, std::int64_t spin_ns) {
  const Busy busy(*this);
  std::vector<base::FileDescriptor> came;
  for (base::FileDescriptor next = socket_->take_descriptor(); next.valid(); next = socket_->take_descriptor()) {
    came.push_back(std::move(next));
  }
  if (came.size() != kRingDescriptors) {
    raise_protocol_error(std::to_string(came.size()) + " descriptors came with shared memory, not " +
                         std::to_string(kRingDescriptors));
  }
  Result<SharedMemory> memory = SharedMemory::adopt({std::move(came[0]), std::move(came[1]), std::move(came[2])}, ring_bytes);
  if (!memory.ok()) raise_channel_error(memory.status());
  ring_.emplace(std::move(memory).value(), RingChannel::Side::kClient, descriptor(),
                RingChannel::Waiting{.spin = std::chrono::nanoseconds(spin_ns), .patience = kSlice});
}

void Link::hang_up() {
  if (socket_) ::shutdown(descriptor(), SHUT_RDWR);
}

void Link::close() {
  closing_ = true;
  if (busy_) {
    hang_up();
    if (ring_) ring_->end_reading();
    return;
  }
  ring_.reset();
  socket_.reset();
}

// Calls `step` without the GIL until it has done or failed; it must be able to go on where the end of a slice broke it off.
template <class Step>
Status Link::run(std::int64_t deadline, Step step) {
  for (;;) {
    Status status;
    PyThreadState* const thread = PyEval_SaveThread();
    const std::int64_t now = base::monotonic_ns();
    const std::int64_t left_ms = (deadline - now) / 1'000'000 + 1;
    const auto slice = std::clamp(std::chrono::milliseconds(left_ms), std::chrono::milliseconds(1), kSlice);
    slice_end_ = now + std::chrono::nanoseconds(slice).count();
    ring_ ? ring_->set_patience(slice) : socket_->set_patience(slice);
    try {
      status = step(channel());
    } catch (const std::exception& error) {
      status = {StatusCode::kIo, error.what()};
    }
    take_gil(thread);
    if (status.code() != StatusCode::kDeadlineExceeded) return status;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (base::monotonic_ns() >= deadline) return status;
  }
}

Status Link::write(ByteChannel& to, Outgoing& outgoing) const {
  if (outgoing.left() == 0) return {};
  outgoing.set_end(slice_end_);
  return to.write(outgoing);
}

Status Link::read(ByteChannel& from, Bytes into, std::size_t wanted, std::size_t& got) const {
  while (got < wanted) {
    const Result<std::size_t> more = from.read_some(into.subspan(got));
    if (!more.ok()) return more.status();
    if (more.value() == 0) return {StatusCode::kConnectionClosed, ""};
    got += more.value();
    // A wait is bounded by the channel's patience; this bounds what trickles in.
    if (got < wanted && base::monotonic_ns() >= slice_end_)
      return {StatusCode::kDeadlineExceeded, "the reply comes too slowly"};
  }
  return {};
}

std::size_t Link::receive(nb::handle buffer, std::size_t at_least, double seconds) {
  return request(nb::make_tuple(), buffer, at_least, seconds);
}

std::size_t Link::request(nb::handle pieces, nb::handle buffer, std::size_t at_least, double seconds) {
  const std::int64_t deadline = deadline_in(seconds);
  const Pieces parts(pieces);
  const Buffer into(buffer, /*writable=*/true);
  if (at_least > into.bytes().size()) throw nb::value_error("more bytes are wanted than the buffer holds");
  const Busy busy(*this);
  Outgoing outgoing(parts.spans());
  std::size_t got = 0;
  bool sent = false;
  const Status status = run(deadline, [&](ByteChannel& channel) -> Status {
    if (Status written = write(channel, outgoing); !written.ok()) return written;
    sent = true;
    return read(channel, into.bytes(), at_least, got);
  });
  if (status.code() == StatusCode::kConnectionClosed && !sent) raise_cut_off();
  if (!status.ok()) raise_channel_error(status);
  return got;
}

nb::tuple Link::exchange(nb::handle pieces, std::int64_t due_bytes, double seconds, nb::handle descriptors) {
  const std::int64_t deadline = deadline_in(seconds);
  const Pieces parts(pieces);
  const std::span<const std::span<const std::byte>> spans = parts.spans();
  if (spans.empty() || spans[0].size() < kHead) throw nb::value_error("a request begins with its header, in one piece");
  check_length(parts.n_bytes());
  std::array<int, ByteChannel::kMaxDescriptors> along{};
  std::size_t n_along = 0;
  if (!descriptors.is_none()) {
    for (nb::handle descriptor : descriptors) {
      if (n_along == along.size()) throw nb::value_error("too many descriptors");
      along[n_along++] = nb::cast<int>(descriptor);
    }
  }
  wire::RequestHeader asked;
  std::memcpy(&asked, spans[0].data() + wire::kLengthPrefixSize, sizeof(asked));

  Answer answer = converse(asked, spans, std::span(along).first(n_along), due_bytes, deadline);
  return nb::make_tuple(answer.compute_ns, std::move(answer.payload));
}

Link::Answer Link::converse(const wire::RequestHeader& asked, std::span<const std::span<const std::byte>> parts,
                            std::span<const int> along, std::int64_t due_bytes, std::int64_t deadline) {
  const Busy busy(*this);
  Outgoing outgoing(parts, along);
  if (!along.empty() && !channel().passes_descriptors()) {
    throw nb::value_error("descriptors are passed over Unix sockets only");
  }
  ahead_size_ = 0;
  bool sent = false;
  const Status status = run(deadline, [&](ByteChannel& channel) -> Status {
    if (Status written = write(channel, outgoing); !written.ok()) return written;
    sent = true;
    return read_head(channel);
  });
  if (status.code() == StatusCode::kConnectionClosed && !sent) raise_cut_off();
  if (!status.ok()) raise_channel_error(status);
  const Head head = check_head(asked, due_bytes, deadline);
  return {head.header.compute_ns, read_payload(kHead, head.total() - kHead, deadline)};
}

nb::object Link::sweep(std::uint64_t request_id, std::uint64_t epoch, std::uint64_t series_id, nb::handle combos, double fee,
                       std::uint32_t kernel, std::uint32_t threads, double seconds) {
  const std::int64_t deadline = deadline_in(seconds);
  const ComboView rows(combos);
  if (!rows.good()) return nb::none();
  const std::span<const std::byte> windows = rows.bytes();
  const std::size_t count = windows.size() / sizeof(Combo);
  struct {
    wire::RequestHeader header;
    wire::SweepRequest request;
  } body{{.opcode = static_cast<std::uint8_t>(wire::SessionOpcode::kSweep), .request_id = request_id, .epoch = epoch},
         {.series_id = series_id, .n_combos = count, .fee = fee, .kernel = kernel, .threads = threads}};
  check_length(wire::kLengthPrefixSize + sizeof(body) + windows.size());
  const auto length = wire::encode_length(static_cast<std::uint32_t>(sizeof(body) + windows.size()));
  const std::array<std::span<const std::byte>, 3> parts{length, std::as_bytes(std::span(&body, 1)), windows};
  const std::size_t due = sizeof(wire::SweepReply) + count * (sizeof(double) + sizeof(std::int64_t));
  Answer answer = converse(body.header, parts, {}, static_cast<std::int64_t>(due), deadline);
  wire::SweepReply reply;
  std::memcpy(&reply, PyByteArray_AS_STRING(answer.payload.ptr()), sizeof(reply));
  if (reply.n_combos != count) {
    raise_protocol_error(url_ + ": a reply to a sweep of " + std::to_string(count) + " combos tells of " +
                         std::to_string(reply.n_combos));
  }
  const std::int64_t* level = reply.levels;
  return nb::make_tuple(
      answer.compute_ns, reply.kernel, reply.threads, nb::str(reply.target, ::strnlen(reply.target, sizeof(reply.target))),
      nb::make_tuple(level[0], level[1], level[2], level[3], level[4], level[5], level[6]), std::move(answer.payload));
}

nb::object Link::live_bar(std::uint64_t request_id, std::uint64_t epoch, std::uint64_t live_id, std::int64_t due,
                          nb::handle index_given, nb::handle price_given, double seconds) {
  const std::int64_t index = as_index(index_given);
  const double price = as_number(price_given);
  if (index == due) require_price(index, price);  // of two errors the index is the one to tell, and the engine tells it
  const std::int64_t deadline = deadline_in(seconds);
  struct {
    wire::RequestHeader header;
    wire::LiveBarsRequest request;
    double price;
  } body{{.opcode = static_cast<std::uint8_t>(wire::SessionOpcode::kLiveBars), .request_id = request_id, .epoch = epoch},
         {.live_id = live_id, .first_bar = index, .n_bars = 1},
         price};
  const auto length = wire::encode_length(sizeof(body));
  const std::array<std::span<const std::byte>, 2> parts{length, std::as_bytes(std::span(&body, 1))};
  const Answer answer = converse(body.header, parts, {}, -1, deadline);
  const auto* payload = reinterpret_cast<const std::byte*>(PyByteArray_AS_STRING(answer.payload.ptr()));
  const auto size = static_cast<std::size_t>(PyByteArray_GET_SIZE(answer.payload.ptr()));
  wire::LiveBarsReply reply;
  if (size >= sizeof(reply)) std::memcpy(&reply, payload, sizeof(reply));
  const std::size_t told = size < sizeof(reply) ? 0 : (size - sizeof(reply)) / sizeof(Change);
  if (size != sizeof(reply) + told * sizeof(Change) || reply.n_changes != told || reply.next_bar != index + 1) {
    raise_protocol_error(url_ + ": a reply of " + std::to_string(size) + " bytes to bar " + std::to_string(index) +
                         " tells of " + std::to_string(reply.n_changes) + " changes, with bar " +
                         std::to_string(reply.next_bar) + " next");
  }
  return changes_to_python({reinterpret_cast<const Change*>(payload + sizeof(reply)), told});
}

void Link::check_length(std::size_t n_bytes) const {
  const std::size_t body_bytes = n_bytes - wire::kLengthPrefixSize;
  if (body_bytes <= max_body_bytes_) return;
  raise_engine_error(static_cast<std::uint16_t>(StatusCode::kLimitExceeded),
                     "a frame of " + std::to_string(body_bytes) + " bytes is over the engine's limit of " +
                         std::to_string(max_body_bytes_) + " bytes (--max-frame-bytes)");
}

// Receives a reply's head, or all of a reply that is shorter than one.
Status Link::read_head(ByteChannel& from) {
  if (Status status = read(from, ahead_, wire::kLengthPrefixSize, ahead_size_); !status.ok()) return status;
  std::uint32_t body_len = 0;
  std::memcpy(&body_len, ahead_.data(), sizeof(body_len));
  return read(from, ahead_, std::min<std::size_t>(kHead, wire::kLengthPrefixSize + std::size_t{body_len}), ahead_size_);
}

// Returns the head of a reply that is the one to `asked` and no error; anything else is raised.
Link::Head Link::check_head(const wire::RequestHeader& asked, std::int64_t due_bytes, std::int64_t deadline) {
  Head head;
  std::memcpy(&head.body_len, ahead_.data(), sizeof(head.body_len));
  const std::size_t total = head.total();
  if (ahead_size_ > total) {
    raise_protocol_error(url_ + ": " + std::to_string(ahead_size_ - total) + " bytes too many came after a reply of " +
                         std::to_string(total) + " bytes");
  }
  if (wire::is_error_length(head.body_len) && head.body_len <= kLongestMessage + 1) {
    std::vector<std::byte> body(head.body_len);
    read_rest(body, wire::kLengthPrefixSize, deadline);
    raise_classic_error(body);
  }
  if (total < kHead) {
    raise_protocol_error(url_ + ": a reply of " + std::to_string(total) + " bytes came, but its header alone has " +
                         std::to_string(kHead));
  }
  wire::ReplyHeader& header = head.header;
  std::memcpy(&header, ahead_.data() + wire::kLengthPrefixSize, sizeof(header));
  if (header.opcode != asked.opcode || header.version != wire::kSessionVersion || header.request_id != asked.request_id) {
    raise_protocol_error(url_ + ": a reply to " + what_header(header.request_id, header.opcode, header.version) +
                         " came where one to " + what_header(asked.request_id, asked.opcode, wire::kSessionVersion) +
                         " was due");
  }
  const std::size_t payload_bytes = total - kHead;
  if (header.status != 0) {
    if (payload_bytes > kLongestMessage) {
      raise_protocol_error(url_ + ": an error message of " + std::to_string(payload_bytes) + " bytes is none");
    }
    std::vector<std::byte> text(payload_bytes);
    read_rest(text, kHead, deadline);
    raise_engine_error(header.status, wire::decode_error_text(text));
  }
  check_epoch(header);
  if (due_bytes >= 0 && payload_bytes != static_cast<std::size_t>(due_bytes)) {
    raise_protocol_error(url_ + ": a reply of " + std::to_string(total) + " bytes came where " +
                         std::to_string(kHead + static_cast<std::size_t>(due_bytes)) + " were due");
  }
  if (due_bytes < 0 && payload_bytes > kMostOfUnknownLength) {
    raise_protocol_error(url_ + ": a reply of " + std::to_string(total) + " bytes came where a short one was due");
  }
  return head;
}

// The epoch is learnt from hello; afterwards it must stay what it is, because a connection is to one process.
void Link::check_epoch(const wire::ReplyHeader& header) {
  const bool is_hello = header.opcode == static_cast<std::uint8_t>(wire::SessionOpcode::kHello);
  if (is_hello && epoch_ == 0) epoch_ = header.epoch;
  if (header.epoch == epoch_ && epoch_ != 0) return;
  raise_protocol_error(url_ + ": a reply names run " + hex(header.epoch) + " of the engine, not " + hex(epoch_));
}

void Link::read_rest(Bytes into, std::size_t skipped, std::int64_t deadline) {
  std::size_t got = std::min(ahead_size_ - skipped, into.size());
  std::copy_n(ahead_.data() + skipped, got, into.data());
  if (got == into.size()) return;
  const Status status = run(deadline, [&](ByteChannel& channel) { return read(channel, into, into.size(), got); });
  if (!status.ok()) raise_channel_error(status);
}

// A bytearray, so that arrays can be made of it without a copy.
nb::object Link::read_payload(std::size_t skipped, std::size_t size, std::int64_t deadline) {
  nb::object payload = nb::steal(PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!payload.is_valid()) throw nb::python_error();
  read_rest({reinterpret_cast<std::byte*>(PyByteArray_AS_STRING(payload.ptr())), size}, skipped, deadline);
  return payload;
}

void bind_link(nb::module_& module) {
  nb::class_<Link>(module, "Link",
                   "A connection to an engine: a socket, or shared memory with a socket beside it.\n\n"
                   "One call at a time. Every call may raise TimeoutError when its seconds have passed, RequestCutOff when\n"
                   "the peer hangs up amid a request, ConnectionLost when it does so later, ProtocolError when it sends what\n"
                   "it should not, OSError. After all of these it is out of step and must be closed. The GIL is released\n"
                   "while a call waits; Ctrl-C is heard meanwhile, and no signal prolongs a deadline.")
      .def(nb::init<int, std::string, std::int64_t>(), "socket"_a, "url"_a, "spin_ns"_a,
           "Take over a connected socket. The url is for messages; spin_ns is how long a wait looks before it sleeps.")
      .def("attach", &Link::attach, "ring_bytes"_a, "spin_ns"_a,
           "Go on in the shared memory whose three descriptors came with the last reply, ring_bytes in each direction.")
      .def("limit_bodies", &Link::limit_bodies, "max_body_bytes"_a, "Refuse longer requests with EngineError.")
      .def("exchange", &Link::exchange, "pieces"_a, "due_bytes"_a, "seconds"_a, "descriptors"_a = nb::none(),
           nb::sig("def exchange(self, pieces: tuple[object, ...] | list[object], due_bytes: int, seconds: float, "
                   "descriptors: collections.abc.Sequence[int] | None = None) -> tuple[int, bytearray]"),
           "Send a session request, up to 8 pieces with its whole header in the first, and receive its reply:\n"
           "(compute_ns, payload). due_bytes is the length that the payload must have, -1 where that is not known.\n"
           "EngineError if the engine refuses the request; the connection goes on then.")
      .def("sweep", &Link::sweep, "request_id"_a, "epoch"_a, "series_id"_a, "combos"_a, "fee"_a, "kernel"_a, "threads"_a,
           "seconds"_a,
           nb::sig("def sweep(self, request_id: int, epoch: int, series_id: int, combos: object, fee: float, kernel: int, "
                   "threads: int, seconds: float) -> tuple[int, int, int, str, tuple[int, int, int, int, int, int, int], "
                   "bytearray] | None"),
           "Sweep over a stored series, as exchange does, without a detour through Python:\n"
           "(compute_ns, kernel number, threads, target, levels, payload). None, and nothing is sent, unless combos is a\n"
           "C-contiguous, aligned int64 buffer (n, 6) without a window below 1.")
      .def("live_bar", &Link::live_bar, "request_id"_a, "epoch"_a, "live_id"_a, "due"_a, "index"_a.none(), "price"_a.none(),
           "seconds"_a,
           nb::sig("def live_bar(self, request_id: int, epoch: int, live_id: int, due: int, index: int, price: float, seconds: "
                   "float) "
                   "-> tuple[Change, ...]"),
           "Send one bar to a live session that awaits bar `due`, as exchange does, without a detour through Python: its\n"
           "changes. OutOfOrder. ValueError for what is no price and TypeError for what is no number, before it is sent.")
      .def("epoch", &Link::epoch, "The run of the engine, as hello told it; 0 before.")
      .def("request", &Link::request, "pieces"_a, "buffer"_a, "at_least"_a, "seconds"_a,
           "Send up to 8 pieces, then receive at least so many bytes and at most what fills the buffer. Returns how many.")
      .def("receive", &Link::receive, "buffer"_a, "at_least"_a, "seconds"_a, "Receive as request does.")
      .def("descriptor", &Link::descriptor, "The socket's descriptor, -1 when it is closed.")
      .def("hang_up", &Link::hang_up, "End the connection, also where others hold a copy of the descriptor.")
      .def("close", &Link::close, "Close everything; a call that another thread has under way ends with ConnectionLost.");
}

}  // namespace onekernel::python
