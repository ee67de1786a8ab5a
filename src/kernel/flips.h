// From the decisions of a block to the book: only the bars where the decision changes matter.
#ifndef ONEKERNEL_KERNEL_FLIPS_H_
#define ONEKERNEL_KERNEL_FLIPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/book.h"

namespace onekernel::kernel {

// Working memory of book_words; one per thread. Room for `bars` flips.
struct FlipBuffer {
  std::vector<double> prices;   // the entry price and then the close at every flip
  std::vector<double> results;  // what every closed trade brought, percentage points
  void resize(std::int64_t bars) {
    prices.resize(static_cast<std::size_t>(bars) + 64);
    results.resize(static_cast<std::size_t>(bars) + 64);
  }
};

// Takes the decisions of consecutive bars, in order; x[i] is the close of bar i of word 0, readable for 64 bars past the last
// word. A bar that is not decided keeps the position. Returns the number of changes of position.
//
// The results of the trades do not depend on one another, so they are computed in vectors; their sum does, so it is taken in
// order. Each operation is the one that Book::decide performs, hence the same bits.
std::int64_t book_words(Book& book, const double* x, std::span<const std::uint64_t> want_long,
                        std::span<const std::uint64_t> decided, double fee, FlipBuffer& buffer);

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_FLIPS_H_
