#include "onekernel/sweep.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "kernel/kernel.h"
#include "onekernel/target.h"

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

// The cores this process may run on, looked up once: asking the system costs more than a small sweep.
int usable_cores() {
  static const int cores = [] {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return cores;
}

// How many threads may work: the option, or else ONEKERNEL_THREADS, or else one per core.
Result<int> allowed_threads(int option) {
  if (option < 0)
    return Status(StatusCode::kInvalidArgument, "threads is " + std::to_string(option) + ", but it cannot be negative");
  if (option > 0) return option;
  const char* text = std::getenv("ONEKERNEL_THREADS");
  const std::string_view value = text == nullptr ? "" : text;
  if (value.empty()) return usable_cores();
  int threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || end != value.data() + value.size() || threads < 1) {
    return Status(StatusCode::kInvalidArgument,
                  "ONEKERNEL_THREADS is '" + std::string(value) + "', but it must be a whole number of at least 1");
  }
  return threads;
}

}  // namespace

Status sweep(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options, std::span<double> pnl,
             std::span<std::int64_t> trades, SweepReport* report) {
  if (pnl.size() != combos.size() || trades.size() != combos.size()) {
    return {StatusCode::kInvalidArgument, "pnl holds " + std::to_string(pnl.size()) + " and trades " +
                                              std::to_string(trades.size()) + " values, but there are " +
                                              std::to_string(combos.size()) + " combos"};
  }
  if (!std::isfinite(options.fee)) return {StatusCode::kInvalidArgument, "the fee is not a finite number"};
  if (Status windows = check_windows(combos); !windows.ok()) return windows;
  const Result<int> threads = allowed_threads(options.threads);
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
