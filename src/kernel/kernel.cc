#include "kernel/kernel.h"

#include <array>

#include "kernel/naive.h"
#include "kernel/schedule.h"
#include "onekernel/target.h"

namespace onekernel {
namespace {

constexpr std::array kKernels{Kernel::kChecked, Kernel::kUnchecked, Kernel::kExact, Kernel::kCertified};

}  // namespace

std::span<const Kernel> all_kernels() { return kKernels; }

std::string_view kernel_name(Kernel kernel) {
  switch (kernel) {
    case Kernel::kChecked:
      return "checked";
    case Kernel::kUnchecked:
      return "unchecked";
    case Kernel::kExact:
      return "exact";
    case Kernel::kCertified:
      return "certified";
  }
  return "unknown";
}

std::optional<Kernel> kernel_from_name(std::string_view name) {
  for (const Kernel kernel : kKernels) {
    if (kernel_name(kernel) == name) return kernel;
  }
  return std::nullopt;
}

LevelCounts& LevelCounts::operator+=(const LevelCounts& other) {
  by_bound += other.by_bound;
  by_dot += other.by_dot;
  by_reference += other.by_reference;
  by_exact += other.by_exact;
  flips += other.flips;
  blocks += other.blocks;
  blocks_exact += other.blocks_exact;
  return *this;
}

namespace kernel {

SweepReport sweep(Kernel kernel, std::span<const double> close, std::span<const Combo> combos, double fee, int threads,
                  std::span<double> pnl, std::span<std::int64_t> trades) {
  SweepReport report{.kernel = kernel, .target = "none", .threads = 1, .levels = {}};
  switch (kernel) {
    case Kernel::kChecked:
      sweep_checked(close, combos, fee, pnl, trades);
      break;
    case Kernel::kUnchecked:
      sweep_unchecked(close, combos, fee, pnl, trades);
      break;
    case Kernel::kExact:
    case Kernel::kCertified: {
      report.target = current_target();
      const bool certify = kernel == Kernel::kCertified;
      const auto take = [&](std::size_t combo, const Book& book) {
        pnl[combo] = book.pnl;
        trades[combo] = book.trades;
      };
      const ScheduleResult result = run_batches(certify, close, combos, fee, threads, Tuning{}, {.book = take, .logs = {}});
      report.threads = result.threads;
      report.levels = result.levels;
      break;
    }
  }
  return report;
}

void sweep(Kernel kernel, std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
           std::span<std::int64_t> trades) {
  (void)sweep(kernel, close, combos, fee, 1, pnl, trades);
}

}  // namespace kernel
}  // namespace onekernel
