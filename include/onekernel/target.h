// Which instruction set the SIMD kernels use. Every target returns the same bits; they differ in speed only.
//
// The best one that this CPU has is chosen at the first use, unless the environment variable ONEKERNEL_TARGET names another.
#ifndef ONEKERNEL_TARGET_H_
#define ONEKERNEL_TARGET_H_

#include <span>
#include <string_view>

#include "onekernel/export.h"
#include "onekernel/status.h"

namespace onekernel {

// The targets that were compiled in and that this CPU can run, best first, e.g. "avx3", "avx2", "sse4", "ssse3", "scalar".
// "scalar" is the one without SIMD instructions; it is always there.
ONEKERNEL_EXPORT std::span<const std::string_view> available_targets();

// The target in use.
ONEKERNEL_EXPORT std::string_view current_target();

// Uses `name` (one of available_targets()) from now on, in the whole process; "auto" is the best one.
// Errors: kInvalidArgument for another name; the message lists those that there are.
// Do not call it while a sweep runs: that sweep's report would name one target though two had a part in it.
ONEKERNEL_EXPORT Status force_target(std::string_view name);

// What ONEKERNEL_TARGET led to: ok when it is unset, empty or a target's name. A sweep returns this error.
ONEKERNEL_EXPORT Status target_environment_status();

}  // namespace onekernel

#endif  // ONEKERNEL_TARGET_H_
