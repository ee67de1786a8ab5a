// Classic frames, the published wire format. All numbers are little-endian.
//
//   request:  [u32 body_len][body]
//   body:     [u8 opcode][u32 n_bars][u32 n_combos][n_bars x f64 close][n_combos x 6 x i64 windows]
//   opcode 0  sweep: reply = [u32 body_len][n_combos x f64 pnl][n_combos x i64 trades]
//   opcode 1  echo:  reply = [u32 body_len][the close array, verbatim]
//   error:    reply = [u32 body_len][u8 StatusCode][UTF-8 message, space-padded so that body_len is 1 modulo 8]
#ifndef ONEKERNEL_WIRE_CLASSIC_H_
#define ONEKERNEL_WIRE_CLASSIC_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "onekernel/status.h"
#include "onekernel/types.h"

namespace onekernel::wire {

static_assert(std::endian::native == std::endian::little, "arrays are used where they lie; a big-endian host must swap them");

inline constexpr std::size_t kLengthPrefixSize = 4;
inline constexpr std::size_t kClassicHeaderSize = 9;  // opcode, n_bars, n_combos

enum class ClassicOpcode : std::uint8_t { kSweep = 0, kEcho = 1 };

struct ClassicHeader {
  ClassicOpcode opcode;
  std::uint32_t n_bars;
  std::uint32_t n_combos;
};

struct ClassicRequest {
  ClassicOpcode opcode;
  std::span<const double> close;
  std::span<const Combo> combos;
};

// Length of a request's body; at most 2^32 * 56 + 9, so 64 bits always hold it.
std::uint64_t classic_body_size(std::uint32_t n_bars, std::uint32_t n_combos);

// Reads the header from the first bytes of a body and checks it against the declared length of the whole body.
// `prefix` holds the first min(body_len, kClassicHeaderSize) bytes, or more.
// Errors: kMalformedFrame (body shorter than a header, or its length disagrees with the counts), kUnknownOpcode.
Result<ClassicHeader> decode_classic_header(std::span<const std::byte> prefix, std::uint64_t body_len);

// Views of the arrays inside `body`; nothing is copied.
// REQUIRES: body.data() + kClassicHeaderSize is 8-aligned. Errors: as decode_classic_header.
Result<ClassicRequest> decode_classic_request(std::span<const std::byte> body);

// The length prefix of a frame.
std::array<std::byte, kLengthPrefixSize> encode_length(std::uint32_t body_len);
std::uint32_t decode_length(std::span<const std::byte, kLengthPrefixSize> prefix);

// The first 13 bytes of a request: length prefix and header. The arrays follow as they lie in memory.
// REQUIRES: classic_body_size() fits in 32 bits.
std::array<std::byte, kLengthPrefixSize + kClassicHeaderSize> encode_classic_head(const ClassicHeader& header);

// The body of an error reply. Messages are cut at kMaxErrorMessage bytes. REQUIRES: !status.ok().
inline constexpr std::size_t kMaxErrorMessage = 1024;
std::vector<std::byte> encode_error_body(const Status& status);

// True where a reply's length marks an error; then decode_error_body says which.
bool is_error_length(std::uint32_t body_len);
Status decode_error_body(std::span<const std::byte> body);

}  // namespace onekernel::wire

#endif  // ONEKERNEL_WIRE_CLASSIC_H_
