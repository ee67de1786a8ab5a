// Price series made to break a kernel that decides by anything else than the reference arithmetic. For tests.
#ifndef ONEKERNEL_KERNEL_ATTACK_SERIES_H_
#define ONEKERNEL_KERNEL_ATTACK_SERIES_H_

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace onekernel::kernel {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * 0x1p-53 * static_cast<double>(random() >> 11);
}

// Close to normal, and the same on every machine: the sum of twelve uniform numbers.
inline double bell(Random& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += uniform(random, 0.0, 1.0);
  return sum;
}

struct Attack {
  std::string name;
  // The close of bar i, given the one before it.
  std::function<double(Random& random, std::int64_t i, double previous)> next;
};

// How a test names its parameter.
inline void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

inline std::vector<double> make_series(const Attack& attack, std::int64_t bars, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> close;
  double previous = 100.0;
  for (std::int64_t i = 0; i < bars; ++i) close.push_back(previous = attack.next(random, i, previous));
  return close;
}

inline std::vector<Attack> all_attacks() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  const auto rare = [](Random& random, int one_in) { return random() % static_cast<std::uint64_t>(one_in) == 0; };
  return {
      {"Walk", [](Random& r, std::int64_t, double p) { return p * (1.0 + 0.0008 * bell(r)); }},
      {"WalkInTicks", [](Random& r, std::int64_t, double p) { return std::round((p + 0.05 * bell(r)) * 100.0) / 100.0; }},
      {"CoarseTicks", [](Random& r, std::int64_t, double p) { return std::round((p + 0.2 * bell(r)) * 4.0) / 4.0; }},
      {"SmallWholeNumbers", [](Random& r, std::int64_t, double) { return static_cast<double>(1 + r() % 3); }},
      {"Constant", [](Random&, std::int64_t, double) { return 0.1; }},
      {"TwoPrices", [](Random&, std::int64_t i, double) { return i % 2 == 0 ? 100.0 : 100.1; }},
      {"Flats", [=](Random& r, std::int64_t, double p) { return rare(r, 150) ? p + 0.1 * bell(r) : p; }},
      {"Ramp", [](Random&, std::int64_t i, double) { return 50.0 + 0.1 * static_cast<double>(i); }},
      {"Sawtooth", [](Random&, std::int64_t i, double) { return 50.0 + 0.01 * static_cast<double>(i % 977); }},
      {"Parabola",
       [](Random&, std::int64_t i, double) { return 10.0 + 1e-6 * static_cast<double>(i) * static_cast<double>(i); }},
      {"Sine", [](Random&, std::int64_t i, double) { return 100.0 + 10.0 * std::sin(static_cast<double>(i) / 37.0); }},
      {"LargePlusSmall", [](Random& r, std::int64_t, double) { return 1e7 + 1e-6 * bell(r); }},
      {"LargePlusLastBits", [](Random& r, std::int64_t, double) { return 1e7 + 0x1p-29 * static_cast<double>(r() % 4); }},
      {"Tiny", [](Random& r, std::int64_t, double) { return 1e-8 * (1.0 + 0.001 * bell(r)); }},
      {"SpikesAndZeros",
       [=](Random& r, std::int64_t i, double p) {
         return i % 1500 < 40 ? 0.0 : rare(r, 700) ? 1e12 : p > 1e6 || p < 1.0 ? 100.0 : p + 0.1 * bell(r);
       }},
      {"MixedScales", [](Random& r, std::int64_t i,
                         double) { return std::pow(10.0, static_cast<double>(i / 600 % 13) - 6.0) * (1.0 + 0.001 * bell(r)); }},
      {"AnySign", [](Random& r, std::int64_t, double) { return bell(r); }},
      {"Denormals", [=](Random& r, std::int64_t i,
                        double) { return i / 500 % 3 == 2 ? 1e-3 * bell(r) : kTiny * static_cast<double>(r() % 1000); }},
      {"AllDenormal", [=](Random& r, std::int64_t, double) { return kTiny * static_cast<double>(1 + r() % 100000); }},
      {"NearUnderflow", [](Random& r, std::int64_t, double) { return 0x1p-890 * (1.0 + 0.01 * bell(r)); }},
      {"NearOverflow", [](Random& r, std::int64_t, double) { return 0x1p899 * (1.0 + 0.01 * bell(r)); }},
      {"Overflowing",
       [=](Random& r, std::int64_t i, double) { return i / 700 % 3 == 0 ? 1e308 * uniform(r, 0.1, 1.7) : 100.0 + bell(r); }},
      {"RareNan",
       [=](Random& r, std::int64_t, double p) { return rare(r, 2000)   ? kNan
                                                       : std::isnan(p) ? 100.0
                                                                       : p + 0.1 * bell(r); }},
      {"NanInEveryBlock", [=](Random& r, std::int64_t i, double) { return i % 500 == 77 ? kNan : 100.0 + bell(r); }},
      {"Infinities",
       [=](Random& r, std::int64_t, double p) {
         return rare(r, 900) ? kInf : rare(r, 900) ? -kInf : std::isinf(p) ? 100.0 : p + 0.1 * bell(r);
       }},
  };
}

}  // namespace onekernel::kernel

#endif  // ONEKERNEL_KERNEL_ATTACK_SERIES_H_
