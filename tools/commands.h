// The commands of onekernel-engine. Each returns the process's exit code.
#ifndef ONEKERNEL_TOOLS_COMMANDS_H_
#define ONEKERNEL_TOOLS_COMMANDS_H_

#include <string>

#include "server/settings.h"

namespace onekernel::tools {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

struct ServeOptions {
  server::ServerSettings settings;
  std::string timings_path;  // empty: no timings file
  std::string token_path;    // empty: ONEKERNEL_TOKEN
  std::string log_level = "info";
  bool stop_on_eof = false;
};

struct StdioOptions {
  server::EngineSettings engine;
  std::string timings_path;
};

struct InfoOptions {
  bool json = false;
};

// Listens, prints the endpoints on stdout, serves until a signal (or end of input) asks to stop.
int serve(const ServeOptions& options);

// Answers one classic request from stdin on stdout.
int stdio(const StdioOptions& options);

// Says what this engine is.
int info(const InfoOptions& options);

// The one place where errors are printed: "onekernel-engine: <message>" on stderr. Returns the exit code that fits.
int fail(const Status& status);

}  // namespace onekernel::tools

#endif  // ONEKERNEL_TOOLS_COMMANDS_H_
