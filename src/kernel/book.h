// The stop-and-reverse book of one combo: the state between two bars and what a change of mind does to it.
#ifndef ONEKERNEL_KERNEL_BOOK_H_
#define ONEKERNEL_KERNEL_BOOK_H_

#include <cstdint>

namespace onekernel::kernel {

struct Book {
  double position = 0.0;  // +1 long, -1 short, 0 before the first decision
  double entry = 0.0;     // the close at which the position was opened
  double pnl = 0.0;       // percentage points, net of fees, closed trades only
  std::int64_t trades = 0;
  std::int64_t entry_bar = -1;  // where the position was opened

  // What closing the position at `price` brings. `fee`: percent per closed trade.
  // The order of the operations is the reference's, left to right: it decides the last bit.
  double result_at(double price, double fee) const { return position * (price - entry) / entry * 100.0 - fee; }

  // Takes the position `want` (+1 or -1) at `price`, the close of `bar`; closes an opposite one first.
  void decide(double want, double price, std::int64_t bar, double fee) {
    if (want == position) return;
    if (position != 0.0) {
      pnl += result_at(price, fee);
      trades += 1;
    }
    position = want;
    entry = price;
    entry_bar = bar;
  }
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_BOOK_H_
