// Where a value is that cannot be used.
#ifndef ONEKERNEL_PYTHON_MISFIT_H_
#define ONEKERNEL_PYTHON_MISFIT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace onekernel::python {

// The index of the first value that `fits` does not accept, or -1; looked for only once it is known that there is one, so that
// the loop that nearly always runs has no branch.
template <class T, class Fits>
std::int64_t first_misfit(std::span<const T> values, Fits fits) {
  constexpr std::size_t kBlock = 4096;
  for (std::size_t start = 0; start < values.size(); start += kBlock) {
    const std::span<const T> block = values.subspan(start, std::min(kBlock, values.size() - start));
    std::uint64_t bad = 0;  // as wide as the values, for the sake of vector instructions
    for (const T value : block) bad |= fits(value) ? 0U : 1U;
    if (bad == 0) continue;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (!fits(block[i])) return static_cast<std::int64_t>(start + i);
    }
  }
  return -1;
}

// Finite and above zero.
inline bool is_price(double value) { return value > 0.0 && value <= std::numeric_limits<double>::max(); }

inline std::int64_t first_bad_price(std::span<const double> values) { return first_misfit(values, is_price); }

}  // namespace onekernel::python

#endif  // ONEKERNEL_PYTHON_MISFIT_H_
