// Monotonic time in nanoseconds.
#ifndef ONEKERNEL_BASE_CLOCK_H_
#define ONEKERNEL_BASE_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace onekernel::base {

inline std::int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace onekernel::base

#endif  // ONEKERNEL_BASE_CLOCK_H_
