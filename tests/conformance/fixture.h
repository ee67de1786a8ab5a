// What the conformance tests share: an engine per test, and clients over each transport.
#ifndef ONEKERNEL_TESTS_CONFORMANCE_FIXTURE_H_
#define ONEKERNEL_TESTS_CONFORMANCE_FIXTURE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "onekernel/client.h"
#include "onekernel/sweep.h"
#include "tests/conformance/engine_process.h"

namespace onekernel::testing {

// A wait that ends with a test that hangs, not with one on a busy machine.
inline constexpr ClientOptions kPatient{.timeout = std::chrono::minutes(5)};

inline const std::vector<std::string>& transports() {
  static const std::vector<std::string> all{"unix", "tcp", "shm"};
  return all;
}

class Engine {
 public:
  explicit Engine(std::vector<std::string> arguments = {}) : arguments_(std::move(arguments)) { start(); }

  EngineProcess& process() { return *process_; }
  // Ends it by the signal and starts another one at the same path.
  void restart(int signal) {
    process_->end(signal);
    process_.reset();
    start();
  }
  std::string url(const std::string& transport) const {
    if (transport == "tcp") return process_->tcp_url();
    return transport == "shm" ? process_->shm_url() : process_->unix_url();
  }
  Client connect(const std::string& transport, const ClientOptions& options = kPatient) const {
    Result<Client> client = Client::connect(url(transport), options);
    if (!client.ok()) throw std::runtime_error(transport + ": " + client.status().message());
    return std::move(client).value();
  }

 private:
  void start() { process_ = std::make_unique<EngineProcess>(ONEKERNEL_ENGINE_PROGRAM, folder_.path() + "/engine", arguments_); }

  TemporaryFolder folder_;
  std::vector<std::string> arguments_;
  std::unique_ptr<EngineProcess> process_;
};

// A random walk with exact steps, so that it is the same bits everywhere.
inline std::vector<double> walk(std::size_t n_bars, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> close(n_bars);
  std::int64_t price = 100 * 1024;
  for (double& value : close) {
    price = std::max<std::int64_t>(1024, price + static_cast<std::int64_t>(random() % 201) - 100);
    value = static_cast<double>(price) / 1024.0;
  }
  return close;
}

inline std::vector<Combo> some_combos() {
  return {{3, 6, 2, 2, 3, 6}, {10, 20, 4, 7, 10, 20}, {1, 1, 1, 1, 1, 1}, {60, 120, 11, 40, 60, 120}};
}

struct Results {
  std::vector<double> pnl;
  std::vector<std::int64_t> trades;
};

inline Results in_process(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options) {
  Results results{std::vector<double>(combos.size()), std::vector<std::int64_t>(combos.size())};
  const Status status = sweep(close, combos, options, results.pnl, results.trades);
  if (!status.ok()) throw std::runtime_error(status.message());
  return results;
}

inline void expect_same_bits(std::span<const double> pnl, std::span<const std::int64_t> trades, const Results& expected) {
  ASSERT_EQ(pnl.size(), expected.pnl.size());
  ASSERT_EQ(trades.size(), expected.trades.size());
  for (std::size_t i = 0; i < pnl.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(pnl[i]), std::bit_cast<std::uint64_t>(expected.pnl[i])) << "combo " << i;
    EXPECT_EQ(trades[i], expected.trades[i]) << "combo " << i;
  }
}

// Looks until `holds`, for as long as a machine under load may need. False: it never did.
inline bool becomes_true(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

inline std::vector<std::byte> some_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::mt19937 random(7);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace onekernel::testing

#endif  // ONEKERNEL_TESTS_CONFORMANCE_FIXTURE_H_
