// From the decisions of a block to the books: only the bars where the decision changes matter.
#ifndef ONEKERNEL_KERNEL_FLIPS_H_
#define ONEKERNEL_KERNEL_FLIPS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/book.h"

namespace onekernel::kernel {

// Books the changes of position with the operations of Book::decide, hence with its bits, but not in its order: what the
// single trades bring does not depend on one another and is computed in vectors. Only their sum must be taken in order, and
// there each addition waits for the one before it; so the sums of several books are taken side by side.
class Bookkeeper {
 public:
  // `bars`: the most that one call of take brings.
  Bookkeeper(double fee, std::int64_t bars);

  // Takes the decisions of consecutive bars, the first of which is `first_bar`; x[i] is the close of bar i of word 0, readable
  // for 64 bars past the last word. A bar that is not decided keeps the position. Returns the number of changes of position.
  // The book must stay where it is; its pnl is complete after flush, everything else at once.
  std::int64_t take(Book& book, const double* x, std::int64_t first_bar, std::span<const std::uint64_t> want_long,
                    std::span<const std::uint64_t> decided);

  // Adds what is still to be added.
  void flush();

 private:
  // What the trades of one book brought, in order.
  struct Pending {
    Book* book = nullptr;
    std::int64_t count = 0;
    std::vector<double> results;
  };

  static constexpr std::size_t kSideBySide = 4;

  double fee_;
  std::vector<double> prices_;  // the entry price and then the close at every change
  std::array<Pending, kSideBySide> pending_;
  std::size_t used_ = 0;
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_FLIPS_H_
