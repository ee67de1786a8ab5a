#include "onekernel/target.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/target.cc"  // this file, compiled once per target
#include "hwy/foreach_target.h"                // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onekernel::kernel::HWY_NAMESPACE {

// The target says itself who it is: what runs is what is reported.
std::int64_t running_target() { return HWY_TARGET; }

}  // namespace onekernel::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onekernel {
namespace kernel {
HWY_EXPORT(running_target);
}  // namespace kernel

namespace {

struct Targets {
  std::vector<std::int64_t> bits;       // Highway's, best first
  std::vector<std::string> text;        // lower-case names
  std::vector<std::string_view> names;  // views of text
};

const Targets& targets() {
  static const Targets all = [] {
    Targets found;
    const std::int64_t runnable = hwy::SupportedTargets() & HWY_TARGETS;
    for (int bit = 0; bit < 63; ++bit) {  // a lower bit is a better target
      const std::int64_t target = std::int64_t{1} << bit;
      if ((runnable & target) == 0) continue;
      // Highway has two targets without SIMD instructions; which one a compiler can build is no concern of the user's.
      std::string name = target == HWY_EMU128 ? "scalar" : hwy::TargetName(target);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      found.bits.push_back(target);
      found.text.push_back(std::move(name));
    }
    found.names.assign(found.text.begin(), found.text.end());
    return found;
  }();
  return all;
}

Status choose(std::string_view name) {
  const Targets& all = targets();
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    if (name == all.names[i] || (name == "auto" && i == 0)) {
      hwy::GetChosenTarget().Update(all.bits[i]);
      return {};
    }
  }
  std::string list;
  for (const std::string_view candidate : all.names) list += " '" + std::string(candidate) + "'";
  return {StatusCode::kInvalidArgument,
          "there is no target '" + std::string(name) + "'; this CPU and this build have" + list + ", and 'auto' for the best"};
}

}  // namespace

std::span<const std::string_view> available_targets() { return targets().names; }

Status target_environment_status() {
  static const Status from_environment = [] {
    const char* name = std::getenv("ONEKERNEL_TARGET");
    if (name == nullptr || *name == '\0') return choose("auto");
    Status status = choose(name);
    if (status.ok()) return status;
    (void)choose("auto");
    return Status(status.code(), "ONEKERNEL_TARGET: " + status.message());
  }();
  return from_environment;
}

std::string_view current_target() {
  (void)target_environment_status();
  const std::int64_t running = HWY_DYNAMIC_DISPATCH(kernel::running_target)();
  const Targets& all = targets();
  const auto found = std::find(all.bits.begin(), all.bits.end(), running);
  return found == all.bits.end() ? "unknown" : all.names[static_cast<std::size_t>(found - all.bits.begin())];
}

Status force_target(std::string_view name) {
  (void)target_environment_status();  // or the first sweep would undo this choice
  return choose(name);
}

}  // namespace onekernel
#endif  // HWY_ONCE
