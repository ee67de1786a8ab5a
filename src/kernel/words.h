// Decisions packed 64 bars to a word: bit b of word w belongs to bar 64 * w + b of the block.
#ifndef ONEKERNEL_KERNEL_WORDS_H_
#define ONEKERNEL_KERNEL_WORDS_H_

#include <cstdint>
#include <vector>

namespace onekernel::kernel {

inline constexpr std::int64_t kWordBars = 64;
inline constexpr std::uint64_t kAllBars = ~std::uint64_t{0};

// The bits first <= bit < end of the word that starts at bar `word_start`.
inline std::uint64_t bars_between(std::int64_t first, std::int64_t end, std::int64_t word_start) {
  const std::int64_t low = first - word_start, high = end - word_start;
  if (high <= 0 || low >= kWordBars) return 0;
  const std::uint64_t from = low <= 0 ? kAllBars : kAllBars << low;
  const std::uint64_t below = high >= kWordBars ? kAllBars : ~(kAllBars << high);
  return from & below;
}

struct DecisionWords {
  std::vector<std::uint64_t> want_long;  // 1: hma3 > hma
  std::vector<std::uint64_t> decided;    // 0: no decision at this bar (an average is NaN or not there yet)

  void resize(std::int64_t bars) {
    const auto words = static_cast<std::size_t>((bars + kWordBars - 1) / kWordBars);
    want_long.resize(words);
    decided.resize(words);
  }
};

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_WORDS_H_
