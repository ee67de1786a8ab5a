#include "kernel/trade_log.h"

#include <bit>
#include <cstddef>

#include "kernel/words.h"

namespace onekernel::kernel {

void TradeLog::record(Book before, const double* x, std::int64_t first_bar, std::span<const std::uint64_t> want_long,
                      std::span<const std::uint64_t> decided) {
  for (std::size_t w = 0; w < decided.size(); ++w) {
    // The bars that want something else than the position; after each change these are the others.
    const auto against = [&] {
      if (before.position == 0.0) return decided[w];
      return (before.position > 0.0 ? ~want_long[w] : want_long[w]) & decided[w];
    };
    std::uint64_t later = kAllBars;
    for (std::uint64_t left = against(); left != 0; left = against() & later) {
      const int bit = std::countr_zero(left);
      later = bit + 1 < kWordBars ? kAllBars << (bit + 1) : 0;
      const std::int64_t bar = static_cast<std::int64_t>(w) * kWordBars + bit;
      if (before.position != 0.0) trades_.push_back(closing_trade(before, combo_, x[bar], first_bar + bar, fee_));
      before.decide(((want_long[w] >> bit) & 1) != 0 ? 1.0 : -1.0, x[bar], first_bar + bar, fee_);
    }
  }
}

}  // namespace onekernel::kernel
