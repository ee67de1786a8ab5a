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

// Rough costs in vector operations; they decide who computes a decision, never what it is.
double exact_cost(const Combo& c, std::int64_t bars) {
  return static_cast<double>(bars) / 8.0 * static_cast<double>(c.smooth + c.full3 + 16);
}
double dot_cost(std::int64_t reach_of_combo) { return static_cast<double>(reach_of_combo) / 4.0 + 40.0; }
double reference_cost(const Combo& c) {
  const std::int64_t longest = std::max({c.half, c.full, c.third, c.half3, c.full3});
  const auto strips = static_cast<double>((longest + std::max(c.smooth, c.full3)) / 64 + 1);
  return 8.0 * (strips * static_cast<double>(longest) + static_cast<double>(c.smooth + c.full3)) + 500.0;
}

bool all_windows_fit(const Combo& c) {
  return std::max({c.half, c.full, c.smooth, c.third, c.half3, c.full3}) <= kLongestCertifiedWindow;
}

}  // namespace

ComboState::ComboState(const Combo& windows, bool certify)
    : combo(windows), reach(kernel::reach(windows)), certified(certify && all_windows_fit(windows)) {
  if (!certified) return;
  plan = TapPlan(windows);
  const std::int64_t block = geometry_for(reach).block;
  // Half of what `exact` would cost may be spent on each of the two dearer levels.
  most_dots = static_cast<std::int64_t>(exact_cost(windows, block) / dot_cost(reach) / 2.0);
  most_references = static_cast<std::int64_t>(exact_cost(windows, block) / reference_cost(windows) / 2.0) + 1;
}

Batch::Batch(std::span<const double> close, Geometry geometry, double fee, const Tuning& tuning)
    : close_(close), geometry_(geometry), fee_(fee), tuning_(tuning), block_(geometry) {
  const auto words = static_cast<std::size_t>(geometry.block / kWordBars);
  flips_.resize(geometry.block);
  words_.resize(geometry.block);
  open_.resize(words);
  wanted_.resize(words);
}

void Batch::run(std::span<ComboState> combos, LevelCounts& counts) {
  const auto bars = static_cast<std::int64_t>(close_.size());
  std::vector<ComboState*> to_exact;
  std::vector<const Combo*> to_exact_combos;
  std::int64_t shortest = bars;
  bool any_certified = false;
  for (const ComboState& state : combos) {
    shortest = std::min(shortest, state.reach);
    any_certified |= state.certified;
  }
  for (std::int64_t index = shortest / geometry_.block; index * geometry_.block < bars; ++index) {
    block_.load(close_, index);
    const bool summed = any_certified && block_.sum();
    to_exact.clear();
    to_exact_combos.clear();
    for (ComboState& state : combos) {
      if (block_.first_bar() + block_.bars() <= state.reach) continue;  // its windows are not full yet
      ++counts.blocks;
      if (summed && state.certified && certify(state, counts)) continue;
      to_exact.push_back(&state);
      to_exact_combos.push_back(&state.combo);
    }
    if (to_exact.empty()) continue;
    exact_.decide(block_.x(), 0, block_.bars(), to_exact_combos, [&](std::size_t place, const DecisionWords& words) {
      ComboState& state = *to_exact[place];
      set_wanted(state);
      for (std::size_t w = 0; w < words.decided.size(); ++w) {
        words_.want_long[w] = words.want_long[w];
        words_.decided[w] = words.decided[w] & wanted_[w];
      }
      ++counts.blocks_exact;
      counts.by_exact += decisions(state);
      book(state, words_, counts);
    });
  }
}

// The bars of the block at which the combo's windows are full.
void Batch::set_wanted(const ComboState& state) {
  for (std::int64_t w = 0; w < block_.words(); ++w) {
    wanted_[static_cast<std::size_t>(w)] = bars_between(state.reach - block_.first_bar(), block_.bars(), w * kWordBars);
  }
}

std::int64_t Batch::decisions(const ComboState& state) const {
  return block_.bars() - std::max<std::int64_t>(state.reach - block_.first_bar(), 0);
}

// Decides and books the block if the certified arithmetic can; otherwise changes nothing but the combo's memory of that.
bool Batch::certify(ComboState& state, LevelCounts& counts) {
  if (state.exact_blocks_left > 0) {
    --state.exact_blocks_left;
    return false;
  }
  set_wanted(state);
  const SignBounds bounds{state.plan.fixed_bound(block_.magnitudes()) * tuning_.bound_scale,
                          state.plan.bound().taps * tuning_.bound_scale};
  const std::int64_t open_bars =
      certify_words(block_, state.plan, bounds, wanted_.data(), state.most_dots, words_.want_long.data(), open_.data());
  std::copy_n(wanted_.begin(), block_.words(), words_.decided.begin());
  if (open_bars > state.most_dots || (open_bars > 0 && !close_open_bits(state, open_bars, counts))) {
    state.exact_blocks_left = state.exact_blocks_next;
    state.exact_blocks_next = std::min(2 * state.exact_blocks_next + 1, kMostExactBlocks);
    return false;
  }
  state.exact_blocks_next = 0;
  counts.by_bound += decisions(state) - open_bars;
  book(state, words_, counts);
  return true;
}

// Decides the bars in open_ by the dearer levels. False when `exact` would be cheaper.
bool Batch::close_open_bits(ComboState& state, std::int64_t open_bars, LevelCounts& counts) {
  if (state.weights.empty()) state.weights = filter_weights(state.combo);
  const double bound = state.plan.dot_bound(block_.magnitudes()) * tuning_.bound_scale;
  const auto length = static_cast<std::int64_t>(state.weights.size());
  std::int64_t references = 0;
  for (std::int64_t w = 0; w < block_.words(); ++w) {
    for (std::uint64_t left = open_[static_cast<std::size_t>(w)]; left != 0; left &= left - 1) {
      const int bit = std::countr_zero(left);
      const std::int64_t bar = w * kWordBars + bit;
      const double d = dot_product(state.weights.data(), block_.y() + bar - length + 1, length);
      bool is_long = d > 0.0;
      std::uint64_t decided = 1;
      if (!(std::fabs(d) > bound)) {
        if (++references > state.most_references) return false;
        is_long = long_by_reference(state, bar, decided);
      }
      const std::uint64_t mask = std::uint64_t{1} << bit;
      auto& want = words_.want_long[static_cast<std::size_t>(w)];
      want = is_long ? want | mask : want & ~mask;
      if (decided == 0) words_.decided[static_cast<std::size_t>(w)] &= ~mask;
    }
  }
  counts.by_dot += open_bars - references;
  counts.by_reference += references;
  return true;
}

bool Batch::long_by_reference(const ComboState& state, std::int64_t bar, std::uint64_t& decided) {
  const Combo* const combo = &state.combo;
  bool is_long = false;
  exact_bar_.decide(block_.x(), bar, bar + 1, {&combo, 1}, [&](std::size_t, const DecisionWords& words) {
    is_long = (words.want_long[0] & 1) != 0;
    decided = words.decided[0] & 1;
  });
  return is_long;
}

void Batch::book(ComboState& state, const DecisionWords& words, LevelCounts& counts) {
  const auto count = static_cast<std::size_t>(block_.words());
  counts.flips +=
      book_words(state.book, block_.x(), {words.want_long.data(), count}, {words.decided.data(), count}, fee_, flips_);
}

}  // namespace onekernel::kernel
