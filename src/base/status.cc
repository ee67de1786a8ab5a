#include "onekernel/status.h"

namespace onekernel {

std::string_view status_code_name(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kMalformedFrame:
      return "malformed frame";
    case StatusCode::kUnknownOpcode:
      return "unknown opcode";
    case StatusCode::kInvalidArgument:
      return "invalid argument";
    case StatusCode::kLimitExceeded:
      return "limit exceeded";
    case StatusCode::kInternal:
      return "internal error";
    case StatusCode::kUnavailable:
      return "unavailable";
    case StatusCode::kIo:
      return "input/output error";
    case StatusCode::kConnectionClosed:
      return "connection closed";
    case StatusCode::kDeadlineExceeded:
      return "deadline exceeded";
    case StatusCode::kStaleEpoch:
      return "stale epoch";
    case StatusCode::kNotFound:
      return "not found";
    case StatusCode::kPermissionDenied:
      return "permission denied";
    case StatusCode::kAlreadyExists:
      return "already exists";
    case StatusCode::kOutOfOrder:
      return "out of order";
  }
  return "unknown status";
}

}  // namespace onekernel
