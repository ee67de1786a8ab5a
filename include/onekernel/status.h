// How failures travel: as values, never as an exception, an abort or a line on somebody's terminal.
#ifndef ONEKERNEL_STATUS_H_
#define ONEKERNEL_STATUS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "onekernel/export.h"

namespace onekernel {

// The numbers are part of the wire format (the code byte of an error reply, docs/protocol.md): never renumber one.
enum class StatusCode : std::uint8_t {
  kOk = 0,
  kMalformedFrame = 1,     // the frame contradicts itself
  kUnknownOpcode = 2,      // the first byte of the body names no operation
  kInvalidArgument = 3,    // well-formed, but a value is out of its range
  kLimitExceeded = 4,      // one of the server's limits; the message names it
  kInternal = 5,           // a defect of ours
  kUnavailable = 6,        // the server stops or has no room
  kIo = 7,                 // the operating system refused; the message says what and why
  kConnectionClosed = 8,   // the peer hung up inside a frame, or before a reply
  kDeadlineExceeded = 9,   // a wait took longer than it may
  kStaleEpoch = 10,        // the request is for a server process that is gone
  kNotFound = 11,          // no series, session or file of that name
  kAlreadyExists = 12,     // the name is taken
  kPermissionDenied = 13,  // another user, or no token
  kOutOfOrder = 14,        // a live session awaits another bar
};

ONEKERNEL_EXPORT std::string_view status_code_name(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// A value or the reason why there is none. REQUIRES: ok() before value(), !ok() before status().
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}         // NOLINT(google-explicit-constructor): `return value;`
  Result(Status status) : state_(std::move(status)) {}  // NOLINT(google-explicit-constructor): `return status;`

  bool ok() const { return std::holds_alternative<T>(state_); }
  T& value() & { return std::get<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  const Status& status() const { return std::get<Status>(state_); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace onekernel

#endif  // ONEKERNEL_STATUS_H_
