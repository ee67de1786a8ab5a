#include "wire/classic.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace onekernel::wire {
namespace {

constexpr std::size_t kErrorPadding = 8;

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// The longest start of `message` that fits and does not cut a UTF-8 character in two.
std::size_t utf8_cut(const std::string& message, std::size_t limit) {
  if (message.size() <= limit) return message.size();
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0u) == 0x80u) --end;
  return end;
}

}  // namespace

std::uint64_t classic_body_size(std::uint32_t n_bars, std::uint32_t n_combos) {
  return kClassicHeaderSize + std::uint64_t{n_bars} * sizeof(double) + std::uint64_t{n_combos} * sizeof(Combo);
}

Result<ClassicHeader> decode_classic_header(std::span<const std::byte> prefix, std::uint64_t body_len) {
  if (body_len < kClassicHeaderSize || prefix.size() < kClassicHeaderSize) {
    return Status(StatusCode::kMalformedFrame, "the body is " + std::to_string(body_len) +
                                                   " bytes long, but its header alone takes " +
                                                   std::to_string(kClassicHeaderSize));
  }
  const auto opcode = load<std::uint8_t>(prefix.data());
  if (opcode > static_cast<std::uint8_t>(ClassicOpcode::kEcho)) {
    return Status(StatusCode::kUnknownOpcode, "opcode " + std::to_string(opcode) + " is none of 0 (sweep) and 1 (echo)");
  }
  const ClassicHeader header{static_cast<ClassicOpcode>(opcode), load<std::uint32_t>(prefix.data() + 1),
                             load<std::uint32_t>(prefix.data() + 5)};
  if (const std::uint64_t expected = classic_body_size(header.n_bars, header.n_combos); expected != body_len) {
    return Status(StatusCode::kMalformedFrame,
                  "the body is " + std::to_string(body_len) + " bytes long, but " + std::to_string(header.n_bars) +
                      " bars and " + std::to_string(header.n_combos) + " combos take " + std::to_string(expected));
  }
  return header;
}

Result<ClassicRequest> decode_classic_request(std::span<const std::byte> body) {
  const Result<ClassicHeader> header = decode_classic_header(body, body.size());
  if (!header.ok()) return header.status();
  const ClassicHeader& counts = header.value();
  const std::byte* close = body.data() + kClassicHeaderSize;
  const std::byte* combos = close + std::size_t{counts.n_bars} * sizeof(double);
  return ClassicRequest{counts.opcode,
                        {reinterpret_cast<const double*>(close), counts.n_bars},
                        {reinterpret_cast<const Combo*>(combos), counts.n_combos}};
}

std::array<std::byte, kLengthPrefixSize> encode_length(std::uint32_t body_len) {
  std::array<std::byte, kLengthPrefixSize> prefix;
  store(prefix.data(), body_len);
  return prefix;
}

std::uint32_t decode_length(std::span<const std::byte, kLengthPrefixSize> prefix) { return load<std::uint32_t>(prefix.data()); }

std::array<std::byte, kLengthPrefixSize + kClassicHeaderSize> encode_classic_head(const ClassicHeader& header) {
  std::array<std::byte, kLengthPrefixSize + kClassicHeaderSize> head;
  store(head.data(), static_cast<std::uint32_t>(classic_body_size(header.n_bars, header.n_combos)));
  store(head.data() + 4, static_cast<std::uint8_t>(header.opcode));
  store(head.data() + 5, header.n_bars);
  store(head.data() + 9, header.n_combos);
  return head;
}

std::vector<std::byte> encode_error_body(const Status& status) {
  const std::size_t length = utf8_cut(status.message(), kMaxErrorMessage);
  const std::size_t padded = (length + kErrorPadding - 1) / kErrorPadding * kErrorPadding;
  std::vector<std::byte> body(1 + padded, std::byte{' '});
  body[0] = static_cast<std::byte>(status.code());
  std::memcpy(body.data() + 1, status.message().data(), length);
  return body;
}

bool is_error_length(std::uint32_t body_len) { return body_len % kErrorPadding == 1; }

Status decode_error_body(std::span<const std::byte> body) {
  if (body.empty() || body[0] == std::byte{0}) return {StatusCode::kMalformedFrame, "an error reply without a code"};
  std::string message(reinterpret_cast<const char*>(body.data()) + 1, body.size() - 1);
  message.erase(message.find_last_not_of(' ') + 1);
  return {static_cast<StatusCode>(body[0]), std::move(message)};
}

}  // namespace onekernel::wire
