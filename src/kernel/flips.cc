#include "kernel/flips.h"

#include <algorithm>
#include <bit>

#include "kernel/words.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/flips.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// results[t] = position * (prices[t + 1] - prices[t]) / prices[t] * 100 - fee, where the position changes sign every trade.
void trade_results(const double* prices, std::int64_t trades, double position, double fee, double* results) {
  const hn::CappedTag<double, 8> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN double signs[8];
  for (int i = 0; i < 8; ++i) signs[i] = i % 2 == 0 ? position : -position;
  const auto hundred = hn::Set(d, 100.0), fees = hn::Set(d, fee);
  for (std::int64_t t = 0; t < trades; t += n) {
    const auto entry = hn::LoadU(d, prices + t), exit = hn::LoadU(d, prices + t + 1);
    const auto sign = hn::LoadU(d, signs + (n == 1 ? t % 2 : 0));
    const auto gain = hn::Div(hn::Mul(sign, hn::Sub(exit, entry)), entry);
    hn::StoreU(hn::Sub(hn::Mul(gain, hundred), fees), d, results + t);
  }
}

// Writes the closes at the set bits of every word's flips behind `out` and returns the new end.
// Four at a time without a branch in between: where fewer are left, the rest is overwritten by the next word.
double* collect_flips(const double* x, const std::uint64_t* flips, std::int64_t words, double* out) {
  for (std::int64_t w = 0; w < words; ++w) {
    std::uint64_t left = flips[w];
    const double* word_x = x + w * kWordBars;
    double* const next = out + std::popcount(left);
    while (left != 0) {
      for (int i = 0; i < 4; ++i) {
        out[i] = word_x[std::countr_zero(left)];
        left &= left - 1;
      }
      out += 4;
    }
    out = next;
  }
  return out;
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onekernel::kernel {
namespace {

HWY_EXPORT(trade_results);
HWY_EXPORT(collect_flips);

// `want_long` with every undecided bar repeating the bar before it; the bar before the word was `previous`.
std::uint64_t fill_undecided(std::uint64_t want_long, std::uint64_t decided, std::uint64_t previous) {
  std::uint64_t value = want_long & decided;
  if ((decided & 1) == 0) value |= previous;
  decided |= 1;
  for (int shift = 1; shift < kWordBars; shift *= 2) {
    value |= (value << shift) & ~decided;
    decided |= decided << shift;
  }
  return value;
}

// Opens the first position at the first decided bar; false when there is none.
bool open_first(Book& book, const double* x, std::span<const std::uint64_t> want_long, std::span<const std::uint64_t> decided) {
  for (std::size_t w = 0; w < decided.size(); ++w) {
    if (decided[w] == 0) continue;
    const int bit = std::countr_zero(decided[w]);
    book.position = ((want_long[w] >> bit) & 1) != 0 ? 1.0 : -1.0;
    book.entry = x[static_cast<std::int64_t>(w) * kWordBars + bit];
    return true;
  }
  return false;
}

}  // namespace

std::int64_t book_words(Book& book, const double* x, std::span<const std::uint64_t> want_long,
                        std::span<const std::uint64_t> decided, double fee, FlipBuffer& buffer) {
  // With the first position known, the undecided bars before it count as that position: they flip nothing.
  const bool opened = book.position == 0.0;
  if (opened && !open_first(book, x, want_long, decided)) return 0;

  constexpr std::int64_t kWordsAtOnce = 64;
  std::uint64_t flips[kWordsAtOnce];
  std::uint64_t previous = book.position > 0.0 ? 1 : 0;
  double* const prices = buffer.prices.data();
  prices[0] = book.entry;
  double* end = prices + 1;
  const auto words = static_cast<std::int64_t>(want_long.size());
  for (std::int64_t first = 0; first < words; first += kWordsAtOnce) {
    const std::int64_t count = std::min(kWordsAtOnce, words - first);
    for (std::int64_t w = 0; w < count; ++w) {
      const auto at = static_cast<std::size_t>(first + w);
      std::uint64_t want = want_long[at];
      if (decided[at] != kAllBars) want = fill_undecided(want, decided[at], previous);
      flips[w] = want ^ (want << 1 | previous);
      previous = want >> (kWordBars - 1);
    }
    end = HWY_DYNAMIC_DISPATCH(collect_flips)(x + first * kWordBars, flips, count, end);
  }
  const std::int64_t trades = end - prices - 1;
  if (trades > 0) {
    HWY_DYNAMIC_DISPATCH(trade_results)(prices, trades, book.position, fee, buffer.results.data());
    double pnl = book.pnl;
    for (std::int64_t t = 0; t < trades; ++t) pnl += buffer.results[static_cast<std::size_t>(t)];
    book.pnl = pnl;
    book.trades += trades;
    book.entry = end[-1];
    if (trades % 2 != 0) book.position = -book.position;
  }
  return trades + (opened ? 1 : 0);
}

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
