#include "kernel/flips.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "kernel/attack_series.h"
#include "kernel/words.h"
#include "onekernel/target.h"

namespace onekernel::kernel {
namespace {

struct Case {
  std::vector<double> close;
  std::vector<std::uint64_t> want_long, decided;
};

// `flip_one_in`: how rarely the decision changes; `undecided_one_in` = 0: every bar is decided.
Case random_case(Random& random, std::int64_t bars, std::uint64_t flip_one_in, std::uint64_t undecided_one_in) {
  Case made;
  made.close.resize(static_cast<std::size_t>(bars) + 128, 0.0);
  made.want_long.resize(static_cast<std::size_t>((bars + 63) / 64), 0);
  made.decided.resize(made.want_long.size(), 0);
  std::uint64_t want = 0;
  for (std::int64_t i = 0; i < bars; ++i) {
    made.close[static_cast<std::size_t>(i)] = uniform(random, 50.0, 150.0);
    if (random() % flip_one_in == 0) want ^= 1;
    const std::uint64_t decided = undecided_one_in == 0 || random() % undecided_one_in != 0 ? 1 : 0;
    made.want_long[static_cast<std::size_t>(i / 64)] |= want << (i % 64);
    made.decided[static_cast<std::size_t>(i / 64)] |= decided << (i % 64);
  }
  return made;
}

constexpr std::int64_t kFirstBar = 1000;

Book one_by_one(const Case& c, std::int64_t bars, double fee, std::int64_t& changes) {
  Book book;
  for (std::int64_t i = 0; i < bars; ++i) {
    const auto word = static_cast<std::size_t>(i / 64);
    if ((c.decided[word] >> (i % 64) & 1) == 0) continue;
    const double want = (c.want_long[word] >> (i % 64) & 1) != 0 ? 1.0 : -1.0;
    changes += want != book.position ? 1 : 0;
    book.decide(want, c.close[static_cast<std::size_t>(i)], kFirstBar + i, fee);
  }
  return book;
}

void expect_same(const Book& a, const Book& b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.pnl), std::bit_cast<std::uint64_t>(b.pnl));
  EXPECT_EQ(a.trades, b.trades);
  EXPECT_EQ(a.position, b.position);
  if (a.position != 0.0) {
    EXPECT_EQ(a.entry, b.entry);
    EXPECT_EQ(a.entry_bar, b.entry_bar);
  }
}

TEST(Bookkeeper, BooksAsTheBookDoes) {
  Random random(3);
  for (const std::string_view target : available_targets()) {
    ASSERT_TRUE(force_target(target).ok());
    for (int round = 0; round < 60; ++round) {
      const std::int64_t bars = 1 + static_cast<std::int64_t>(random() % 700);
      const std::uint64_t undecided = round % 3 == 0 ? 0 : 1 + random() % 40;
      const Case c = random_case(random, bars, 1 + random() % 30, undecided);
      std::int64_t changes = 0;
      const Book expected = one_by_one(c, bars, 0.07, changes);

      Book book;
      Bookkeeper keeper(0.07, bars);
      EXPECT_EQ(keeper.take(book, c.close.data(), kFirstBar, c.want_long, c.decided), changes) << target;
      keeper.flush();
      expect_same(book, expected);
    }
  }
  ASSERT_TRUE(force_target("auto").ok());
}

TEST(Bookkeeper, TakesPartsAndManyBooks) {
  Random random(4);
  constexpr std::int64_t kBars = 64 * 20;
  constexpr std::size_t kBooks = 11;
  std::vector<Case> cases;
  std::vector<Book> books(kBooks);
  for (std::size_t b = 0; b < kBooks; ++b) cases.push_back(random_case(random, kBars, 1 + 3 * b, b % 2 == 0 ? 0 : 5));
  Bookkeeper keeper(0.09, kBars);
  for (std::size_t word = 0; word < 20; word += 4) {
    for (std::size_t b = 0; b < kBooks; ++b) {
      const Case& c = cases[b];
      (void)keeper.take(books[b], c.close.data() + word * 64, kFirstBar + static_cast<std::int64_t>(word) * 64,
                        std::span(c.want_long).subspan(word, 4), std::span(c.decided).subspan(word, 4));
    }
    keeper.flush();
  }
  for (std::size_t b = 0; b < kBooks; ++b) {
    std::int64_t changes = 0;
    expect_same(books[b], one_by_one(cases[b], kBars, 0.09, changes));
  }
}

TEST(Bookkeeper, NothingDecidedOpensNothing) {
  const Case c{std::vector<double>(256, 1.0), {~std::uint64_t{0}, 0}, {0, 0}};
  Book book;
  Bookkeeper keeper(0.09, 128);
  EXPECT_EQ(keeper.take(book, c.close.data(), kFirstBar, c.want_long, c.decided), 0);
  keeper.flush();
  EXPECT_EQ(book.position, 0.0);
}

}  // namespace
}  // namespace onekernel::kernel
