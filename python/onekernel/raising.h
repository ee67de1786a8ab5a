// Errors of the package, raised from C++.
#ifndef ONEKERNEL_PYTHON_RAISING_H_
#define ONEKERNEL_PYTHON_RAISING_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "onekernel/status.h"

namespace onekernel::python {

// What went wrong on a channel: TimeoutError, onekernel.ConnectionLost, onekernel.ProtocolError or OSError.
[[noreturn]] void raise_channel_error(const Status& status);

[[noreturn]] void raise_connection_lost(const std::string& message);
[[noreturn]] void raise_protocol_error(const std::string& message);
// The peer hung up while it was being sent to.
[[noreturn]] void raise_cut_off();

// What a call in this process returned: ValueError, MemoryError, onekernel.OutOfOrder and other EngineErrors, or RuntimeError.
[[noreturn]] void raise_in_process_error(const Status& status);
// Another thread is in a call on the same live session.
[[noreturn]] void raise_session_in_use();

// EngineError or the class of its own that a code has.
[[noreturn]] void raise_engine_error(std::uint16_t code, std::string_view message);
// What the body of a classic error reply says.
[[noreturn]] void raise_classic_error(std::span<const std::byte> body);

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_RAISING_H_
