// The words everything else is said in: a combo, a kernel's name.
#ifndef ONEKERNEL_TYPES_H_
#define ONEKERNEL_TYPES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "onekernel/export.h"

namespace onekernel {

// One parameter set: six window lengths in bars, each at least 1, in the order in which they cross the wire.
//   hma  = wma(2*wma(close, half) - wma(close, full), smooth)                               Hull moving average (Alan Hull)
//   hma3 = wma(3*wma(close, third) - wma(close, half3) - wma(close, full3), full3)
struct Combo {
  std::int64_t half;
  std::int64_t full;
  std::int64_t smooth;
  std::int64_t third;
  std::int64_t half3;
  std::int64_t full3;

  friend bool operator==(const Combo&, const Combo&) = default;
};
static_assert(sizeof(Combo) == 6 * sizeof(std::int64_t), "a combo is six int64 on the wire and in NumPy arrays");

// Implementations of the reference arithmetic. All return the same bits; they differ in speed only.
enum class Kernel : std::uint8_t {
  kChecked,    // line by line, every index bounds-checked
  kUnchecked,  // line by line, no bounds checks
  kExact,      // SIMD across bars in the reference's order
  kCertified,  // constant work per bar and combo, every decision proved equal to the reference's
};

// From the simplest to the fastest; the numbers go on the wire (docs/protocol.md).
ONEKERNEL_EXPORT std::span<const Kernel> all_kernels();
ONEKERNEL_EXPORT std::string_view kernel_name(Kernel kernel);
ONEKERNEL_EXPORT std::optional<Kernel> kernel_from_name(std::string_view name);

}  // namespace onekernel

#endif  // ONEKERNEL_TYPES_H_
