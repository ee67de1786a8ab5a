// Every kernel on the same prices and windows: results must be equal to the bit.
// Input: [u8 bars][u8 fee][bars x f64 close][any number of 6 x u8 windows].
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "onekernel/sweep.h"

namespace {

using onekernel::Combo;
using onekernel::Kernel;

struct Outcome {
  std::vector<double> pnl;
  std::vector<std::int64_t> trades;
};

Outcome run(Kernel kernel, const std::vector<double>& close, const std::vector<Combo>& combos, double fee) {
  Outcome outcome{std::vector<double>(combos.size()), std::vector<std::int64_t>(combos.size())};
  const onekernel::Status status = onekernel::sweep(close, combos, {.fee = fee, .kernel = kernel}, outcome.pnl, outcome.trades);
  if (!status.ok()) std::abort();
  return outcome;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t bars = std::min<std::size_t>(data[0], (size - 2) / sizeof(double));
  const double fee = data[1] / 100.0;
  std::vector<double> close(bars);
  if (bars > 0) std::memcpy(close.data(), data + 2, bars * sizeof(double));
  std::vector<Combo> combos;
  for (std::size_t at = 2 + bars * sizeof(double); at + 6 <= size && combos.size() < 8; at += 6) {
    const auto window = [&](std::size_t i) { return static_cast<std::int64_t>(data[at + i]) + 1; };
    combos.push_back({window(0), window(1), window(2), window(3), window(4), window(5)});
  }
  const Outcome reference = run(Kernel::kChecked, close, combos, fee);
  for (const Kernel kernel : onekernel::all_kernels()) {
    const Outcome outcome = run(kernel, close, combos, fee);
    if (outcome.trades != reference.trades) std::abort();
    if (!std::equal(outcome.pnl.begin(), outcome.pnl.end(), reference.pnl.begin(), same_bits)) std::abort();
  }
  return 0;
}
