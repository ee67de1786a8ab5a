// What an engine process is told at its start.
#ifndef ONEKERNEL_SERVER_SETTINGS_H_
#define ONEKERNEL_SERVER_SETTINGS_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/series_store.h"
#include "onekernel/status.h"
#include "onekernel/sweep.h"
#include "onekernel/types.h"
#include "transport/endpoint.h"

namespace onekernel::server {

struct LiveLimits {
  std::uint32_t max_sessions = 64;                   // at one time, of all connections
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  // that they take together
};

struct Limits {
  std::uint32_t max_frame_bytes = 256u << 20;  // the body of one frame
  std::uint32_t max_combos = 1'000'000;        // in one request
  std::uint32_t max_connections = 256;         // at one time
  std::uint64_t max_ring_bytes = 64u << 20;    // of one direction of shared memory
  engine::StoreLimits store;
  LiveLimits live;
};

// kLimitExceeded, naming the limit and its flag.
Status over_combo_limit(std::uint64_t n_combos, std::uint32_t limit);

// How a thread waits for the next request of its client: it looks again and again for so long before it sleeps.
struct Spin {
  std::chrono::nanoseconds socket{0};
  std::chrono::nanoseconds shared_memory{50'000};
};

// How requests are answered. Classic frames carry neither kernel nor fee, so they are the engine's.
struct EngineSettings {
  Kernel kernel = SweepOptions{}.kernel;
  int threads = 0;    // for one sweep; 0: ONEKERNEL_THREADS, or else all cores
  double fee = 0.09;  // percent per closed trade, round trip: the published workload's
  Limits limits;
  Spin spin;
};

struct ServerSettings {
  EngineSettings engine;
  std::vector<transport::Endpoint> endpoints;
  std::string token;  // what clients over TCP must know; empty: nothing, and TCP is for this machine only
  // How long a peer may keep us waiting inside a frame or a reply. Between requests it may be silent for ever.
  std::chrono::milliseconds patience{30'000};
};

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_SETTINGS_H_
