// Some combos of one geometry over the whole series, block by block: the state machine that `exact` and `certified` share.
#ifndef ONEKERNEL_KERNEL_BATCH_H_
#define ONEKERNEL_KERNEL_BATCH_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel/block.h"
#include "kernel/book.h"
#include "kernel/exact.h"
#include "kernel/flips.h"
#include "kernel/stripes.h"
#include "kernel/taps.h"
#include "kernel/trade_log.h"
#include "onekernel/sweep.h"
#include "onekernel/types.h"

namespace onekernel::kernel {

// For tests: nothing here can change a result as long as bound_scale is at least 1.
struct Tuning {
  double bound_scale = 1.0;  // multiplies the proved bounds; below 1 the proof does not hold
  std::int64_t block = 0;    // bars per block, a multiple of kBlockUnit; 0: what suits the reach
};

// The state of one combo between two blocks, and what is known about it.
struct ComboState {
  ComboState(const Combo& windows, bool certify);

  Combo combo;
  std::int64_t reach;
  Book book;
  bool certified;               // whether the certified arithmetic applies to these windows
  TapPlan plan;                 // if certified
  std::int64_t smooth_history;  // the most that a combo of the batch needs of the sums for the same smooth
  std::vector<double> weights;  // of the dot product; made when it is first needed
  double exact_cost = 0.0;      // per bar; and of one decision by the other levels, in the same unit
  double dot_cost = 0.0;
  double reference_cost = 0.0;
  int exact_blocks_left = 0;  // blocks that go to `exact` untried, because the last ones ended there
  int exact_blocks_next = 0;  // how many it will be after the next failure
  TradeLog* log = nullptr;    // where each closed trade is kept, if somebody wants the trades
};

class Batch {
 public:
  // REQUIRES: every combo has a reach that `geometry` covers.
  Batch(std::span<const double> close, Geometry geometry, bool certify, double fee, const Tuning& tuning);

  void run(std::span<ComboState> combos, LevelCounts& counts);

 private:
  // What only the certified arithmetic needs.
  struct Certified {
    explicit Certified(Geometry geometry) : stripes(geometry), smooth_sums(geometry), full3_sums(geometry) {}
    Stripes stripes;
    OuterSums smooth_sums, full3_sums;
  };

  bool have_sums();
  bool certify(ComboState& state, LevelCounts& counts);
  bool close_open_bits(ComboState& state, std::int64_t open_bars, LevelCounts& counts);
  bool long_by_reference(const ComboState& state, std::int64_t bar);
  void decide_exactly(std::span<ComboState* const> states, LevelCounts& counts);
  void book(ComboState& state, std::int64_t first, std::span<const std::uint64_t> want_long,
            std::span<const std::uint64_t> decided, LevelCounts& counts);
  void set_wanted(const ComboState& state);
  std::int64_t decisions(const ComboState& state) const;

  std::span<const double> close_;
  Tuning tuning_;
  Block block_;
  enum class Sums { kNotTried, kRefused, kMade };
  Sums sums_ = Sums::kNotTried;  // of the block
  std::unique_ptr<Certified> certified_;
  ExactDecider exact_;
  ExactDecider exact_bar_;  // for single bars, so that they do not disturb the plan of the blocks
  Bookkeeper bookkeeper_;
  DecisionWords words_;
  std::vector<std::uint64_t> open_;
  std::vector<std::uint64_t> wanted_;  // the bars of the block that the combo in hand decides:
  std::int64_t wanted_from_ = -1;      // from this one
  std::int64_t wanted_end_ = -1;       // to the one before this
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_BATCH_H_
