// What a crossing costs that carries next to nothing: native round trips to an engine in another process, over every transport
// and waiting policy, with the CPU time that both sides spend. Two figures for comparison: a ring that one thread both writes
// and reads, as in published same-thread figures; and two threads that pass a number to and fro, each in cache lines of its
// own, which is as fast as two cores of this machine can talk at all.
//
//   usage: echo_floor [--json FILE] [--calls N] [--rounds N] [--bytes N]
//
// Every transport and policy has an engine of its own. The rounds of all rows are interleaved; percentiles are over all calls
// of the round whose median is lowest, and the medians of the other rounds are shown beside it.
#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "onekernel/client.h"
#include "tests/conformance/engine_process.h"
#include "transport/shared_memory.h"

namespace onekernel::benchmarks {
namespace {

using std::chrono::nanoseconds;
using testing::EngineProcess;

struct Settings {
  std::string json;
  std::size_t calls = 20'000;
  std::size_t rounds = 7;
  std::size_t bytes = 8;
};

// Longer than any gap between two calls here, so that a spinning side never sleeps.
constexpr nanoseconds kSpin = std::chrono::milliseconds(100);

struct Sample {
  std::vector<std::int64_t> call_ns;
  double client_cpu_s = 0.0;
  double engine_cpu_s = 0.0;

  std::int64_t percentile(double fraction) {
    const auto nth = call_ns.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(call_ns.size() - 1));
    std::nth_element(call_ns.begin(), nth, call_ns.end());
    return *nth;
  }
};

double seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

double own_cpu_s() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// One line of the table: something that can be called again and again.
class Row {
 public:
  Row(std::string over, std::string waiting) : transport(std::move(over)), policy(std::move(waiting)) {}
  virtual ~Row() = default;
  // Around the calls of one round.
  virtual void begin() {}
  virtual void end() {}
  virtual void call() = 0;
  virtual double engine_cpu_s() const { return 0.0; }

  std::string transport;
  std::string policy;
  std::vector<Sample> rounds;
};

class EngineRow final : public Row {
 public:
  EngineRow(std::string over, bool spinning, const std::string& folder, std::size_t bytes)
      : Row(std::move(over), spinning ? "both spin" : "both sleep"),
        engine_(ONEKERNEL_ENGINE_PROGRAM, folder + "/" + this->transport + (spinning ? "-spin" : "-sleep"),
                {"--spin-us", spin_us(spinning), "--shm-spin-us", spin_us(spinning)}),
        data_(bytes),
        back_(bytes) {
    const std::string url = this->transport == "unix"  ? engine_.unix_url()
                            : this->transport == "tcp" ? engine_.tcp_url()
                                                       : engine_.shm_url();
    Result<Client> client = Client::connect(url, {.spin = spinning ? kSpin : nanoseconds(0)});
    if (!client.ok()) throw std::runtime_error(client.status().message());
    client_.emplace(std::move(client).value());
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(i + 1);
  }

  void call() override {
    if (!data_.empty()) data_[0] = static_cast<std::byte>(++count_);  // the payload is new each time, and checked
    const Status status = client_->echo(data_, back_);
    if (!status.ok()) throw std::runtime_error(status.message());
    if (std::memcmp(data_.data(), back_.data(), data_.size()) != 0) throw std::runtime_error("an echo came back different");
  }
  double engine_cpu_s() const override { return seconds(engine_.cpu_time()); }

 private:
  static std::string spin_us(bool spinning) {
    return spinning ? std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(kSpin).count()) : "0";
  }

  EngineProcess engine_;
  std::optional<Client> client_;
  std::vector<std::byte> data_;
  std::vector<std::byte> back_;
  std::uint8_t count_ = 0;
};

// Writes a message and reads it back in one thread: no cache line changes its core, so this is no round trip.
class SameThreadRow final : public Row {
 public:
  explicit SameThreadRow(std::size_t bytes)
      : Row("ring", "same thread"),
        memory_(create()),
        writer_(memory_.to_server()),
        reader_(memory_.to_server()),
        data_(bytes),
        back_(bytes) {}

  void call() override {
    data_[0] = static_cast<std::byte>(++count_);
    const std::span<const std::byte> part(data_);
    transport::Outgoing cursor({&part, 1});
    if (!writer_.try_write(cursor).ok()) throw std::runtime_error("the ring is full");
    for (std::size_t done = 0; done < back_.size();) done += reader_.try_read(std::span(back_).subspan(done)).value();
    if (back_[0] != data_[0]) throw std::runtime_error("a message came out different");
  }

 private:
  static transport::SharedMemory create() {
    Result<transport::SharedMemory> memory = transport::SharedMemory::create(std::size_t{1} << 20);
    if (!memory.ok()) throw std::runtime_error(memory.status().message());
    return std::move(memory).value();
  }

  transport::SharedMemory memory_;
  transport::RingWriter writer_;
  transport::RingReader reader_;
  std::vector<std::byte> data_;
  std::vector<std::byte> back_;
  std::uint8_t count_ = 0;
};

// Cells as in a ring, so that the next number goes into a line that the other core has not just asked for.
class BareLinesRow final : public Row {
 public:
  BareLinesRow() : Row("bare", "both spin") {}
  void begin() override {
    stop_.store(false);
    other_ = std::thread([this, number = count_]() mutable {
      while (!stop_.load(std::memory_order_relaxed)) {
        if (cell(there_, number + 1).load(std::memory_order_acquire) != number + 1) continue;
        ++number;
        cell(back_, number).store(number, std::memory_order_release);
      }
    });
  }
  void end() override {
    stop_.store(true);
    other_.join();
  }
  void call() override {
    ++count_;
    cell(there_, count_).store(count_, std::memory_order_release);
    while (cell(back_, count_).load(std::memory_order_acquire) != count_) continue;
  }

 private:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> number{0};
  };
  using Lines = std::array<Line, 256>;
  static std::atomic<std::uint64_t>& cell(Lines& lines, std::uint64_t number) { return lines[number % lines.size()].number; }

  Lines there_;
  Lines back_;
  std::thread other_;
  std::atomic<bool> stop_{false};
  std::uint64_t count_ = 0;
};

std::int64_t clock_cost_ns() {
  std::vector<std::int64_t> costs(10'000);
  for (std::int64_t& cost : costs) {
    const std::int64_t start = base::monotonic_ns();
    cost = base::monotonic_ns() - start;
  }
  std::nth_element(costs.begin(), costs.begin() + 5'000, costs.end());
  return costs[5'000];
}

Sample measure(Row& row, std::size_t calls) {
  row.begin();
  for (std::size_t i = 0; i < calls / 10; ++i) row.call();
  Sample sample;
  sample.call_ns.resize(calls);
  const double client_before = own_cpu_s();
  const double engine_before = row.engine_cpu_s();
  for (std::int64_t& elapsed : sample.call_ns) {
    const std::int64_t start = base::monotonic_ns();
    row.call();
    elapsed = base::monotonic_ns() - start;
  }
  sample.engine_cpu_s = row.engine_cpu_s() - engine_before;
  sample.client_cpu_s = own_cpu_s() - client_before;
  row.end();
  return sample;
}

Sample& best(Row& row) {
  return *std::min_element(row.rounds.begin(), row.rounds.end(),
                           [](Sample& a, Sample& b) { return a.percentile(0.5) < b.percentile(0.5); });
}

void print_row(Row& row) {
  Sample& sample = best(row);
  const double n = static_cast<double>(sample.call_ns.size());
  std::string medians;
  for (Sample& round : row.rounds) medians += fmt::format(" {}", round.percentile(0.5));
  fmt::print("{:9} {:11} {:8} {:8} {:8} {:7} {:13.3f} {:13.3f}  {}\n", row.transport, row.policy, sample.percentile(0.5),
             sample.percentile(0.9), sample.percentile(0.99), sample.call_ns.size(), sample.client_cpu_s / n * 1e6,
             sample.engine_cpu_s / n * 1e6, medians);
}

std::string json_row(Row& row) {
  Sample& sample = best(row);
  const double n = static_cast<double>(sample.call_ns.size());
  std::string medians;
  for (Sample& round : row.rounds) medians += fmt::format("{}{}", medians.empty() ? "" : ", ", round.percentile(0.5));
  return fmt::format(R"({{"transport": "{}", "policy": "{}", "n": {}, "p50_ns": {}, "p90_ns": {}, "p99_ns": {}, )"
                     R"("client_cpu_s_per_call": {:.4g}, "engine_cpu_s_per_call": {:.4g}, "round_p50_ns": [{}]}})",
                     row.transport, row.policy, sample.call_ns.size(), sample.percentile(0.5), sample.percentile(0.9),
                     sample.percentile(0.99), sample.client_cpu_s / n, sample.engine_cpu_s / n, medians);
}

void write_json(const Settings& settings, std::int64_t clock_ns, std::vector<std::unique_ptr<Row>>& rows) {
  utsname system{};
  ::uname(&system);
  std::FILE* file = std::fopen(settings.json.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + settings.json);
  fmt::print(file,
             "{{\"payload_bytes\": {}, \"clock_p50_ns\": {}, \"cores\": {}, \"machine\": \"{}\", \"system\": \"{} {}\",\n"
             " \"rows\": [\n",
             settings.bytes, clock_ns, std::thread::hardware_concurrency(), system.machine, system.sysname, system.release);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print(file, "  {}{}\n", json_row(*rows[i]), i + 1 < rows.size() ? "," : "");
  }
  fmt::print(file, "]}}\n");
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + settings.json);
}

Settings parse(std::span<char*> arguments) {
  Settings settings;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    if (i + 1 == arguments.size())
      throw std::runtime_error("usage: echo_floor [--json FILE] [--calls N] [--rounds N] [--bytes N]");
    const std::string_view value = arguments[i + 1];
    std::size_t* number = name == "--calls"    ? &settings.calls
                          : name == "--rounds" ? &settings.rounds
                          : name == "--bytes"  ? &settings.bytes
                                               : nullptr;
    if (name == "--json") {
      settings.json = value;
    } else if (number == nullptr ||
               std::from_chars(value.data(), value.data() + value.size(), *number).ptr != value.data() + value.size() ||
               *number == 0) {
      throw std::runtime_error("cannot take " + std::string(name) + " " + std::string(value));
    }
  }
  return settings;
}

void run(const Settings& settings) {
  const testing::TemporaryFolder folder;
  std::vector<std::unique_ptr<Row>> rows;
  for (const bool spinning : {false, true}) {
    for (const char* transport : {"unix", "tcp", "shm"}) {
      rows.push_back(std::make_unique<EngineRow>(transport, spinning, folder.path(), settings.bytes));
    }
  }
  rows.push_back(std::make_unique<BareLinesRow>());
  rows.push_back(std::make_unique<SameThreadRow>(settings.bytes));
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    for (auto& row : rows) {
      // An engine that spun for the row before goes to sleep meanwhile.
      std::this_thread::sleep_for(kSpin * 3 / 2);
      row->rounds.push_back(measure(*row, settings.calls));
    }
  }
  const std::int64_t clock_ns = clock_cost_ns();
  fmt::print("echo of {} bytes; reading the clock costs {} ns of each figure; cpu is per call\n\n", settings.bytes, clock_ns);
  fmt::print("{:9} {:11} {:>8} {:>8} {:>8} {:>7} {:>13} {:>13}   {}\n", "transport", "waiting", "p50 ns", "p90 ns", "p99 ns",
             "n", "client cpu us", "engine cpu us", "p50 of each round");
  for (auto& row : rows) print_row(*row);
  if (!settings.json.empty()) write_json(settings, clock_ns, rows);
}

}  // namespace
}  // namespace onekernel::benchmarks

int main(int argc, char** argv) {
  try {
    onekernel::benchmarks::run(onekernel::benchmarks::parse({argv, static_cast<std::size_t>(argc)}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "echo_floor: {}\n", error.what());
    return 1;
  }
  return 0;
}
