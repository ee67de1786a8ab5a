// A request as Python hands it over: several objects with bytes, to be sent one after the other.
#ifndef ONEKERNEL_PYTHON_PIECES_H_
#define ONEKERNEL_PYTHON_PIECES_H_

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <span>

#include "buffer.h"

namespace onekernel::python {

using PieceSequence = nanobind::typed<nanobind::sequence, nanobind::object>;

class Pieces {
 public:
  static constexpr std::size_t kMax = 8;

  // Throws ValueError for more than kMax.
  explicit Pieces(const PieceSequence& pieces) {
    for (nanobind::handle piece : pieces) {
      if (count_ == kMax) throw nanobind::value_error("a request has at most 8 pieces");
      buffers_[count_].open(piece, /*writable=*/false);
      spans_[count_] = buffers_[count_].bytes();
      ++count_;
    }
  }

  std::span<const std::span<const std::byte>> spans() const { return std::span(spans_).first(count_); }

 private:
  std::array<Buffer, kMax> buffers_;
  std::array<std::span<const std::byte>, kMax> spans_;
  std::size_t count_ = 0;
};

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_PIECES_H_
