#include "raising.h"

namespace onekernel::python {
namespace {

namespace nb = nanobind;

nb::object attribute(const char* module, const char* name) { return nb::module_::import_(module).attr(name); }

[[noreturn]] void raise_as(const nb::handle type, const std::string& message) {
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

[[noreturn]] void raise_value(const nb::object& error) {
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

nb::object text_of(std::string_view bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

}  // namespace

void raise_connection_lost(const std::string& message) { raise_as(attribute("onekernel.errors", "ConnectionLost"), message); }
void raise_protocol_error(const std::string& message) { raise_as(attribute("onekernel.errors", "ProtocolError"), message); }

void raise_cut_off() {
  raise_as(attribute("onekernel.channel", "RequestCutOff"), "Broken pipe: the engine hung up amid the request");
}

void raise_channel_error(const Status& status) {
  switch (status.code()) {
    case StatusCode::kDeadlineExceeded:
      raise_as(PyExc_TimeoutError, status.message());
    case StatusCode::kConnectionClosed:
      raise_connection_lost("the engine hung up before it replied");
    case StatusCode::kMalformedFrame:
    case StatusCode::kInvalidArgument:
      raise_protocol_error(status.message());
    default:
      raise_as(PyExc_OSError, status.message());
  }
}

void raise_in_process_error(const Status& status) {
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
      raise_as(PyExc_ValueError, status.message());
    case StatusCode::kUnavailable:
      raise_as(PyExc_MemoryError, status.message());
    case StatusCode::kOutOfOrder:
    case StatusCode::kLimitExceeded:
      raise_engine_error(static_cast<std::uint16_t>(status.code()), status.message());
    default:
      raise_as(PyExc_RuntimeError, status.message());
  }
}

void raise_session_in_use() {
  raise_as(attribute("onekernel.errors", "SessionInUse"),
           "another thread is in a call on this live session; give each thread its own, or use a lock");
}

void raise_engine_error(std::uint16_t code, std::string_view message) {
  raise_value(attribute("onekernel.errors", "engine_error")(code, text_of(message)));
}

void raise_classic_error(std::span<const std::byte> body) {
  raise_value(attribute("onekernel.classic", "decode_error")(nb::bytes(body.data(), body.size())));
}

}  // namespace onekernel::python
