// What an engine process is told at its start.
#ifndef ONEKERNEL_SERVER_SETTINGS_H_
#define ONEKERNEL_SERVER_SETTINGS_H_

#include <chrono>
#include <cstdint>
#include <vector>

#include "onekernel/sweep.h"
#include "onekernel/types.h"
#include "transport/endpoint.h"

namespace onekernel::server {

struct Limits {
  std::uint32_t max_frame_bytes = 256u << 20;  // the body of one frame
  std::uint32_t max_combos = 1'000'000;        // in one request
  std::uint32_t max_connections = 256;         // at one time
};

// How requests are answered. Classic frames carry neither kernel nor fee, so they are the engine's.
struct EngineSettings {
  Kernel kernel = SweepOptions{}.kernel;
  double fee = 0.09;  // percent per closed trade, round trip: the published workload's
  Limits limits;
};

struct ServerSettings {
  EngineSettings engine;
  std::vector<transport::Endpoint> endpoints;
  // How long a peer may keep us waiting inside a frame or a reply. Between requests it may be silent for ever.
  std::chrono::milliseconds patience{30'000};
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_SETTINGS_H_
