#include "engine/checks.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

namespace onekernel::engine {
namespace {

struct Field {
  const char* name;
  std::int64_t Combo::*value;
};

constexpr std::array<Field, 6> kFields{{{"half", &Combo::half},
                                        {"full", &Combo::full},
                                        {"smooth", &Combo::smooth},
                                        {"third", &Combo::third},
                                        {"half3", &Combo::half3},
                                        {"full3", &Combo::full3}}};

// The cores this process may run on, looked up once: asking the system costs more than a small sweep.
int usable_cores() {
  static const int cores = [] {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return cores;
}

}  // namespace

Status check_windows(std::span<const Combo> combos) {
  for (std::size_t i = 0; i < combos.size(); ++i) {
    for (const Field& field : kFields) {
      const std::int64_t length = combos[i].*field.value;
      if (length < 1) {
        return {StatusCode::kInvalidArgument, "combo " + std::to_string(i) + ": window '" + field.name + "' is " +
                                                  std::to_string(length) + ", but a window is at least 1 bar long"};
      }
    }
  }
  return {};
}

Status check_longest_window(std::span<const Combo> combos, std::int64_t longest) {
  for (std::size_t i = 0; i < combos.size(); ++i) {
    for (const Field& field : kFields) {
      const std::int64_t length = combos[i].*field.value;
      if (length > longest) {
        return {StatusCode::kLimitExceeded, "combo " + std::to_string(i) + ": window '" + field.name + "' is " +
                                                std::to_string(length) + " bars long, but a live session takes at most " +
                                                std::to_string(longest)};
      }
    }
  }
  return {};
}

Status check_fee(double fee) {
  if (std::isfinite(fee)) return {};
  return {StatusCode::kInvalidArgument, "the fee is not a finite number"};
}

Result<int> allowed_threads(int option) {
  if (option < 0)
    return Status(StatusCode::kInvalidArgument, "threads is " + std::to_string(option) + ", but it cannot be negative");
  if (option > 0) return option;
  const char* text = std::getenv("ONEKERNEL_THREADS");
  const std::string_view value = text == nullptr ? "" : text;
  if (value.empty()) return usable_cores();
  int threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || end != value.data() + value.size() || threads < 1) {
    return Status(StatusCode::kInvalidArgument,
                  "ONEKERNEL_THREADS is '" + std::string(value) + "', but it must be a whole number of at least 1");
  }
  return threads;
}

}  // namespace onekernel::engine
