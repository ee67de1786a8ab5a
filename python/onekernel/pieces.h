// A request as Python hands it over: several objects with bytes, to be sent one after the other.
#ifndef ONEKERNEL_PYTHON_PIECES_H_
#define ONEKERNEL_PYTHON_PIECES_H_

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <span>

#include "buffer.h"

namespace onekernel::python {

class Pieces {
 public:
  static constexpr std::size_t kMax = 8;

  // A tuple or list. Throws ValueError for more than kMax, TypeError for anything else.
  explicit Pieces(nanobind::handle pieces) {
    const bool is_tuple = PyTuple_Check(pieces.ptr());
    if (!is_tuple && !PyList_Check(pieces.ptr())) throw nanobind::type_error("a request is a tuple or a list of pieces");
    const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(pieces.ptr()));
    if (count > kMax) throw nanobind::value_error("a request has at most 8 pieces");
    for (; count_ < count; ++count_) {
      PyObject* piece = PySequence_Fast_GET_ITEM(pieces.ptr(), static_cast<Py_ssize_t>(count_));
      buffers_[count_].open(piece, /*writable=*/false);
      spans_[count_] = buffers_[count_].bytes();
      n_bytes_ += spans_[count_].size();
    }
  }

  std::size_t n_bytes() const { return n_bytes_; }
  std::span<const std::span<const std::byte>> spans() const { return std::span(spans_).first(count_); }

 private:
  std::array<Buffer, kMax> buffers_;
  std::array<std::span<const std::byte>, kMax> spans_;
  std::size_t count_ = 0;
  std::size_t n_bytes_ = 0;
};

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_PIECES_H_
