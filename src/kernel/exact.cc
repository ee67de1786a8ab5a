#include "kernel/exact.h"

#include <algorithm>
#include <array>

namespace onekernel::kernel {
namespace {

// Averages of closes kept at once. More of them let more combos share a pass over the closes; this many stay in a
// second-level cache.
constexpr std::int64_t kRowBytes = 512 * 1024;

std::int64_t row_doubles(std::int64_t first, std::int64_t end, std::int64_t outer_window) {
  return (end - first) + outer_window - 1 + 2 * kStripPad;
}

// The inner windows of a combo with the outer window that reads their averages.
struct Inner {
  std::int64_t window, outer;
};

std::array<Inner, 5> inner_windows(const Combo& combo) {
  return {{{combo.half, combo.smooth},
           {combo.full, combo.smooth},
           {combo.third, combo.full3},
           {combo.half3, combo.full3},
           {combo.full3, combo.full3}}};
}

}  // namespace

void ExactDecider::decide(const double* x, std::int64_t first, std::int64_t end, std::span<const Combo* const> combos,
                          const Sink& sink) {
  words_.resize(end - first);
  for (std::size_t done = 0; done < combos.size();) {
    const std::size_t count = take_group(first, end, combos.subspan(done));
    plan_rows(first, end, combos.subspan(done, count));
    average_rows(x, end, rows_);
    for (std::size_t c = 0; c < count; ++c) {
      const Combo& combo = *combos[done + c];
      const Places& at = places_[c];
      const InnerAverages averages{average(at.half), average(at.full), average(at.third), average(at.half3), average(at.full3)};
      const auto scratch = static_cast<std::size_t>(2 * (end - first + std::max(combo.smooth, combo.full3) + 3 * kStripPad));
      if (scratch_.size() < scratch) scratch_.resize(scratch);
      decide_bars(averages, combo.smooth, combo.full3, first, end, scratch_.data(), words_.want_long.data(),
                  words_.decided.data());
      sink(done + c, words_);
    }
    done += count;
  }
}

// How many combos from the front of the list have averages that fit in kRowBytes; at least one.
std::size_t ExactDecider::take_group(std::int64_t first, std::int64_t end, std::span<const Combo* const> combos) {
  std::int64_t bytes = 0;
  std::size_t count = 0;
  for (const Combo* combo : combos) {
    for (const Inner& inner : inner_windows(*combo))
      bytes += row_doubles(first, end, inner.outer) * std::int64_t{sizeof(double)};
    if (count > 0 && bytes > kRowBytes) break;
    ++count;
  }
  return count;
}

void ExactDecider::plan_rows(std::int64_t first, std::int64_t end, std::span<const Combo* const> group) {
  const bool same_combos = std::equal(planned_.begin(), planned_.end(), group.begin(), group.end(),
                                      [](const Combo& planned, const Combo* combo) { return planned == *combo; });
  if (same_combos && planned_first_ == first && planned_end_ == end) return;

  rows_.clear();
  for (const Combo* combo : group) {
    for (const Inner& inner : inner_windows(*combo)) rows_.push_back({inner.window, first - inner.outer + 1, nullptr});
  }
  // One row per window, beginning where the combo that looks back furthest needs it.
  std::sort(rows_.begin(), rows_.end(), [](const AverageRow& a, const AverageRow& b) {
    return a.window != b.window ? a.window < b.window : a.first < b.first;
  });
  const auto last = std::unique(rows_.begin(), rows_.end(), [](const auto& a, const auto& b) { return a.window == b.window; });
  rows_.erase(last, rows_.end());

  std::int64_t doubles = 0;
  for (const AverageRow& row : rows_) doubles += (end - row.first) + 2 * kStripPad;
  if (static_cast<std::int64_t>(values_.size()) < doubles) values_.resize(static_cast<std::size_t>(doubles));
  double* next = values_.data();
  for (AverageRow& row : rows_) {
    row.out = next + kStripPad;
    next += (end - row.first) + 2 * kStripPad;
  }

  places_.clear();
  planned_.clear();
  for (const Combo* combo : group) {
    places_.push_back(
        {row_of(combo->half), row_of(combo->full), row_of(combo->third), row_of(combo->half3), row_of(combo->full3)});
    planned_.push_back(*combo);
  }
  planned_first_ = first;
  planned_end_ = end;
}

std::size_t ExactDecider::row_of(std::int64_t window) const {
  const auto row = std::lower_bound(rows_.begin(), rows_.end(), window,
                                    [](const AverageRow& candidate, std::int64_t length) { return candidate.window < length; });
  return static_cast<std::size_t>(row - rows_.begin());
}

}  // namespace onekernel::kernel
