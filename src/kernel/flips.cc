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

// `want_long` with every undecided bar repeating the bar before it; the bar before the word was `previous`.
HWY_INLINE std::uint64_t fill_undecided(std::uint64_t want_long, std::uint64_t decided, std::uint64_t previous) {
  std::uint64_t value = want_long & decided;
  if ((decided & 1) == 0) value |= previous;
  decided |= 1;
  for (int shift = 1; shift < kWordBars; shift *= 2) {
    value |= (value << shift) & ~decided;
    decided |= decided << shift;
  }
  return value;
}

// Writes the closes at the bars where the decision changes behind `out`; room for 4 more is needed. Returns the new end, and
// sets `last` to the last of those bars, if there is one.
double* collect_prices(const double* x, const std::uint64_t* want_long, const std::uint64_t* decided, std::int64_t words,
                       std::uint64_t previous, double* out, std::int64_t* last) {
  std::int64_t last_word = -1;
  std::uint64_t last_changes = 0;
  for (std::int64_t w = 0; w < words; ++w, x += kWordBars) {
    std::uint64_t want = want_long[w];
    if (HWY_UNLIKELY(decided[w] != kAllBars)) want = fill_undecided(want, decided[w], previous);
    std::uint64_t left = want ^ (want << 1 | previous);
    previous = want >> (kWordBars - 1);
    // Four at a time without a branch in between: where fewer are left, the rest is overwritten by the next word's.
    double* const end = out + std::popcount(left);
    if (left != 0) {
      last_word = w;
      last_changes = left;
    }
    while (left != 0) {
      for (int i = 0; i < 4; ++i) {
        out[i] = x[std::countr_zero(left)];
        left &= left - 1;
      }
      out += 4;
    }
    out = end;
  }
  if (last_word >= 0) *last = last_word * kWordBars + (kWordBars - 1) - std::countl_zero(last_changes);
  return out;
}

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onekernel::kernel {
namespace {

HWY_EXPORT(trade_results);
HWY_EXPORT(collect_prices);

// Opens the first position at the first decided bar; false when there is none.
bool open_first(Book& book, const double* x, std::int64_t first_bar, std::span<const std::uint64_t> want_long,
                std::span<const std::uint64_t> decided) {
  for (std::size_t w = 0; w < decided.size(); ++w) {
    if (decided[w] == 0) continue;
    const int bit = std::countr_zero(decided[w]);
    book.position = ((want_long[w] >> bit) & 1) != 0 ? 1.0 : -1.0;
    const std::int64_t bar = static_cast<std::int64_t>(w) * kWordBars + bit;
    book.entry = x[bar];
    book.entry_bar = first_bar + bar;
    return true;
  }
  return false;
}

}  // namespace

Bookkeeper::Bookkeeper(double fee, std::int64_t bars) : fee_(fee), prices_(static_cast<std::size_t>(bars) + 16) {
  for (Pending& pending : pending_) pending.results.resize(static_cast<std::size_t>(bars) + 16);
}

std::int64_t Bookkeeper::take(Book& book, const double* x, std::int64_t first_bar, std::span<const std::uint64_t> want_long,
                              std::span<const std::uint64_t> decided) {
  // With the first position known, the undecided bars before it count as that position: they change nothing.
  const bool opened = book.position == 0.0;
  if (opened && !open_first(book, x, first_bar, want_long, decided)) return 0;

  prices_[0] = book.entry;
  std::int64_t last = 0;
  const double* const end = HWY_DYNAMIC_DISPATCH(collect_prices)(x, want_long.data(), decided.data(), std::ssize(want_long),
                                                                 book.position > 0.0 ? 1 : 0, prices_.data() + 1, &last);
  const std::int64_t trades = end - prices_.data() - 1;
  if (trades > 0) {
    Pending& pending = pending_[used_];
    HWY_DYNAMIC_DISPATCH(trade_results)(prices_.data(), trades, book.position, fee_, pending.results.data());
    pending.book = &book;
    pending.count = trades;
    book.trades += trades;
    book.entry = end[-1];
    book.entry_bar = first_bar + last;
    if (trades % 2 != 0) book.position = -book.position;
    if (++used_ == kSideBySide) flush();
  }
  return trades + (opened ? 1 : 0);
}

void Bookkeeper::flush() {
  std::int64_t common = 0;
  if (used_ == kSideBySide) {
    common = std::min({pending_[0].count, pending_[1].count, pending_[2].count, pending_[3].count});
    const double *r0 = pending_[0].results.data(), *r1 = pending_[1].results.data(), *r2 = pending_[2].results.data(),
                 *r3 = pending_[3].results.data();
    double p0 = pending_[0].book->pnl, p1 = pending_[1].book->pnl, p2 = pending_[2].book->pnl, p3 = pending_[3].book->pnl;
    for (std::int64_t t = 0; t < common; ++t) {
      p0 += r0[t];
      p1 += r1[t];
      p2 += r2[t];
      p3 += r3[t];
    }
    pending_[0].book->pnl = p0, pending_[1].book->pnl = p1, pending_[2].book->pnl = p2, pending_[3].book->pnl = p3;
  }
  for (std::size_t i = 0; i < used_; ++i) {
    double pnl = pending_[i].book->pnl;
    for (std::int64_t t = common; t < pending_[i].count; ++t) pnl += pending_[i].results[static_cast<std::size_t>(t)];
    pending_[i].book->pnl = pnl;
  }
  used_ = 0;
}

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
