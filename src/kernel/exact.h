// The decisions of many combos over a range of bars, by the reference arithmetic itself.
#ifndef ONEKERNEL_KERNEL_EXACT_H_
#define ONEKERNEL_KERNEL_EXACT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernel/exact_simd.h"
#include "kernel/words.h"
#include "onekernel/types.h"

namespace onekernel::kernel {

// Keeps its working memory from call to call; one per thread.
class ExactDecider {
 public:
  // Called once per combo with its place in the list.
  using Sink = std::function<void(std::size_t place, const DecisionWords& words)>;

  // Decides the bars first <= i < end for every combo of the list; word 0 of a result begins at bar `first`.
  // x[i] is the close of bar i, readable from first - reach of every combo to end + kStripPad. Bars of the series before a
  // combo's reach must be cut off by the caller: the windows there are not full.
  void decide(const double* x, std::int64_t first, std::int64_t end, std::span<const Combo* const> combos, const Sink& sink);

 private:
  // Where the averages of one combo stand among rows_.
  struct Places {
    std::size_t half, full, third, half3, full3;
  };

  std::size_t take_group(std::int64_t first, std::int64_t end, std::span<const Combo* const> combos);
  void plan_rows(std::int64_t first, std::int64_t end, std::span<const Combo* const> group);
  std::size_t row_of(std::int64_t window) const;
  const double* average(std::size_t row) const { return rows_[row].out - rows_[row].first; }

  std::vector<AverageRow> rows_;
  std::vector<Places> places_;
  std::vector<double> values_;   // the rows' averages
  std::vector<double> scratch_;  // for decide_bars
  DecisionWords words_;

  // What rows_ and places_ were planned for: in the steady state the same combos come block after block.
  std::vector<Combo> planned_;
  std::int64_t planned_first_ = 0, planned_end_ = -1;
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_EXACT_H_
