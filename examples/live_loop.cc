// Live trading with the combos that research chose, in the engine that research used: live_loop.py in C++. It prints the same
// bytes and follows the same rule for which bar is due after a restart, which is explained there.
//
//   program that prints closes, one a line | live_loop URL saved.snapshot SERIES FEE half,full,smooth,third,half3,full3 ...
#include <onekernel/client.h>
#include <onekernel/live.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using onekernel::Change, onekernel::Client, onekernel::Combo, onekernel::LiveSession, onekernel::RemoteLive;
using onekernel::StatusCode;
using Clock = std::chrono::steady_clock;
using Snapshot = std::vector<std::byte>;

constexpr std::chrono::seconds kPatience{30};    // for an engine that is being restarted
constexpr std::chrono::seconds kReply{5};        // an engine that takes longer is given up like one that died
constexpr std::size_t kBarsPerSnapshot = 1'000;  // after a restart at most so many are fed again

// The connection is gone and the session with it.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_gone(StatusCode code) { return code == StatusCode::kConnectionClosed || code == StatusCode::kDeadlineExceeded; }

// The library reports failures as values; this program has one place for them each, so exceptions suit it better.
template <class T>
T value_of(onekernel::Result<T> result) {
  if (result.ok()) return std::move(result).value();
  if (is_gone(result.status().code())) throw Broken(result.status().message());
  throw std::runtime_error(result.status().message());
}

// Waits for an engine that is not back yet.
Client connect(const std::string& url) {
  const auto deadline = Clock::now() + kPatience;
  while (true) {
    onekernel::Result<Client> client = Client::connect(url, {.timeout = kReply});
    if (client.ok()) return std::move(client).value();
    const StatusCode code = client.status().code();
    if (Clock::now() > deadline || !(code == StatusCode::kUnavailable || is_gone(code))) {
      throw std::runtime_error(client.status().message());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

RemoteLive open_live(const std::string& url, const std::string& name, const std::vector<Combo>& combos, double fee) {
  Client client = connect(url);
  for (const onekernel::RemoteSeries& series : value_of(client.list())) {
    if (series.shared && series.name == name) return value_of(client.live(combos, {.fee = fee}, series));
  }
  throw std::runtime_error("the engine at " + url + " has no series '" + name + "'; run research.py on it first");
}

// A live session that outlives its engine.
class Follower {
 public:
  Follower(std::string url, RemoteLive live)
      : url_(std::move(url)), live_(std::move(live)), saved_(value_of(live_.snapshot())) {}

  // Asks the session; where its engine is gone, reopens it on the next one and asks again.
  template <class Question>
  auto ask(Question question) {
    for (bool lost = false;; lost = true) {
      try {
        if (lost) reopen();  // that engine may die as well
        return value_of(question(live_));
      } catch (const Broken& error) {
        std::fprintf(stderr, "%s; connecting again\n", error.what());
      }
    }
  }

  // Takes one close and returns its changes.
  std::vector<Change> bar(double close) {
    const std::span<const Change> told = ask([close](RemoteLive& live) { return live.bar(live.next_bar(), close); });
    std::vector<Change> changes(told.begin(), told.end());  // the next call to the session may overwrite what it told
    since_.push_back(close);
    if (since_.size() == kBarsPerSnapshot) {
      saved_ = ask([](RemoteLive& live) { return live.snapshot(); });
      since_.clear();
    }
    return changes;
  }

  // Asks nobody: this process has the same kernel.
  Snapshot snapshot() const {
    LiveSession here = value_of(LiveSession::restore(saved_));
    value_of(here.bars(here.next_bar(), since_));
    return value_of(here.snapshot());
  }

 private:
  // The changes of bars that were acknowledged have been told already.
  void reopen() {
    RemoteLive live = value_of(connect(url_).restore(saved_));  // it keeps its client's connection open
    value_of(live.bars(live.next_bar(), since_));
    live_ = std::move(live);
    std::fprintf(stderr, "bar %lld is due\n", static_cast<long long>(live_.next_bar()));
  }

  std::string url_;
  RemoteLive live_;
  Snapshot saved_;
  std::vector<double> since_;  // closes that were acknowledged after the snapshot
};

const char* side(std::int64_t position) { return position > 0 ? "long" : position < 0 ? "short" : "flat"; }

// Ctrl-C is the way to leave a feed that does not end.
volatile std::sig_atomic_t interrupted = 0;

void stop_on_interrupt() {
  struct sigaction action = {};  // without SA_RESTART, so that a wait for the next close ends as well
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
}

// 17 digits tell all float64 apart, so outputs can be compared byte by byte.
void follow(Follower& follower, std::istream& closes) {
  for (double close; interrupted == 0 && closes >> close;) {
    // The library takes any float64, as the published arithmetic does; one wrong price would stay in the windows for long.
    if (!(close > 0.0) || std::isinf(close)) throw std::runtime_error("a close is not above 0 and finite");
    for (const Change& made : follower.bar(close)) {
      std::printf("bar %lld combo %u %s at %.17g trade %.17g pnl %.17g trades %lld\n", static_cast<long long>(made.bar),
                  made.combo, side(made.position), made.price, made.trade_pnl, made.pnl, static_cast<long long>(made.trades));
      std::fflush(stdout);
    }
  }
  if (interrupted != 0) return;
  if (!closes.eof()) throw std::runtime_error("standard input holds something that is no number");
  unsigned combo = 0;
  for (const onekernel::LiveState& state : follower.ask([](RemoteLive& live) { return live.states(); })) {
    std::printf("combo %u %s pnl %.17g trades %lld\n", combo++, side(state.position), state.pnl,
                static_cast<long long>(state.trades));
  }
}

Combo parse_combo(const char* text) {
  long long w[6];
  if (std::sscanf(text, "%lld,%lld,%lld,%lld,%lld,%lld", &w[0], &w[1], &w[2], &w[3], &w[4], &w[5]) != 6) {
    throw std::runtime_error(std::string(text) + " is no combo: write half,full,smooth,third,half3,full3");
  }
  return {w[0], w[1], w[2], w[3], w[4], w[5]};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 6) throw std::runtime_error("usage: live_loop URL saved.snapshot SERIES FEE COMBO...");
  std::vector<Combo> combos;
  for (int i = 5; i < argc; ++i) combos.push_back(parse_combo(argv[i]));
  Follower follower(argv[1], open_live(argv[1], argv[3], combos, std::strtod(argv[4], nullptr)));
  stop_on_interrupt();
  std::exception_ptr failure;
  try {
    follow(follower, std::cin);
  } catch (...) {
    failure = std::current_exception();  // what was acknowledged is saved all the same
  }
  const Snapshot saved = follower.snapshot();
  std::ofstream file(argv[2], std::ios::binary);
  if (!file.write(reinterpret_cast<const char*>(saved.data()), static_cast<std::streamsize>(saved.size())).flush()) {
    throw std::runtime_error(std::string("cannot write ") + argv[2]);
  }
  if (failure) std::rethrow_exception(failure);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "live_loop: %s\n", error.what());
  return 1;
}
