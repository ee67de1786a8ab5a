// The closes of one block of bars with the history before it.
#ifndef ONEKERNEL_KERNEL_BLOCK_H_
#define ONEKERNEL_KERNEL_BLOCK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/windows.h"
#include "kernel/words.h"

namespace onekernel::kernel {

class Block {
 public:
  // Readable zeros before the history and after the block, for vectors and strips that reach past them.
  static constexpr std::int64_t kPad = 64;

  explicit Block(Geometry geometry);

  // Reads block `index` of the series. Bars outside the series count as 0.0.
  void load(std::span<const double> close, std::int64_t index);

  const Geometry& geometry() const { return geometry_; }
  std::int64_t first_bar() const { return first_bar_; }
  std::int64_t bars() const { return bars_; }  // that the series has of the block
  std::int64_t words() const { return (bars_ + kWordBars - 1) / kWordBars; }

  // x()[i] is the close of bar first_bar() + i, for -history - kPad <= i < block + kPad.
  const double* x() const { return x_.data() + kPad + geometry_.history; }

  // The closes that are both in the series and in this block or its history: bars from present_from() on, relative.
  std::int64_t present_from() const { return -std::min(geometry_.history, first_bar_); }

 private:
  Geometry geometry_;
  std::int64_t first_bar_ = 0;
  std::int64_t bars_ = 0;
  std::vector<double> x_;
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_BLOCK_H_
