#include "kernel/kernel.h"

#include <array>

#include "kernel/naive.h"

namespace onekernel {
namespace {

constexpr std::array kKernels{Kernel::kChecked, Kernel::kUnchecked};

}  // namespace

std::span<const Kernel> all_kernels() { return kKernels; }

std::string_view kernel_name(Kernel kernel) {
  switch (kernel) {
    case Kernel::kChecked:
      return "checked";
    case Kernel::kUnchecked:
      return "unchecked";
  }
  return "unknown";
}

std::optional<Kernel> kernel_from_name(std::string_view name) {
  for (const Kernel kernel : kKernels) {
    if (kernel_name(kernel) == name) return kernel;
  }
  return std::nullopt;
}

namespace kernel {

void sweep(Kernel kernel, std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
           std::span<std::int64_t> trades) {
  switch (kernel) {
    case Kernel::kChecked:
      return sweep_checked(close, combos, fee, pnl, trades);
    case Kernel::kUnchecked:
      return sweep_unchecked(close, combos, fee, pnl, trades);
  }
}

}  // namespace kernel
}  // namespace onekernel
