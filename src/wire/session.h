// Session frames: what classic frames cannot say. Opcodes from 0x10. All numbers are little-endian.
//
//   request:  [u32 body_len][RequestHeader, 32 bytes][payload]
//   reply:    [u32 body_len][ReplyHeader, 32 bytes][payload]
//
// A body starts 8-aligned in the receiver's memory, and so does every array in it. Text is UTF-8, padded to 8 with zeros;
// its length is told. An error reply's payload is its message. docs/protocol.md has the tables.
#ifndef ONEKERNEL_WIRE_SESSION_H_
#define ONEKERNEL_WIRE_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "onekernel/status.h"
#include "onekernel/types.h"

namespace onekernel::wire {

inline constexpr std::uint8_t kSessionVersion = 1;
inline constexpr std::uint8_t kFirstSessionOpcode = 0x10;

enum class SessionOpcode : std::uint8_t {
  kHello = 0x10,       // nothing, or HelloRequest, token -> HelloReply, kernel names separated by commas
  kPut = 0x11,         // PutRequest, name, closes (none where a descriptor comes along) -> SeriesInfo, name
  kList = 0x12,        // -> any number of SeriesInfo, name
  kDrop = 0x13,        // DropRequest -> nothing
  kSweep = 0x14,       // SweepRequest, closes (none where a series id is given), combos -> SweepReply, pnl, trades
  kEcho = 0x15,        // anything -> the same
  kStatistics = 0x16,  // -> StatisticsReply
  kAttach = 0x17,      // AttachRequest -> AttachReply and descriptors: shared memory, its two bells
  // The structs are in wire/live.h.
  kLiveOpen = 0x20,      // LiveOpenRequest, closes (none where a series id is given), combos -> LiveInfo
  kLiveBars = 0x21,      // LiveBarsRequest, closes -> LiveBarsReply, changes
  kLiveStates = 0x22,    // LiveRequest -> LiveInfo, a LiveState per combo
  kLiveSnapshot = 0x23,  // LiveRequest -> the snapshot
  kLiveRestore = 0x24,   // a snapshot -> LiveInfo
  kLiveClose = 0x25,     // LiveRequest -> nothing
  kTrades = 0x26,        // as kLiveOpen -> TradesReply, pnl, closed trades, open trades
};

// True for a body that is a session frame (it may still be malformed); classic frames have lower opcodes.
inline bool is_session_opcode(std::uint8_t opcode) { return opcode >= kFirstSessionOpcode; }

struct RequestHeader {
  std::uint8_t opcode = 0;
  std::uint8_t version = kSessionVersion;
  std::uint16_t reserved0 = 0;
  std::uint32_t reserved1 = 0;
  std::uint64_t request_id = 0;  // the caller's; its reply carries it
  std::uint64_t epoch = 0;       // the server's, from hello; only hello may leave it 0
  std::uint64_t reserved2 = 0;
};

struct ReplyHeader {
  std::uint8_t opcode = 0;
  std::uint8_t version = kSessionVersion;
  std::uint16_t status = 0;  // StatusCode
  std::uint32_t reserved = 0;
  std::uint64_t request_id = 0;
  std::uint64_t epoch = 0;      // of the server that answers
  std::int64_t compute_ns = 0;  // the engine's own time for the request, without decoding, copying or system calls
};

inline constexpr std::size_t kSessionHeaderSize = 32;
static_assert(sizeof(RequestHeader) == kSessionHeaderSize && sizeof(ReplyHeader) == kSessionHeaderSize);

enum Capability : std::uint64_t {
  kCanPassDescriptors = 1,  // put by memfd, attach
};

// May be left out where there is no token to tell.
struct HelloRequest {
  std::uint32_t token_bytes = 0;  // behind it
  std::uint32_t reserved = 0;
};

struct HelloReply {
  std::uint64_t capabilities = 0;  // of this connection
  std::uint64_t max_frame_bytes = 0;
  std::uint64_t max_combos = 0;
  std::uint64_t max_connections = 0;
  std::uint64_t max_series = 0;
  std::uint64_t max_series_bytes = 0;
  std::uint64_t max_live_sessions = 0;
  double default_fee = 0.0;
  std::uint32_t default_kernel = 0;  // index into the kernel names
  std::uint32_t kernel_names_bytes = 0;
  char version[24] = {};  // zero-terminated
};

enum SeriesFlag : std::uint32_t {
  kShared = 1,      // stays when its client goes, and every client sees it
  kDescriptor = 2,  // put: the closes are in the sealed memfd that came with the frame
  kReplace = 4,     // put: a shared series of this name gives way
};

struct PutRequest {
  std::uint64_t n_bars = 0;
  std::uint32_t flags = 0;
  std::uint32_t name_bytes = 0;
};

struct SeriesInfo {
  std::uint64_t id = 0;
  std::uint64_t n_bars = 0;
  std::uint64_t content_hash = 0;
  std::uint32_t flags = 0;
  std::uint32_t name_bytes = 0;
};

struct DropRequest {
  std::uint64_t series_id = 0;
};

inline constexpr std::uint32_t kDefaultKernel = 0xFFFFFFFF;

struct SweepRequest {
  std::uint64_t series_id = 0;  // 0: the closes are in this frame
  std::uint64_t n_bars = 0;     // in this frame
  std::uint64_t n_combos = 0;
  double fee = 0.0;
  std::uint32_t kernel = kDefaultKernel;
  std::uint32_t threads = 0;  // 0: the server decides
};

struct SweepReply {
  std::uint64_t n_combos = 0;
  std::uint32_t kernel = 0;
  std::uint32_t threads = 0;    // that had a part in it
  char target[16] = {};         // instruction set, zero-terminated
  std::int64_t levels[7] = {};  // LevelCounts, in their order
};

struct StatisticsReply {
  std::uint64_t uptime_ns = 0;
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t compute_ns = 0;
  std::uint64_t connections = 0;
  std::uint64_t series = 0;
  std::uint64_t series_bytes = 0;
  std::uint64_t live_sessions = 0;
  std::uint64_t live_bytes = 0;
};

struct AttachRequest {
  std::uint64_t ring_bytes = 0;  // of each direction; the server rounds it up to a power of two
};

struct AttachReply {
  std::uint64_t ring_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

// How many bytes `text` takes in a frame.
constexpr std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

// Reads a payload front to back. Every take is checked against what is left.
// REQUIRES: the payload starts 8-aligned.
class PayloadReader {
 public:
  explicit PayloadReader(std::span<const std::byte> payload) : rest_(payload) {}

  template <class T>
  std::optional<T> take() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    if (rest_.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  // A view of `count` values where they lie.
  template <class T>
  std::optional<std::span<const T>> take_array(std::uint64_t count) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    if (count > rest_.size() / sizeof(T)) return std::nullopt;
    const std::span<const T> values(reinterpret_cast<const T*>(rest_.data()), static_cast<std::size_t>(count));
    rest_ = rest_.subspan(values.size_bytes());
    return values;
  }

  std::optional<std::string_view> take_text(std::uint32_t size);

  bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

// Appends to a payload that is small; arrays are sent from where they are.
class PayloadWriter {
 public:
  template <class T>
  PayloadWriter& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof(T));
    std::memcpy(bytes_.data() + end, &value, sizeof(T));
    return *this;
  }
  PayloadWriter& put_text(std::string_view text);
  void clear() { bytes_.clear(); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Errors: kMalformedFrame (too short, reserved fields not zero, a version this code does not speak).
Result<RequestHeader> decode_request_header(std::span<const std::byte> body);
Result<ReplyHeader> decode_reply_header(std::span<const std::byte> body);

// The message of an error reply's payload.
std::string_view decode_error_text(std::span<const std::byte> payload);

}  // namespace onekernel::wire

#endif  // ONEKERNEL_WIRE_SESSION_H_
