#include "kernel/naive.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernel/book.h"

namespace onekernel::kernel {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "every operation must round to double; x87 arithmetic does not");
static_assert(std::numeric_limits<double>::is_iec559, "the reference arithmetic is IEEE 754 double");

// A span whose operator[] compares the index with the length first, or does not.
template <bool kBoundsChecked, class T>
class Series {
 public:
  explicit Series(std::span<T> values) : values_(values) {}

  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }

  T& operator[](std::int64_t index) const {
    const auto position = static_cast<std::size_t>(index);
    if constexpr (kBoundsChecked) {
      if (position >= values_.size()) throw std::out_of_range("onekernel: index outside the series");
    }
    return values_[position];
  }

 private:
  std::span<T> values_;
};

// Looked at before every bar: an average over millions of them takes minutes, and nobody may be there any more to read it.
bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }

template <bool kBoundsChecked>
struct Naive {
  using In = Series<kBoundsChecked, const double>;
  using Out = Series<kBoundsChecked, double>;

  // Intermediate series, kept from one combo to the next.
  struct Scratch {
    explicit Scratch(std::size_t bars) : first(bars), second(bars), combined(bars), hma(bars), hma3(bars) {}

    std::vector<double> first, second, combined, hma, hma3;
    const std::atomic<bool>* cancel = nullptr;
  };

  static In in(const std::vector<double>& values) { return In(values); }
  static Out out(std::vector<double>& values) { return Out(values); }

  // wma(x, n)[i] = (1*x[i-n+1] + 2*x[i-n+2] + ... + n*x[i]) / (n*(n+1)/2), summed oldest first from 0.0.
  static void wma(In x, std::int64_t length, Out result, const std::atomic<bool>* cancel = nullptr) {
    const std::int64_t bars = x.size();
    for (std::int64_t i = 0; i < std::min(length - 1, bars); ++i) result[i] = std::numeric_limits<double>::quiet_NaN();
    if (length > bars) return;  // also keeps length * (length + 1) from overflowing
    const auto weights = static_cast<double>(length * (length + 1) / 2);
    for (std::int64_t i = length - 1; i < bars && !is_set(cancel); ++i) {
      double sum = 0.0;
      double weight = 0.0;  // counted in double, which is exact: converting k + 1 would cost a fifth of the time
      for (std::int64_t k = i - length + 1; k <= i; ++k) {
        weight += 1.0;
        sum += weight * x[k];
      }
      result[i] = sum / weights;
    }
  }

  static void hma(In close, const Combo& combo, Scratch& scratch, Out result) {
    wma(close, combo.half, out(scratch.first), scratch.cancel);
    wma(close, combo.full, out(scratch.second), scratch.cancel);
    const In half = in(scratch.first), full = in(scratch.second);
    const Out combined = out(scratch.combined);
    for (std::int64_t i = 0; i < close.size(); ++i) combined[i] = 2.0 * half[i] - full[i];
    wma(in(scratch.combined), combo.smooth, result, scratch.cancel);
  }

  static void hma3(In close, const Combo& combo, Scratch& scratch, Out result) {
    wma(close, combo.third, out(scratch.first), scratch.cancel);
    wma(close, combo.half3, out(scratch.second), scratch.cancel);
    const In third = in(scratch.first), half3 = in(scratch.second);
    const Out combined = out(scratch.combined);
    for (std::int64_t i = 0; i < close.size(); ++i) combined[i] = 3.0 * third[i] - half3[i];
    wma(close, combo.full3, out(scratch.first), scratch.cancel);
    const In full3 = in(scratch.first);
    for (std::int64_t i = 0; i < close.size(); ++i) combined[i] = combined[i] - full3[i];
    wma(in(scratch.combined), combo.full3, result, scratch.cancel);
  }

  static Book run(In close, const Combo& combo, double fee, Scratch& scratch) {
    hma(close, combo, scratch, out(scratch.hma));
    hma3(close, combo, scratch, out(scratch.hma3));
    const In slow = in(scratch.hma), fast = in(scratch.hma3);
    Book book;
    for (std::int64_t i = 0; i < close.size(); ++i) {
      if (std::isnan(slow[i]) || std::isnan(fast[i])) continue;
      book.decide(fast[i] > slow[i] ? 1.0 : -1.0, close[i], i, fee);
    }
    return book;
  }

  static void sweep(std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
                    std::span<std::int64_t> trades, const std::atomic<bool>* cancel) {
    Scratch scratch(close.size());
    scratch.cancel = cancel;
    for (std::size_t c = 0; c < combos.size() && !is_set(cancel); ++c) {
      const Book book = run(In(close), combos[c], fee, scratch);
      pnl[c] = book.pnl;
      trades[c] = book.trades;
    }
  }
};

}  // namespace

void sweep_checked(std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
                   std::span<std::int64_t> trades, const std::atomic<bool>* cancel) {
  Naive<true>::sweep(close, combos, fee, pnl, trades, cancel);
}

void sweep_unchecked(std::span<const double> close, std::span<const Combo> combos, double fee, std::span<double> pnl,
                     std::span<std::int64_t> trades, const std::atomic<bool>* cancel) {
  Naive<false>::sweep(close, combos, fee, pnl, trades, cancel);
}

void wma(std::span<const double> x, std::int64_t length, std::span<double> out) {
  Naive<true>::wma(Naive<true>::In(x), length, Naive<true>::Out(out));
}

void hma(std::span<const double> close, const Combo& combo, std::span<double> out) {
  Naive<true>::Scratch scratch(close.size());
  Naive<true>::hma(Naive<true>::In(close), combo, scratch, Naive<true>::Out(out));
}

void hma3(std::span<const double> close, const Combo& combo, std::span<double> out) {
  Naive<true>::Scratch scratch(close.size());
  Naive<true>::hma3(Naive<true>::In(close), combo, scratch, Naive<true>::Out(out));
}

}  // namespace onekernel::kernel
