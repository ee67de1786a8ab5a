#include "transport/outgoing.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace onekernel::transport {

Outgoing::Outgoing(Parts parts, std::span<const int> descriptors) : parts_(parts), descriptors_(descriptors) {
  for (const auto& part : parts) left_ += part.size();
}

bool Outgoing::out_of_time() const {
  return end_ns_ != std::numeric_limits<std::int64_t>::max() && base::monotonic_ns() >= end_ns_;
}

void Outgoing::copy(std::byte* to, std::size_t size) {
  left_ -= size;
  while (size > 0) {
    const std::span<const std::byte> rest = parts_[part_].subspan(offset_);
    const std::size_t step = std::min(size, rest.size());
    if (step > 0) std::memcpy(to, rest.data(), step);
    to += step;
    size -= step;
    offset_ += step;
    if (offset_ == parts_[part_].size()) {
      ++part_;
      offset_ = 0;
    }
  }
}

void Outgoing::skip(std::size_t size) {
  if (size > 0) descriptors_ = {};
  left_ -= size;
  while (size > 0) {
    const std::size_t step = std::min(size, parts_[part_].size() - offset_);
    size -= step;
    offset_ += step;
    if (offset_ == parts_[part_].size()) {
      ++part_;
      offset_ = 0;
    }
  }
}

std::size_t Outgoing::peek(std::span<iovec> vectors) const {
  std::size_t count = 0;
  for (std::size_t i = part_; i < parts_.size() && count < vectors.size(); ++i) {
    const std::span<const std::byte> rest = parts_[i].subspan(i == part_ ? offset_ : 0);
    if (!rest.empty()) vectors[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};
  }
  return count;
}

}  // namespace onekernel::transport
