#include "wire/session.h"

#include <string>

namespace onekernel::wire {
namespace {

template <class Header>
Result<Header> decode_header(std::span<const std::byte> body) {
  Header header;
  if (body.size() < sizeof(header)) {
    return Status(StatusCode::kMalformedFrame, "a session frame of " + std::to_string(body.size()) +
                                                   " bytes, but its header alone takes " + std::to_string(sizeof(header)));
  }
  std::memcpy(&header, body.data(), sizeof(header));
  if (header.version != kSessionVersion) {
    return Status(StatusCode::kMalformedFrame, "session frame version " + std::to_string(header.version) +
                                                   " is not spoken here, only version " + std::to_string(kSessionVersion));
  }
  return header;
}

}  // namespace

std::optional<std::string_view> PayloadReader::take_text(std::uint32_t size) {
  if (padded(size) > rest_.size()) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(rest_.data()), size);
  rest_ = rest_.subspan(padded(size));
  return text;
}

PayloadWriter& PayloadWriter::put_text(std::string_view text) {
  const std::size_t end = bytes_.size();
  bytes_.resize(end + padded(text.size()));
  if (!text.empty()) std::memcpy(bytes_.data() + end, text.data(), text.size());
  return *this;
}

Result<RequestHeader> decode_request_header(std::span<const std::byte> body) {
  Result<RequestHeader> header = decode_header<RequestHeader>(body);
  if (!header.ok()) return header;
  const RequestHeader& value = header.value();
  if (value.reserved0 != 0 || value.reserved1 != 0 || value.reserved2 != 0) {
    return Status(StatusCode::kMalformedFrame, "a reserved field of the request header is not zero");
  }
  return header;
}

Result<ReplyHeader> decode_reply_header(std::span<const std::byte> body) { return decode_header<ReplyHeader>(body); }

std::string_view decode_error_text(std::span<const std::byte> payload) {
  std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace onekernel::wire
