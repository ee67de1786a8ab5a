#include "kernel/batch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/certify_simd.h"
#include "kernel/windows.h"

namespace onekernel::kernel {
namespace {

// After a block that the certified arithmetic could not finish, the next ones go to `exact` untried: 1, 3, 7, ... of them, so
// that a series on which it never succeeds costs hardly more than `exact`.
constexpr int kMostExactBlocks = 63;

// Costs in vectors of eight bars; they decide who computes a decision, never what it is.
double exact_bar_cost(const Combo& c) { return static_cast<double>(c.smooth + c.full3 + 16) / 8.0; }
double one_dot_cost(std::int64_t reach_of_combo) { return static_cast<double>(reach_of_combo) / 8.0 + 40.0; }
double one_reference_cost(const Combo& c) {
  const std::int64_t longest = std::max({c.half, c.full, c.third, c.half3, c.full3});
  const auto strips = static_cast<double>((longest + std::max(c.smooth, c.full3)) / 64 + 1);
  return 8.0 * (strips * static_cast<double>(longest) + static_cast<double>(c.smooth + c.full3)) + 500.0;
}

}  // namespace

ComboState::ComboState(const Combo& windows, bool certify)
    : combo(windows), reach(kernel::reach(windows)), certified(certify && reach <= kLongestCertifiedReach), smooth_history(0) {
  if (!certified) return;
  plan = TapPlan(windows);
  smooth_history = plan.smooth_history();
  exact_cost = exact_bar_cost(windows);
  dot_cost = one_dot_cost(reach);
  reference_cost = one_reference_cost(windows);
}

Batch::Batch(std::span<const double> close, Geometry geometry, bool certify, double fee, const Tuning& tuning)
    : close_(close), tuning_(tuning), block_(geometry), bookkeeper_(fee, geometry.block) {
  if (certify && geometry.history <= kLongestCertifiedReach) certified_ = std::make_unique<Certified>(geometry);
  const auto words = static_cast<std::size_t>(geometry.block / kWordBars);
  words_.resize(geometry.block);
  open_.resize(words);
  wanted_.resize(words);
}

void Batch::run(std::span<ComboState> combos, LevelCounts& counts) {
  const auto bars = static_cast<std::int64_t>(close_.size());
  const std::int64_t block = block_.geometry().block;
  std::int64_t shortest = bars;
  for (std::size_t i = combos.size(); i-- > 0;) {
    shortest = std::min(shortest, combos[i].reach);
    const bool shared = i + 1 < combos.size() && combos[i].combo.smooth == combos[i + 1].combo.smooth;
    if (shared) combos[i].smooth_history = std::max(combos[i].smooth_history, combos[i + 1].smooth_history);
  }
  std::vector<ComboState*> to_exact;
  for (std::int64_t index = shortest / block; index * block < bars; ++index) {
    block_.load(close_, index);
    sums_ = Sums::kNotTried;
    to_exact.clear();
    for (ComboState& state : combos) {
      if (block_.first_bar() + block_.bars() <= state.reach) continue;  // its windows are not full yet
      ++counts.blocks;
      if (!certify(state, counts)) to_exact.push_back(&state);
    }
    bookkeeper_.flush();
    decide_exactly(to_exact, counts);
  }
}

// The bars of the block at which the combo's windows are full.
void Batch::set_wanted(const ComboState& state) {
  const std::int64_t first = std::max<std::int64_t>(state.reach - block_.first_bar(), 0);
  if (first == wanted_from_ && block_.bars() == wanted_end_) return;
  wanted_from_ = first;
  wanted_end_ = block_.bars();
  for (std::size_t w = 0; w < wanted_.size(); ++w) {
    wanted_[w] = bars_between(first, block_.bars(), static_cast<std::int64_t>(w) * kWordBars);
  }
}

std::int64_t Batch::decisions(const ComboState& state) const {
  return block_.bars() - std::max<std::int64_t>(state.reach - block_.first_bar(), 0);
}

// Computes the running sums when the first combo wants them; false where they do not apply.
bool Batch::have_sums() {
  if (sums_ == Sums::kNotTried) {
    sums_ = certified_->stripes.sum(block_) ? Sums::kMade : Sums::kRefused;
    certified_->smooth_sums.forget();
    certified_->full3_sums.forget();
  }
  return sums_ == Sums::kMade;
}

// Decides and books the block if the certified arithmetic can; otherwise changes nothing but the combo's memory of that.
bool Batch::certify(ComboState& state, LevelCounts& counts) {
  if (!state.certified) return false;
  if (state.exact_blocks_left > 0) {
    --state.exact_blocks_left;
    return false;
  }
  if (!have_sums()) return false;
  set_wanted(state);
  auto& [stripes, smooth_sums, full3_sums] = *certified_;
  smooth_sums.prepare(stripes, state.combo.smooth, state.smooth_history);
  full3_sums.prepare(stripes, state.combo.full3, state.plan.full3_history());
  // Half of what `exact` would cost may be spent on each of the two dearer levels.
  const auto most_dots =
      static_cast<std::int64_t>(static_cast<double>(block_.bars()) * state.exact_cost / state.dot_cost / 2.0);
  const std::int64_t open_bars =
      certify_words({.plan = &state.plan,
                     .s4 = stripes.s4(),
                     .smooth_sums = &smooth_sums,
                     .full3_sums = &full3_sums,
                     .rows = stripes.rows(),
                     .fixed_bound = state.plan.fixed_bound(stripes.magnitudes()) * tuning_.bound_scale,
                     .s4_bound = state.plan.bound().s4 * tuning_.bound_scale,
                     .s4_magnitudes = stripes.s4_magnitudes(),
                     .wanted = wanted_.data(),
                     .most_open = most_dots,
                     .want_long = words_.want_long.data(),
                     .open = open_.data()});
  if (open_bars > most_dots || (open_bars > 0 && !close_open_bits(state, open_bars, counts))) {
    state.exact_blocks_left = state.exact_blocks_next;
    state.exact_blocks_next = std::min(2 * state.exact_blocks_next + 1, kMostExactBlocks);
    return false;
  }
  state.exact_blocks_next = 0;
  counts.by_bound += decisions(state) - open_bars;
  const auto count = static_cast<std::size_t>(block_.words());
  book(state, 0, {words_.want_long.data(), count}, {wanted_.data(), count}, counts);
  return true;
}

// Decides the bars in open_ by the dearer levels. False when `exact` would be cheaper.
bool Batch::close_open_bits(ComboState& state, std::int64_t open_bars, LevelCounts& counts) {
  if (state.weights.empty()) state.weights = filter_weights(state.combo);
  const Stripes& stripes = certified_->stripes;
  const double bound = state.plan.dot_bound(stripes.magnitudes().x, stripes.spread()) * tuning_.bound_scale;
  const auto length = static_cast<std::int64_t>(state.weights.size());
  const auto most_references =
      static_cast<std::int64_t>(static_cast<double>(block_.bars()) * state.exact_cost / state.reference_cost / 2.0) + 1;
  std::int64_t references = 0;
  for (std::int64_t w = 0; w < block_.words(); ++w) {
    for (std::uint64_t left = open_[static_cast<std::size_t>(w)]; left != 0; left &= left - 1) {
      const int bit = std::countr_zero(left);
      const std::int64_t bar = w * kWordBars + bit;
      const double d = dot_product(state.weights.data(), block_.x() + bar - length + 1, stripes.middle(), length);
      bool is_long = d > 0.0;
      if (!(std::fabs(d) > bound)) {
        if (++references > most_references) return false;
        is_long = long_by_reference(state, bar);
      }
      const std::uint64_t mask = std::uint64_t{1} << bit;
      auto& want = words_.want_long[static_cast<std::size_t>(w)];
      want = is_long ? want | mask : want & ~mask;
    }
  }
  counts.by_dot += open_bars - references;
  counts.by_reference += references;
  return true;
}

// The closes of a block that has running sums are finite and too small to overflow, so there is always a decision.
bool Batch::long_by_reference(const ComboState& state, std::int64_t bar) {
  const Combo* const combo = &state.combo;
  bool is_long = false;
  exact_bar_.decide(block_.x(), bar, bar + 1, {&combo, 1},
                    [&](std::size_t, const DecisionWords& words) { is_long = (words.want_long[0] & 1) != 0; });
  return is_long;
}

// Books the decisions of the block's bars from bar `first` of the block on.
void Batch::book(ComboState& state, std::int64_t first, std::span<const std::uint64_t> want_long,
                 std::span<const std::uint64_t> decided, LevelCounts& counts) {
  const double* const x = block_.x() + first;
  const std::int64_t bar = block_.first_bar() + first;
  if (state.log != nullptr) state.log->record(state.book, x, bar, want_long, decided);
  counts.flips += bookkeeper_.take(state.book, x, bar, want_long, decided);
}

// Decides and books the block by the reference arithmetic, part by part.
void Batch::decide_exactly(std::span<ComboState* const> states, LevelCounts& counts) {
  if (states.empty()) return;
  std::vector<const Combo*> combos;
  for (const ComboState* state : states) {
    combos.push_back(&state->combo);
    ++counts.blocks_exact;
    counts.by_exact += decisions(*state);
  }
  for (std::int64_t first = 0; first < block_.bars(); first += block_.geometry().part) {
    const std::int64_t end = std::min(first + block_.geometry().part, block_.bars());
    // Counted from the part's first bar, so that the plan for one part serves the next.
    exact_.decide(block_.x() + first, 0, end - first, combos, [&](std::size_t place, const DecisionWords& words) {
      ComboState& state = *states[place];
      const std::int64_t full_from = state.reach - block_.first_bar();
      std::span<const std::uint64_t> decided = words.decided;
      if (full_from > first) {  // cut off the bars before the windows are full
        for (std::size_t w = 0; w < decided.size(); ++w) {
          words_.decided[w] = decided[w] & bars_between(full_from, end, first + static_cast<std::int64_t>(w) * kWordBars);
        }
        decided = {words_.decided.data(), decided.size()};
      }
      book(state, first, words.want_long, decided, counts);
    });
    bookkeeper_.flush();  // a book's next results must not overtake these
  }
}

}  // namespace onekernel::kernel
