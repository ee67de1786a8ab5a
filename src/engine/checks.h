// What is checked of every request for a sweep, a list of trades or a live session.
#ifndef ONEKERNEL_ENGINE_CHECKS_H_
#define ONEKERNEL_ENGINE_CHECKS_H_

#include <cstdint>
#include <span>

#include "onekernel/status.h"
#include "onekernel/types.h"

namespace onekernel::engine {

// kInvalidArgument, naming combo and field, where a window is below 1.
Status check_windows(std::span<const Combo> combos);

// kLimitExceeded, naming combo and field, where a window is above `longest`.
Status check_longest_window(std::span<const Combo> combos, std::int64_t longest);

// kInvalidArgument where the fee is not finite.
Status check_fee(double fee);

// How many threads may work: the option, or where that is 0 ONEKERNEL_THREADS, or else one per core.
// Errors: kInvalidArgument (a negative option, a variable that is no whole number).
Result<int> allowed_threads(int option);

}  // namespace onekernel::engine

#endif  // ONEKERNEL_ENGINE_CHECKS_H_
