#include <fmt/core.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>

#include "server/server.h"
#include "tools/commands.h"
#include "tools/lifecycle.h"

namespace onekernel::tools {
namespace {

spdlog::level::level_enum level_of(server::LogLevel level) {
  switch (level) {
    case server::LogLevel::kDebug:
      return spdlog::level::debug;
    case server::LogLevel::kInfo:
      return spdlog::level::info;
    case server::LogLevel::kWarning:
      return spdlog::level::warn;
  }
  return spdlog::level::info;
}

std::shared_ptr<spdlog::logger> make_logger(const std::string& level) {
  auto logger = spdlog::stderr_color_mt("onekernel-engine");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::debug);
  return logger;
}

}  // namespace

int serve(const ServeOptions& options) {
  block_stop_signals();
  const std::shared_ptr<spdlog::logger> logger = make_logger(options.log_level);
  server::TimingsLog timings;
  if (!options.timings_path.empty()) {
    Result<server::TimingsLog> opened = server::TimingsLog::open(options.timings_path);
    if (!opened.ok()) return fail(opened.status());
    timings = std::move(opened).value();
  }
  Result<std::unique_ptr<server::Server>> listening =
      server::Server::listen(options.settings, std::move(timings),
                             [logger](server::LogLevel level, const std::string& text) { logger->log(level_of(level), text); });
  if (!listening.ok()) return fail(listening.status());
  server::Server& server = *listening.value();
  const StopWatcher watcher(options.stop_on_eof, [&](const char* reason) {
    logger->info("stopping: {}", reason);
    server.stop();
  });
  for (const std::string& url : server.urls()) {
    fmt::print("{}\n", url);
    logger->info("listening on {}, kernel {}, fee {} %", url, kernel_name(options.settings.engine.kernel),
                 options.settings.engine.fee);
  }
  std::fflush(stdout);
  const Status status = server.run();
  if (!status.ok()) return fail(status);
  logger->info("stopped");
  return kExitOk;
}

}  // namespace onekernel::tools
