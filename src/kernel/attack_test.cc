// Every fast kernel against the plain loop, to the bit, on series made to tell them apart: every target, several numbers of
// threads and block sizes. ONEKERNEL_ATTACK_ROUNDS (default 1) repeats it with so many seeds.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernel/attack_series.h"
#include "kernel/naive.h"
#include "kernel/schedule.h"
#include "onekernel/target.h"

namespace onekernel::kernel {
namespace {

constexpr std::int64_t kBars = 30'000;

struct Results {
  std::vector<double> pnl;
  std::vector<std::int64_t> trades;
  LevelCounts levels;
  explicit Results(std::size_t combos) : pnl(combos, -1.0), trades(combos, -1) {}
};

Combo from_length(std::int64_t length) {
  const auto n = static_cast<double>(length), half = std::nearbyint(n / 2.0);
  const auto at_least_one = [](double value) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::nearbyint(value)));
  };
  return {at_least_one(half), length, at_least_one(std::sqrt(n)), at_least_one(half / 3.0), at_least_one(half / 2.0),
          at_least_one(half)};
}

// Lengths by the rule, six windows of any size, and windows at the edges of what there can be.
std::vector<Combo> attack_combos(std::uint64_t seed) {
  Random random(seed);
  std::vector<Combo> combos;
  for (std::int64_t length = 1; length <= 24; ++length) combos.push_back(from_length(length));
  for (std::int64_t length = 27; length <= 120; length += 5) combos.push_back(from_length(length));
  for (const std::int64_t most : {2, 5, 20, 60, 200}) {
    const auto window = [&] { return static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(most)); };
    for (int i = 0; i < 6; ++i) combos.push_back({window(), window(), window(), window(), window(), window()});
  }
  combos.push_back({1, 300, 1, 1, 1, 1});
  combos.push_back({1, 1, 1, 1, 1, 200});
  combos.push_back({300, 2, 2, 400, 1, 3});
  combos.push_back(from_length(kBars * 2));
  combos.push_back({5, kBars, 2, 1, 1, 1});
  combos.push_back({5, 9, 3, std::int64_t{1} << 62, 1, 1});
  return combos;
}

Results plain_results(const std::vector<double>& close, const std::vector<Combo>& combos) {
  Results results(combos.size());
  sweep_unchecked(close, combos, 0.09, results.pnl, results.trades);
  return results;
}

Results fast_results(bool certify, const std::vector<double>& close, const std::vector<Combo>& combos, int threads,
                     Tuning tuning) {
  Results results(combos.size());
  const auto take = [&](std::size_t combo, const Book& book) {
    results.pnl[combo] = book.pnl;
    results.trades[combo] = book.trades;
  };
  results.levels = run_batches(certify, close, combos, 0.09, threads, tuning, {.book = take, .logs = {}}).levels;
  return results;
}

std::size_t first_difference(const Results& a, const Results& b) {
  for (std::size_t i = 0; i < a.pnl.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(a.pnl[i]) != std::bit_cast<std::uint64_t>(b.pnl[i]) || a.trades[i] != b.trades[i])
      return i;
  }
  return a.pnl.size();
}

void expect_same(const Results& plain, const Results& fast, const std::vector<Combo>& combos, const std::string& what) {
  const std::size_t at = first_difference(plain, fast);
  if (at == combos.size()) return;
  const Combo& c = combos[at];
  ADD_FAILURE() << what << ", combo " << at << " (" << c.half << "," << c.full << "," << c.smooth << "," << c.third << ","
                << c.half3 << "," << c.full3 << "): pnl " << std::hexfloat << fast.pnl[at] << " instead of " << plain.pnl[at]
                << ", trades " << fast.trades[at] << " instead of " << plain.trades[at];
}

// 25 attacks make more than 50 million decisions per round.
constexpr std::int64_t kDecisionsPerAttack = 2'000'000;

std::int64_t decisions(const LevelCounts& levels) {
  return levels.by_bound + levels.by_dot + levels.by_reference + levels.by_exact;
}

int rounds() {
  const char* text = std::getenv("ONEKERNEL_ATTACK_ROUNDS");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

class EveryAttack : public testing::TestWithParam<Attack> {
 protected:
  void TearDown() override { ASSERT_TRUE(force_target("auto").ok()); }
};

TEST_P(EveryAttack, LeavesTheBitsAlone) {
  for (int round = 0; round < rounds(); ++round) {
    const auto seed = static_cast<std::uint64_t>(1 + round);
    const std::vector<double> close = make_series(GetParam(), kBars, seed);
    const std::vector<Combo> combos = attack_combos(seed);
    const Results plain = plain_results(close, combos);
    LevelCounts levels;
    for (const std::string_view target : available_targets()) {
      ASSERT_TRUE(force_target(target).ok());
      ASSERT_EQ(current_target(), target);
      const std::string where = " on " + std::string(target) + ", seed " + std::to_string(seed);
      const Results certified = fast_results(true, close, combos, 1, {});
      expect_same(plain, certified, combos, "certified" + where);
      expect_same(plain, fast_results(false, close, combos, 1, {}), combos, "exact" + where);
      if (target == available_targets().front()) levels = certified.levels;
      EXPECT_GE(decisions(levels), kDecisionsPerAttack);
    }
    ASSERT_TRUE(force_target("auto").ok());
    for (const int threads : {2, 3, 7}) {
      const Results certified = fast_results(true, close, combos, threads, {});
      expect_same(plain, certified, combos, "certified on " + std::to_string(threads) + " threads");
      EXPECT_EQ(certified.levels, levels) << threads;
      expect_same(plain, fast_results(false, close, combos, threads, {}), combos,
                  "exact on " + std::to_string(threads) + " threads");
    }
    for (const std::int64_t block : {512, 1536, 4096, 32768}) {
      const std::string where = " in blocks of " + std::to_string(block);
      expect_same(plain, fast_results(true, close, combos, 1, {.block = block}), combos, "certified" + where);
      expect_same(plain, fast_results(false, close, combos, 1, {.block = block}), combos, "exact" + where);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Attack, EveryAttack, testing::ValuesIn(all_attacks()),
                         [](const auto& case_info) { return case_info.param.name; });

TEST(EveryAttackTogether, MakesFiftyMillionDecisions) {
  EXPECT_GE(static_cast<std::int64_t>(all_attacks().size()) * kDecisionsPerAttack, 50'000'000);
}

// Every number of bars around the block boundaries, and the shortest series there are.

TEST(Boundaries, EverySeriesLength) {
  const std::vector<double> longest = make_series(all_attacks()[1], 8200, 5);
  const std::vector<Combo> combos = attack_combos(5);
  std::vector<std::int64_t> lengths;
  for (std::int64_t bars = 0; bars < 140; ++bars) lengths.push_back(bars);
  for (const std::int64_t edge : {256, 512, 576, 768, 1024, 4096, 8192}) {
    for (std::int64_t bars = edge - 3; bars <= edge + 3; ++bars) lengths.push_back(bars);
  }
  for (const std::int64_t bars : lengths) {
    const std::vector<double> close(longest.begin(), longest.begin() + bars);
    const Results plain = plain_results(close, combos);
    expect_same(plain, fast_results(true, close, combos, 1, {}), combos, "certified, " + std::to_string(bars) + " bars");
    expect_same(plain, fast_results(false, close, combos, 1, {}), combos, "exact, " + std::to_string(bars) + " bars");
  }
}

// Reaches beyond every class of block sizes, on series that are worth it.
TEST(LongWindows, AllClassesOfReach) {
  std::vector<Combo> combos;
  for (const std::int64_t length : {240, 300, 900, 1500, 4000, 9000}) combos.push_back(from_length(length));
  combos.push_back({2, 3000, 3, 1, 2, 1200});
  combos.push_back({700, 1400, 2, 3, 900, 5});
  for (const std::size_t attack : {std::size_t{0}, std::size_t{2}, std::size_t{6}}) {
    const std::vector<double> close = make_series(all_attacks()[attack], 24'000, 9);
    const Results plain = plain_results(close, combos);
    expect_same(plain, fast_results(true, close, combos, 2, {}), combos, "certified on " + all_attacks()[attack].name);
    expect_same(plain, fast_results(false, close, combos, 2, {}), combos, "exact on " + all_attacks()[attack].name);
  }
}

// The tests above would be worth little if they passed with any bound.
TEST(WeakBound, IsSeen) {
  const std::vector<Combo> combos = attack_combos(1);
  int broken = 0;
  for (const Attack& attack : all_attacks()) {
    const std::vector<double> close = make_series(attack, kBars, 1);
    const Results honest = fast_results(true, close, combos, 1, {});
    const Results weak = fast_results(true, close, combos, 1, {.bound_scale = 0.01});
    if (first_difference(honest, weak) != combos.size()) {
      ++broken;
      std::printf("  %s: a hundredth of the bound is wrong\n", attack.name.c_str());
    }
  }
  EXPECT_GE(broken, 1);
}

}  // namespace
}  // namespace onekernel::kernel
