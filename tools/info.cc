#include <fmt/core.h>

#include <string>
#include <string_view>

#include "onekernel/sweep.h"
#include "onekernel/target.h"
#include "onekernel/version.h"
#include "tools/commands.h"
#include "transport/listener.h"

namespace onekernel::tools {
namespace {

template <class Items, class Name>
std::string join(const Items& items, Name name, const char* before, const char* after) {
  std::string joined;
  for (const auto& item : items) {
    if (!joined.empty()) joined += ", ";
    joined.append(before).append(name(item)).append(after);
  }
  return joined;
}

std::string join_kernels(const char* before, const char* after) { return join(all_kernels(), kernel_name, before, after); }

std::string join_targets(const char* before, const char* after) {
  return join(
      available_targets(), [](std::string_view target) { return target; }, before, after);
}

}  // namespace

int info(const InfoOptions& options) {
  if (const Status forced = target_environment_status(); !forced.ok()) return fail(forced);
  const server::Limits limits;
  const double fee = server::EngineSettings{}.fee;
  const std::string_view default_kernel = kernel_name(SweepOptions{}.kernel);
  if (options.json) {
    fmt::print(R"({{"version": "{}", "kernels": [{}], "default_kernel": "{}", "default_fee_percent": {}, "compiler": "{}", )"
               R"("build_type": "{}", "limits": {{"max_frame_bytes": {}, "max_combos": {}, "max_connections": {}, )"
               R"("max_unix_path_bytes": {}}}, "target": "{}", "targets": [{}]}})"
               "\n",
               ONEKERNEL_VERSION_STRING, join_kernels("\"", "\""), default_kernel, fee, ONEKERNEL_COMPILER,
               ONEKERNEL_BUILD_TYPE, limits.max_frame_bytes, limits.max_combos, limits.max_connections, transport::kMaxUnixPath,
               current_target(), join_targets("\"", "\""));
    return kExitOk;
  }
  fmt::print("onekernel-engine {}\n", ONEKERNEL_VERSION_STRING);
  fmt::print("kernels          {} (default: {})\n", join_kernels("", ""), default_kernel);
  fmt::print("instructions     {} (this machine has: {}; ONEKERNEL_TARGET chooses)\n", current_target(), join_targets("", ""));
  fmt::print("fee              {} % per closed trade unless --fee says otherwise\n", fee);
  fmt::print("limits           {} bytes a frame, {} combos a request, {} connections\n", limits.max_frame_bytes,
             limits.max_combos, limits.max_connections);
  fmt::print("built with       {}, {}\n", ONEKERNEL_COMPILER, ONEKERNEL_BUILD_TYPE);
  return kExitOk;
}

}  // namespace onekernel::tools
