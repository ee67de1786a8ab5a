#include "kernel/kernel.h"

#include <array>
#include <utility>

#include "kernel/naive.h"

namespace onekernel {
namespace {

constexpr std::array<std::pair<Kernel, std::string_view>, 2> kKernelNames{{
    {Kernel::kChecked, "checked"},
    {Kernel::kUnchecked, "unchecked"},
}};

}  // namespace

std::string_view kernel_name(Kernel kernel) {
  for (const auto& [candidate, name] : kKernelNames) {
    if (candidate == kernel) return name;
  }
  return "unknown";
}

std::optional<Kernel> kernel_from_name(std::string_view name) {
  for (const auto& [candidate, candidate_name] : kKernelNames) {
    if (candidate_name == name) return candidate;
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
