// Runs the published sweep with several kernels, checks that the results agree to the bit, and only then times them, turn by
// turn, so that whatever else the machine does falls on all of them alike.
//
//   compare_kernels [bars] [shortest longest count] [rounds]
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "onekernel/sweep.h"
#include "onekernel/target.h"
#include "workload.h"

namespace onekernel::benchmarks {
namespace {

struct Contender {
  std::string name;
  SweepOptions options;
  std::vector<double> seconds;      // on the wall
  std::vector<double> cpu_seconds;  // of all threads: what a busy machine does not change
  std::vector<double> pnl;
  std::vector<std::int64_t> trades;
  SweepReport report;
};

void run(Contender& contender, const std::vector<double>& close, const std::vector<Combo>& combos) {
  const std::clock_t cpu_start = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const Status status = sweep(close, combos, contender.options, contender.pnl, contender.trades, &contender.report);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", contender.name.c_str(), status.message().c_str());
    std::exit(1);
  }
  contender.seconds.push_back(taken.count());
  contender.cpu_seconds.push_back(static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
}

bool same_bits(const Contender& a, const Contender& b) {
  for (std::size_t i = 0; i < a.pnl.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(a.pnl[i]) != std::bit_cast<std::uint64_t>(b.pnl[i])) return false;
  }
  return a.trades == b.trades;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int main(int argc, char** argv) {
  const auto argument = [&](int i, double otherwise) { return argc > i ? std::atof(argv[i]) : otherwise; };
  const std::vector<double> close = random_walk(static_cast<std::int64_t>(argument(1, 150'000)));
  const std::vector<Combo> combos = grid(argument(2, 6), argument(3, 200), static_cast<int>(argument(4, 80)));
  const int rounds = static_cast<int>(argument(5, 9));

  std::vector<Contender> contenders;
  const auto add = [&](std::string name, Kernel kernel, int threads) {
    contenders.push_back({std::move(name), {.fee = 0.09, .kernel = kernel, .threads = threads}, {}, {}, {}, {}, {}});
    contenders.back().pnl.resize(combos.size());
    contenders.back().trades.resize(combos.size());
  };
  add("certified, 1 thread", Kernel::kCertified, 1);
  add("certified, all cores", Kernel::kCertified, 0);
  add("exact, 1 thread", Kernel::kExact, 1);
  add("unchecked", Kernel::kUnchecked, 1);

  for (Contender& contender : contenders) {
    run(contender, close, combos);
    if (!same_bits(contender, contenders.front())) {
      std::fprintf(stderr, "%s returns other results than %s\n", contender.name.c_str(), contenders.front().name.c_str());
      return 1;
    }
    contender.seconds.clear();  // that was the check, and the warming up
    contender.cpu_seconds.clear();
  }
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      if (contender.options.kernel == Kernel::kUnchecked && round >= (rounds + 2) / 3) continue;  // the slow one, less often
      run(contender, close, combos);
    }
  }
  const double slowest = median(contenders.back().seconds);
  const double decisions = static_cast<double>(close.size()) * static_cast<double>(combos.size());
  std::printf("%zu bars, %zu combos, target %s, all results equal to the bit\n", close.size(), combos.size(),
              std::string(current_target()).c_str());
  std::printf("%-22s %8s %12s %12s %16s %12s\n", "kernel", "threads", "median ms", "cpu ms", "ns/bar and combo", "x unchecked");
  for (const Contender& contender : contenders) {
    const double seconds = median(contender.seconds);
    std::printf("%-22s %8d %12.3f %12.3f %16.4f %12.1f\n", contender.name.c_str(), contender.report.threads, seconds * 1e3,
                median(contender.cpu_seconds) * 1e3, seconds * 1e9 / decisions, slowest / seconds);
  }
  const LevelCounts& levels = contenders.front().report.levels;
  std::printf("decisions by bound %lld, dot product %lld, reference %lld, exact %lld; flips %lld; blocks %lld, to exact %lld\n",
              static_cast<long long>(levels.by_bound), static_cast<long long>(levels.by_dot),
              static_cast<long long>(levels.by_reference), static_cast<long long>(levels.by_exact),
              static_cast<long long>(levels.flips), static_cast<long long>(levels.blocks),
              static_cast<long long>(levels.blocks_exact));
  return 0;
}

}  // namespace
}  // namespace onekernel::benchmarks

int main(int argc, char** argv) { return onekernel::benchmarks::main(argc, argv); }
