#include "kernel/block.h"

#include <algorithm>

namespace onekernel::kernel {

Block::Block(Geometry geometry)
    : geometry_(geometry), x_(static_cast<std::size_t>(kPad + geometry.history + geometry.block + kPad), 0.0) {}

void Block::load(std::span<const double> close, std::int64_t index) {
  first_bar_ = index * geometry_.block;
  bars_ = std::min(geometry_.block, static_cast<std::int64_t>(close.size()) - first_bar_);
  const std::int64_t from = first_bar_ + present_from();
  const auto out = x_.begin() + kPad;
  const std::int64_t missing = geometry_.history + present_from();
  std::fill_n(out, missing, 0.0);
  std::copy(close.begin() + from, close.begin() + first_bar_ + bars_, out + missing);
  std::fill(out + geometry_.history + bars_, x_.end(), 0.0);
}

}  // namespace onekernel::kernel
