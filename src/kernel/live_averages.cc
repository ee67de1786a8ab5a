#include "kernel/live_averages.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

namespace onekernel::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::int64_t lanes_for(std::int64_t count) { return (count + kLiveLanes - 1) / kLiveLanes * kLiveLanes; }

double weight_sum(std::int64_t window) { return static_cast<double>(window * (window + 1) / 2); }

std::array<std::int64_t, 5> inner_windows(const Combo& c) { return {c.half, c.full, c.third, c.half3, c.full3}; }

}  // namespace

LiveAverages::LiveAverages(std::span<const Combo> combos) {
  plan_closes(combos);
  plan_outer(combos);
}

void LiveAverages::plan_closes(std::span<const Combo> combos) {
  for (const Combo& combo : combos) {
    for (const std::int64_t window : inner_windows(combo)) windows_.push_back(window);
    if (windows_.size() > 65536) {  // sorted now and then, so that ten thousand combos do not keep fifty thousand windows
      std::sort(windows_.begin(), windows_.end());
      windows_.erase(std::unique(windows_.begin(), windows_.end()), windows_.end());
    }
  }
  std::sort(windows_.begin(), windows_.end());
  windows_.erase(std::unique(windows_.begin(), windows_.end()), windows_.end());
  close_sums_ = windows_.empty() ? 0 : lanes_for(windows_.back());
  windows_.shrink_to_fit();
  windows_.resize(static_cast<std::size_t>(lanes_for(std::ssize(windows_))), windows_.empty() ? 1 : windows_.back());
  for (const std::int64_t window : windows_) weights_.push_back(weight_sum(window));
  averages_.resize(windows_.size());
}

std::int32_t LiveAverages::average_of(std::int64_t window) const {
  return static_cast<std::int32_t>(std::lower_bound(windows_.begin(), windows_.end(), window) - windows_.begin());
}

void LiveAverages::plan_outer(std::span<const Combo> combos) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // inner windows (third: 0 for hma), outer
  std::map<Key, std::uint32_t> known;
  std::int64_t doubles = 1 + close_sums_;
  const auto place_of = [&](const Key& key) {
    const auto [entry, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(outer_.size()));
    if (is_new) {
      const auto [first, second, third, window] = key;
      const std::int64_t count = lanes_for(window);
      outer_.push_back({.sums = nullptr,
                        .count = count,
                        .window = window,
                        .factor = third == 0 ? 2.0 : 3.0,
                        .first = average_of(first),
                        .second = average_of(second),
                        .third = third == 0 ? -1 : average_of(third)});
      doubles += 1 + count;
    }
    return entry->second;
  };
  places_.reserve(combos.size());
  for (const Combo& c : combos) {
    const std::uint32_t hma = place_of({c.half, c.full, 0, c.smooth});
    places_.push_back({hma, place_of({c.third, c.half3, c.full3, c.full3})});
  }
  outer_.shrink_to_fit();
  sums_.assign(static_cast<std::size_t>(doubles), kNan);
  sums_[0] = 0.0;
  double* next = sums_.data() + 1 + close_sums_;
  for (OuterWindow& window : outer_) {
    *next = 0.0;
    window.sums = next + 1;
    next += 1 + window.count;
    outer_weights_.push_back(weight_sum(window.window));
  }
  outer_weights_.resize(static_cast<std::size_t>(lanes_for(std::ssize(outer_weights_))), 1.0);
  values_.resize(outer_weights_.size(), kNan);
}

std::uint64_t LiveAverages::most_bytes(std::span<const Combo> combos) {
  std::uint64_t bytes = 0;
  std::int64_t longest = 0;
  for (const Combo& c : combos) {
    const std::array<std::int64_t, 5> inner = inner_windows(c);
    longest = std::max(longest, *std::max_element(inner.begin(), inner.end()));
    bytes += static_cast<std::uint64_t>(2 + lanes_for(c.smooth) + lanes_for(c.full3)) * sizeof(double);
    bytes += 2 * (sizeof(OuterWindow) + 2 * sizeof(double)) + inner.size() * 3 * sizeof(double) + sizeof(Places);
  }
  return bytes + static_cast<std::uint64_t>(lanes_for(longest)) * sizeof(double);
}

std::uint64_t LiveAverages::bytes() const {
  const std::size_t doubles = sums_.capacity() + weights_.capacity() + averages_.capacity() + outer_weights_.capacity() +
                              values_.capacity() + windows_.capacity();
  return doubles * sizeof(double) + outer_.capacity() * sizeof(OuterWindow) + places_.capacity() * sizeof(Places);
}

void LiveAverages::take(double close) {
  const CloseSums inner{
      .sums = sums_.data() + 1, .count = close_sums_, .windows = windows_, .weights = weights_, .averages = averages_};
  take_close(close, inner, outer_, outer_weights_, values_);
}

}  // namespace onekernel::kernel
