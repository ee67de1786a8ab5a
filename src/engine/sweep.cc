#include "onekernel/sweep.h"

#include <array>
#include <cmath>
#include <exception>
#include <new>
#include <string>

#include "kernel/kernel.h"

namespace onekernel {
namespace {

struct Field {
  const char* name;
  std::int64_t Combo::*value;
};

constexpr std::array<Field, 6> kFields{{{"half", &Combo::half},
                                        {"full", &Combo::full},
                                        {"smooth", &Combo::smooth},
                                        {"third", &Combo::third},
                                        {"half3", &Combo::half3},
                                        {"full3", &Combo::full3}}};

Status check_windows(std::span<const Combo> combos) {
  for (std::size_t i = 0; i < combos.size(); ++i) {
    for (const Field& field : kFields) {
      const std::int64_t length = combos[i].*field.value;
      if (length < 1) {
        return {StatusCode::kInvalidArgument, "combo " + std::to_string(i) + ": window '" + field.name + "' is " +
                                                  std::to_string(length) + ", but a window is at least 1 bar long"};
      }
    }
  }
  return {};
}

}  // namespace

Status sweep(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options, std::span<double> pnl,
             std::span<std::int64_t> trades) {
  if (pnl.size() != combos.size() || trades.size() != combos.size()) {
    return {StatusCode::kInvalidArgument, "pnl holds " + std::to_string(pnl.size()) + " and trades " +
                                              std::to_string(trades.size()) + " values, but there are " +
                                              std::to_string(combos.size()) + " combos"};
  }
  if (!std::isfinite(options.fee)) return {StatusCode::kInvalidArgument, "the fee is not a finite number"};
  if (Status windows = check_windows(combos); !windows.ok()) return windows;
  try {
    kernel::sweep(options.kernel, close, combos, options.fee, pnl, trades);
  } catch (const std::bad_alloc&) {
    return {StatusCode::kUnavailable, "not enough memory for a sweep over " + std::to_string(close.size()) + " bars"};
  } catch (const std::exception& error) {
    return {StatusCode::kInternal, error.what()};
  }
  return {};
}

}  // namespace onekernel
