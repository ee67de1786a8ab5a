// The bytes of a Python object.
#ifndef ONEKERNEL_PYTHON_BUFFER_H_
#define ONEKERNEL_PYTHON_BUFFER_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>

namespace onekernel::python {

// Its owner keeps the bytes in place while this lives. Throws Python's own error for an object that has no C-contiguous bytes,
// or none that can be written where that is asked for.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(nanobind::handle object, bool writable = false) { open(object, writable); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  // REQUIRES: not opened before.
  void open(nanobind::handle object, bool writable) {
    if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) throw nanobind::python_error();
  }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)}; }

 private:
  Py_buffer view_{};
};

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_BUFFER_H_
