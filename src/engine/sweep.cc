#include "onekernel/sweep.h"

#include <exception>
#include <new>
#include <string>

#include "engine/checks.h"
#include "kernel/kernel.h"
#include "onekernel/target.h"

namespace onekernel {

Status sweep(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options, std::span<double> pnl,
             std::span<std::int64_t> trades, SweepReport* report) {
  if (pnl.size() != combos.size() || trades.size() != combos.size()) {
    return {StatusCode::kInvalidArgument, "pnl holds " + std::to_string(pnl.size()) + " and trades " +
                                              std::to_string(trades.size()) + " values, but there are " +
                                              std::to_string(combos.size()) + " combos"};
  }
  if (Status fee = engine::check_fee(options.fee); !fee.ok()) return fee;
  if (Status windows = engine::check_windows(combos); !windows.ok()) return windows;
  const Result<int> threads = engine::allowed_threads(options.threads);
  if (!threads.ok()) return threads.status();
  if (Status target = target_environment_status(); !target.ok()) return target;
  try {
    const SweepReport done =
        kernel::sweep(options.kernel, close, combos, options.fee, threads.value(), pnl, trades, options.cancel);
    if (options.cancel != nullptr && options.cancel->load()) return {StatusCode::kUnavailable, "the sweep was cancelled"};
    if (report != nullptr) *report = done;
  } catch (const std::bad_alloc&) {
    return {StatusCode::kUnavailable, "not enough memory for a sweep over " + std::to_string(close.size()) + " bars"};
  } catch (const std::exception& error) {
    return {StatusCode::kInternal, error.what()};
  }
  return {};
}

}  // namespace onekernel
