// Keeps the closed trades of one combo, from the same words of decisions that its book is kept by.
#ifndef ONEKERNEL_KERNEL_TRADE_LOG_H_
#define ONEKERNEL_KERNEL_TRADE_LOG_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/book.h"
#include "onekernel/trades.h"

namespace onekernel::kernel {

// The trade that closing the book's position at `price`, the close of `bar`, makes.
inline Trade closing_trade(const Book& book, std::uint32_t combo, double price, std::int64_t bar, double fee) {
  return {.combo = combo,
          .position = book.position > 0.0 ? 1 : -1,
          .entry_bar = book.entry_bar,
          .exit_bar = bar,
          .entry = book.entry,
          .exit = price,
          .pnl = book.result_at(price, fee)};
}

class TradeLog {
 public:
  TradeLog(std::uint32_t combo, double fee) : combo_(combo), fee_(fee) {}

  // `before` is the combo's book before it takes the same words (Bookkeeper::take).
  void record(Book before, const double* x, std::int64_t first_bar, std::span<const std::uint64_t> want_long,
              std::span<const std::uint64_t> decided);

  const std::vector<Trade>& trades() const { return trades_; }

 private:
  std::uint32_t combo_;
  double fee_;
  std::vector<Trade> trades_;
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_TRADE_LOG_H_
