// onekernel-engine: the engine as a program. Parse, run one command, report.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "onekernel/sweep.h"
#include "onekernel/types.h"
#include "onekernel/version.h"
#include "tools/commands.h"
#include "tools/token.h"

namespace onekernel::tools {
namespace {

struct Arguments {
  ServeOptions serve;
  StdioOptions stdio;
  InfoOptions info;
  std::string unix_path;
  std::string tcp;
  double stall_timeout_s = 30.0;
  double spin_us = 0.0;
  double shm_spin_us = 50.0;
};

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Kernel kernel : all_kernels()) names.emplace_back(kernel_name(kernel));
  return names;
}

// CLI::Range lets NaN pass.
CLI::Validator is_finite() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0.0;
        return CLI::detail::lexical_cast(text, value) && std::isfinite(value) ? std::string()
                                                                              : text + " is not a finite number";
      },
      "");
}

void add_engine_options(CLI::App& command, server::EngineSettings& engine, std::string& timings_path) {
  command
      .add_option_function<std::string>(
          "--kernel", [&engine](const std::string& name) { engine.kernel = kernel_from_name(name).value(); },
          "Implementation; all return the same bits (default: " + std::string(kernel_name(engine.kernel)) + ")")
      ->check(CLI::IsMember(kernel_names()));
  command
      .add_option("--threads", engine.threads,
                  "Threads of one sweep, unless a session request says otherwise; 0: ONEKERNEL_THREADS, or else all cores")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command.add_option("--fee", engine.fee, "Round-trip fee per closed trade in percent: 0.09 means 0.09 %")
      ->capture_default_str()
      ->check(is_finite());
  command.add_option("--max-frame-bytes", engine.limits.max_frame_bytes, "Longest body of a frame")->capture_default_str();
  command.add_option("--max-combos", engine.limits.max_combos, "Most combos in one request")->capture_default_str();
  command.add_option("--timings", timings_path, "Append one JSON line per request to this file: counts, bytes, compute_ns");
}

CLI::App* add_serve(CLI::App& app, Arguments& arguments) {
  CLI::App* command =
      app.add_subcommand("serve", "Serve clients until SIGTERM or SIGINT; print the endpoints on stdout when ready");
  command->add_option("--unix", arguments.unix_path,
                      "Listen on this Unix socket (at most 107 bytes; only its owner may connect)");
  command->add_option("--tcp", arguments.tcp,
                      "Listen on HOST:PORT, loopback only unless there is a token; port 0 lets the system choose");
  command->add_option("--token-file", arguments.serve.token_path,
                      "What clients over TCP must know: the first line of this file, which only its owner may open "
                      "(default: the environment variable ONEKERNEL_TOKEN)");
  add_engine_options(*command, arguments.serve.settings.engine, arguments.serve.timings_path);
  command->add_option("--max-connections", arguments.serve.settings.engine.limits.max_connections, "Most clients at one time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--stall-timeout", arguments.stall_timeout_s,
                   "Seconds that a client may stall inside a frame or a reply; between requests it may idle for ever")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0))
      ->check(is_finite());
  command
      ->add_option("--spin-us", arguments.spin_us,
                   "Microseconds to look again and again for the next request on a socket before sleeping")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6))
      ->check(is_finite());
  command->add_option("--shm-spin-us", arguments.shm_spin_us, "The same for shared memory")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6))
      ->check(is_finite());
  server::Limits& limits = arguments.serve.settings.engine.limits;
  command->add_option("--max-series", limits.store.max_series, "Most series kept")->capture_default_str();
  command->add_option("--max-series-bytes", limits.store.max_bytes, "Most bytes of series kept")->capture_default_str();
  command->add_option("--max-live-sessions", limits.live.max_sessions, "Most live sessions at one time")->capture_default_str();
  command->add_option("--max-live-bytes", limits.live.max_bytes, "Most bytes that live sessions take")->capture_default_str();
  command->add_option("--max-ring-bytes", limits.max_ring_bytes, "Largest ring of shared memory per client and direction")
      ->capture_default_str();
  command->add_flag("--stop-on-eof", arguments.serve.stop_on_eof, "Stop when standard input ends: never outlive the parent");
  command->add_option("--log-level", arguments.serve.log_level, "What to log on stderr")
      ->capture_default_str()
      ->check(CLI::IsMember({"debug", "info", "warning", "off"}));
  return command;
}

CLI::App* add_stdio(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("stdio", "Answer one request from standard input on standard output");
  add_engine_options(*command, arguments.stdio.engine, arguments.stdio.timings_path);
  return command;
}

CLI::App* add_info(CLI::App& app, Arguments& arguments) {
  CLI::App* command = app.add_subcommand("info", "Say what this engine is: version, kernels, limits");
  command->add_flag("--json", arguments.info.json, "For machines");
  return command;
}

std::chrono::nanoseconds nanoseconds(double microseconds) {
  return std::chrono::nanoseconds(std::llround(microseconds * 1000.0));
}

// What the environment says of threads and instruction sets, judged before the first client could meet it: a sweep of nothing
// looks at both.
Status check_environment(const server::EngineSettings& engine) {
  return sweep({}, {}, {.kernel = engine.kernel, .threads = engine.threads}, {}, {});
}

// Turns what only makes sense together into settings. Errors: kInvalidArgument.
Status complete(Arguments& arguments) {
  server::ServerSettings& settings = arguments.serve.settings;
  settings.patience = std::chrono::milliseconds(std::max<std::int64_t>(1, std::llround(arguments.stall_timeout_s * 1000.0)));
  settings.engine.spin = {.socket = nanoseconds(arguments.spin_us), .shared_memory = nanoseconds(arguments.shm_spin_us)};
  if (!arguments.tcp.empty() || !arguments.serve.token_path.empty()) {
    Result<std::string> token = read_token(arguments.serve.token_path);
    if (!token.ok()) return token.status();
    settings.token = std::move(token).value();
  }
  if (!arguments.unix_path.empty()) settings.endpoints.emplace_back(transport::UnixEndpoint{arguments.unix_path});
  if (!arguments.tcp.empty()) {
    Result<transport::TcpEndpoint> tcp = transport::parse_host_port(arguments.tcp);
    if (!tcp.ok()) return tcp.status();
    settings.endpoints.emplace_back(std::move(tcp).value());
  }
  return {};
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("The onekernel engine: one kernel for research and live, behind a socket or a pipe", "onekernel-engine");
  app.set_version_flag("--version", "onekernel-engine " ONEKERNEL_VERSION_STRING);
  app.require_subcommand(1);
  const CLI::App* serve_command = add_serve(app, arguments);
  const CLI::App* stdio_command = add_stdio(app, arguments);
  add_info(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (const Status status = complete(arguments); !status.ok()) return fail(status);
  const server::EngineSettings& engine = stdio_command->parsed() ? arguments.stdio.engine : arguments.serve.settings.engine;
  if (const Status environment = check_environment(engine); !environment.ok()) return fail(environment);
  if (serve_command->parsed()) return serve(arguments.serve);
  if (stdio_command->parsed()) return stdio(arguments.stdio);
  return info(arguments.info);
}

}  // namespace

int fail(const Status& status) {
  fmt::print(stderr, "onekernel-engine: {}\n", status.message());
  return status.code() == StatusCode::kInvalidArgument ? kExitUsage : kExitFailed;
}

}  // namespace onekernel::tools

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return onekernel::tools::run(argc, argv);
}
