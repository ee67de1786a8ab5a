#include <fmt/core.h>

#include <string>
#include <string_view>

#include "onekernel/sweep.h"
#include "onekernel/version.h"
#include "tools/commands.h"
#include "transport/listener.h"

namespace onekernel::tools {
namespace {

std::string join_kernels(const char* before, const char* after) {
  std::string joined;
  for (const Kernel kernel : all_kernels()) {
    if (!joined.empty()) joined += ", ";
    joined.append(before).append(kernel_name(kernel)).append(after);
  }
  return joined;
}

}  // namespace

int info(const InfoOptions& options) {
  const server::Limits limits;
  const double fee = server::EngineSettings{}.fee;
  const std::string_view default_kernel = kernel_name(SweepOptions{}.kernel);
  if (options.json) {
    fmt::print(R"({{"version": "{}", "kernels": [{}], "default_kernel": "{}", "default_fee_percent": {}, "compiler": "{}", )"
               R"("build_type": "{}", "limits": {{"max_frame_bytes": {}, "max_combos": {}, "max_connections": {}, )"
               R"("max_unix_path_bytes": {}}}}})"
               "\n",
               ONEKERNEL_VERSION_STRING, join_kernels("\"", "\""), default_kernel, fee, ONEKERNEL_COMPILER,
               ONEKERNEL_BUILD_TYPE, limits.max_frame_bytes, limits.max_combos, limits.max_connections,
               transport::kMaxUnixPath);
    return kExitOk;
  }
  fmt::print("onekernel-engine {}\n", ONEKERNEL_VERSION_STRING);
  fmt::print("kernels          {} (default: {})\n", join_kernels("", ""), default_kernel);
  fmt::print("fee              {} % per closed trade unless --fee says otherwise\n", fee);
  fmt::print("limits           {} bytes a frame, {} combos a request, {} connections\n", limits.max_frame_bytes,
             limits.max_combos, limits.max_connections);
  fmt::print("built with       {}, {}\n", ONEKERNEL_COMPILER, ONEKERNEL_BUILD_TYPE);
  return kExitOk;
}

}  // namespace onekernel::tools
