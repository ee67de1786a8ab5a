// What every transport must do, whatever carries the bytes. A new transport is one more name in transports().
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <string>
#include <vector>

#include "tests/conformance/fixture.h"

namespace onekernel::testing {
namespace {

class Transport : public ::testing::TestWithParam<std::string> {
 protected:
  Client connect(const ClientOptions& options = kPatient) const { return engine_.connect(GetParam(), options); }

  Engine engine_;
};

INSTANTIATE_TEST_SUITE_P(, Transport, ::testing::ValuesIn(transports()), [](const auto& transport) { return transport.param; });

TEST_P(Transport, EchoesOfAllSizes) {
  Client client = connect();
  const std::vector<std::byte> data = some_bytes(2 << 20);
  for (const std::size_t size : {0, 1, 7, 8, 12, 13, 16, 17, 47, 48, 49, 4060, 4096, 65'536, 1'000'003, 1 << 20, 2 << 20}) {
    const std::span<const std::byte> sent = std::span(data).first(size);
    std::vector<std::byte> back(size);
    const Status status = client.echo(sent, back);
    ASSERT_TRUE(status.ok()) << size << ": " << status.message();
    EXPECT_TRUE(std::ranges::equal(sent, back)) << size;
  }
}

TEST_P(Transport, EchoesThroughRingsSmallerThanTheyAre) {
  Client client = connect({.timeout = kPatient.timeout, .ring_bytes = 4096});
  const std::vector<std::byte> data = some_bytes(300'000);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::byte> back(data.size());
    ASSERT_TRUE(client.echo(data, back).ok());
    ASSERT_EQ(data, back);
  }
}

TEST_P(Transport, AnEngineAndAClientThatNeverSpin) {
  Engine sleepy({"--spin-us", "0", "--shm-spin-us", "0"});
  Client client = sleepy.connect(GetParam(), {.timeout = kPatient.timeout, .spin = std::chrono::nanoseconds(0)});
  std::vector<std::byte> data = some_bytes(8);
  std::vector<std::byte> back(8);
  for (int i = 0; i < 500; ++i) {
    data[0] = static_cast<std::byte>(i);
    ASSERT_TRUE(client.echo(data, back).ok());
    ASSERT_EQ(data, back);
  }
}

TEST_P(Transport, SweepsAreTheSameBitsAsInProcess) {
  Client client = connect();
  const std::vector<double> close = walk(20'000, 1);
  const std::vector<Combo> combos = some_combos();
  const Results expected = in_process(close, combos, {.fee = 0.09});
  const Result<RemoteSeries> series = client.put("walk", close);
  ASSERT_TRUE(series.ok()) << series.status().message();
  for (const std::string& kernel : client.engine().kernels) {
    const Result<SweepReply> stored = client.sweep(series.value(), combos, {.fee = 0.09, .kernel = kernel});
    ASSERT_TRUE(stored.ok()) << stored.status().message();
    expect_same_bits(stored.value().pnl, stored.value().trades, expected);
    EXPECT_EQ(stored.value().kernel, kernel);
    EXPECT_GT(stored.value().compute.count(), 0);
    EXPECT_GE(stored.value().threads, 1u);
    const Result<SweepReply> shipped = client.sweep(close, combos, {.fee = 0.09, .kernel = kernel});
    ASSERT_TRUE(shipped.ok()) << shipped.status().message();
    expect_same_bits(shipped.value().pnl, shipped.value().trades, expected);
  }
  const Result<SweepReply> by_default = client.sweep(series.value(), combos);
  ASSERT_TRUE(by_default.ok());
  expect_same_bits(by_default.value().pnl, by_default.value().trades, in_process(close, combos, {.fee = 0.0}));
  EXPECT_EQ(by_default.value().kernel, client.engine().default_kernel);
}

TEST_P(Transport, SweepsTellHowTheyWereDone) {
  Client client = connect();
  const std::vector<double> close = walk(20'000, 14);
  const std::vector<Combo> combos = some_combos();
  std::vector<double> pnl(combos.size());
  std::vector<std::int64_t> trades(combos.size());
  SweepReport report;
  ASSERT_TRUE(sweep(close, combos, {.kernel = Kernel::kCertified, .threads = 1}, pnl, trades, &report).ok());
  const Result<SweepReply> reply = client.sweep(close, combos, {.kernel = "certified", .threads = 1});
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  EXPECT_EQ(reply.value().target, report.target);
  EXPECT_EQ(reply.value().threads, 1u);
  EXPECT_EQ(reply.value().levels, report.levels);
  EXPECT_GT(reply.value().levels.by_bound, 0);
}

TEST_P(Transport, EmptySweeps) {
  Client client = connect();
  const Result<SweepReply> no_bars = client.sweep(std::span<const double>(), some_combos());
  ASSERT_TRUE(no_bars.ok()) << no_bars.status().message();
  EXPECT_EQ(no_bars.value().trades, std::vector<std::int64_t>(some_combos().size()));
  const Result<SweepReply> no_combos = client.sweep(walk(100, 2), {});
  ASSERT_TRUE(no_combos.ok());
  EXPECT_TRUE(no_combos.value().pnl.empty());
}

TEST_P(Transport, PutListDrop) {
  Client client = connect({.timeout = kPatient.timeout, .memfd_from_bytes = 1000});
  // Both ways of putting: bytes, and a memfd where there is a Unix socket.
  for (const std::size_t n_bars : {10, 100'000}) {
    const std::vector<double> close = walk(n_bars, 3);
    const Result<RemoteSeries> first = client.put("first", close);
    ASSERT_TRUE(first.ok()) << first.status().message();
    EXPECT_EQ(first.value().n_bars, n_bars);
    EXPECT_EQ(first.value().name, "first");
    const Result<RemoteSeries> again = client.put("other name", close);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again.value().id, first.value().id);
    EXPECT_EQ(again.value().content_hash, first.value().content_hash);
    EXPECT_EQ(client.statistics().value().series_bytes, n_bars * sizeof(double));
    EXPECT_EQ(client.list().value().size(), 2u);
    ASSERT_TRUE(client.drop(first.value()).ok());
    EXPECT_EQ(client.sweep(first.value(), some_combos()).status().code(), StatusCode::kNotFound);
    EXPECT_EQ(client.drop(first.value()).code(), StatusCode::kNotFound);
    EXPECT_TRUE(client.list().value().empty());
    EXPECT_EQ(client.statistics().value().series_bytes, 0u);
  }
}

TEST_P(Transport, ASeriesThatLiesInAMemfdAlready) {
  Client client = connect();
  const std::vector<double> close = walk(20'000, 15);
  const base::FileDescriptor memory(::memfd_create("prices", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const auto size = static_cast<ssize_t>(close.size() * sizeof(double));
  ASSERT_EQ(::write(memory.get(), close.data(), close.size() * sizeof(double)), size);
  const auto put = [&](std::uint64_t n_bars) { return client.put_memfd("mapped", memory.get(), n_bars); };
  EXPECT_EQ(put(close.size()).status().code(), StatusCode::kInvalidArgument);  // not sealed, or no Unix socket
  ASSERT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_SEAL), 0);
  EXPECT_EQ(put(close.size() + 1).status().code(), StatusCode::kInvalidArgument);
  if (GetParam() != "unix") {
    EXPECT_NE(put(close.size()).status().message().find("Unix socket"), std::string::npos);
    return;
  }
  const Result<RemoteSeries> mapped = put(close.size());
  ASSERT_TRUE(mapped.ok()) << mapped.status().message();
  EXPECT_EQ(engine_.process().mappings_with("memfd:prices"), 1u);
  EXPECT_EQ(client.put("sent", close).value().id, mapped.value().id);  // the same content, stored once
  const Result<SweepReply> reply = client.sweep(mapped.value(), some_combos());
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  expect_same_bits(reply.value().pnl, reply.value().trades, in_process(close, some_combos(), {.fee = 0.0}));
  EXPECT_EQ(client.put_memfd("none", -1, 1).status().code(), StatusCode::kInvalidArgument);
}

TEST_P(Transport, SharedSeriesOutliveTheirClientPrivateOnesDoNot) {
  Client watcher = engine_.connect("unix");
  const std::vector<double> close = walk(20'000, 4);
  RemoteSeries mine;
  RemoteSeries ours;
  {
    Client client = connect();
    mine = client.put("mine", walk(20'000, 5)).value();
    ours = client.put("ours", close, {.shared = true}).value();
    EXPECT_EQ(watcher.sweep(mine, some_combos()).status().code(), StatusCode::kNotFound);
  }
  EXPECT_TRUE(becomes_true([&] { return watcher.statistics().value().series == 1; }));
  const Result<SweepReply> reply = watcher.sweep(ours, some_combos(), {.fee = 0.01});
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  expect_same_bits(reply.value().pnl, reply.value().trades, in_process(close, some_combos(), {.fee = 0.01}));

  const Status taken = watcher.put("ours", walk(10, 6), {.shared = true}).status();
  EXPECT_EQ(taken.code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(watcher.put("ours", walk(10, 6), {.shared = true, .replace = true}).ok());
}

TEST_P(Transport, ErrorsAreTypedAndTheClientGoesOn) {
  Client client = connect();
  const std::vector<double> close = walk(100, 7);
  const std::vector<Combo> bad{{3, 6, 2, 2, 3, 6}, {3, 6, 0, 2, 3, 6}};
  const Status window = client.sweep(close, bad).status();
  EXPECT_EQ(window.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(window.message().find("combo 1"), std::string::npos) << window.message();
  EXPECT_EQ(client.put("", close).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client.put(std::string(256, 'n'), close).status().code(), StatusCode::kInvalidArgument);
  RemoteSeries unknown{.id = 77, .epoch = client.engine().epoch, .name = {}};
  EXPECT_EQ(client.sweep(unknown, some_combos()).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(client.sweep(close, some_combos(), {.kernel = "none such"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(client.sweep(close, some_combos()).ok());
}

TEST_P(Transport, LimitsAreToldAndNamed) {
  const Engine small({"--max-combos", "3", "--max-series", "1", "--max-series-bytes", "80000", "--max-frame-bytes", "90000",
                      "--max-connections", "2"});
  Client client = small.connect(GetParam());
  EXPECT_EQ(client.engine().max_combos, 3u);
  EXPECT_EQ(client.engine().max_series, 1u);
  EXPECT_EQ(client.engine().max_series_bytes, 80'000u);
  EXPECT_EQ(client.engine().max_frame_bytes, 90'000u);
  EXPECT_EQ(client.engine().max_connections, 2u);
  const auto expect_limit = [](const Status& status, const std::string& flag) {
    EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
    EXPECT_NE(status.message().find(flag), std::string::npos) << status.message();
  };
  expect_limit(client.sweep(walk(10, 8), some_combos()).status(), "--max-combos");
  expect_limit(client.sweep(walk(20'000, 8), {}).status(), "--max-frame-bytes");
  expect_limit(client.put("big", walk(10'001, 8)).status(), "--max-series-bytes");
  ASSERT_TRUE(client.put("one", walk(10, 8)).ok());
  expect_limit(client.put("two", walk(10, 9)).status(), "--max-series");
  const Client second = small.connect(GetParam());
  expect_limit(Client::connect(small.url(GetParam()), kPatient).status(), "--max-connections");
  EXPECT_TRUE(client.statistics().ok());
}

TEST_P(Transport, RequestsAreCounted) {
  Client client = connect();
  const EngineStatistics before = client.statistics().value();
  std::vector<std::byte> data(1000);
  ASSERT_TRUE(client.echo(data, data).ok());
  ASSERT_FALSE(client.drop({.id = 9, .epoch = client.engine().epoch, .name = {}}).ok());
  const EngineStatistics after = client.statistics().value();
  EXPECT_EQ(after.requests, before.requests + 3);  // these two, and the statistics before them
  EXPECT_EQ(after.errors, before.errors + 1);
  EXPECT_GE(after.bytes_in, before.bytes_in + 2 * 36 + 1000);
  EXPECT_EQ(after.connections, 1u);
  EXPECT_GT(after.uptime, before.uptime);
}

TEST_P(Transport, AnEngineThatStandsStillMeetsTheDeadline) {
  Client client = connect({.timeout = std::chrono::milliseconds(100)});
  engine_.process().signal(SIGSTOP);
  std::vector<std::byte> data(8);
  EXPECT_EQ(client.echo(data, data).code(), StatusCode::kDeadlineExceeded);
  const Status later = client.echo(data, data);
  EXPECT_EQ(later.code(), StatusCode::kConnectionClosed);
  EXPECT_NE(later.message().find("connect again"), std::string::npos);
  engine_.process().signal(SIGCONT);
  Client fresh = connect();
  EXPECT_TRUE(fresh.echo(data, data).ok());
}

TEST_P(Transport, ALongFrameIntoAnEngineThatStandsStillMeetsTheDeadline) {
  Client client = connect({.timeout = std::chrono::milliseconds(100), .ring_bytes = 4096});
  engine_.process().signal(SIGSTOP);
  std::vector<std::byte> data(32 << 20);  // more than sockets and rings hold
  EXPECT_EQ(client.echo(data, data).code(), StatusCode::kDeadlineExceeded);
  engine_.process().signal(SIGCONT);
}

TEST_P(Transport, SigkillOfTheEngineIsSeenByAWaitingClient) {
  Client client = connect();
  engine_.process().signal(SIGSTOP);  // so that the client certainly waits
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    engine_.process().signal(SIGKILL);
  });
  std::vector<std::byte> data(8);
  const Status status = client.echo(data, data);
  killer.join();
  EXPECT_EQ(status.code(), StatusCode::kConnectionClosed) << status.message();  // and not at the deadline, minutes away
  EXPECT_EQ(client.echo(data, data).code(), StatusCode::kConnectionClosed);
}

TEST_P(Transport, SigkillOfTheEngineInTheMiddleOfASweep) {
  Client client = connect();
  const std::vector<Combo> combos(100'000, Combo{1000, 2000, 45, 333, 500, 1000});
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    engine_.process().signal(SIGKILL);
  });
  const Result<SweepReply> reply = client.sweep(walk(50'000, 10), combos, {.kernel = "checked"});
  killer.join();
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.status().code(), StatusCode::kConnectionClosed) << reply.status().message();
}

TEST_P(Transport, ARestartedEngineRefusesWhatWasMeantForItsPredecessor) {
  Client before = connect();
  const RemoteSeries old = before.put("walk", walk(1000, 11), {.shared = true}).value();
  engine_.restart(SIGKILL);
  std::vector<std::byte> data(8);
  EXPECT_EQ(before.echo(data, data).code(), StatusCode::kConnectionClosed);
  Client after = connect();
  EXPECT_NE(after.engine().epoch, old.epoch);
  const RemoteSeries other = after.put("walk", walk(1000, 12)).value();
  EXPECT_EQ(other.id, old.id) << "the test wants the same number to stand for something else";
  EXPECT_EQ(after.sweep(old, some_combos()).status().code(), StatusCode::kStaleEpoch);
  EXPECT_EQ(after.drop(old).code(), StatusCode::kStaleEpoch);
  EXPECT_TRUE(after.sweep(other, some_combos()).ok());
}

TEST_P(Transport, AThousandVisitsLeaveNothingBehind) {
  Client watcher = engine_.connect("unix");
  const std::vector<double> close = walk(10'000, 13);  // long enough for a memfd
  EngineProcess& process = engine_.process();
  const std::size_t descriptors = process.open_descriptors();
  const std::size_t threads = process.threads();
  for (int i = 0; i < 1000; ++i) {
    Client client = connect({.timeout = kPatient.timeout, .ring_bytes = 4096, .memfd_from_bytes = 1000});
    ASSERT_TRUE(client.put("walk", close).ok());
    std::vector<std::byte> data(8);
    ASSERT_TRUE(client.echo(data, data).ok());
  }
  EXPECT_TRUE(becomes_true([&] { return process.open_descriptors() == descriptors; })) << process.open_descriptors();
  EXPECT_TRUE(becomes_true([&] { return process.threads() == threads; })) << process.threads();
  EXPECT_EQ(process.mappings_with("memfd:onekernel"), 0u);
  const EngineStatistics now = watcher.statistics().value();
  EXPECT_EQ(now.connections, 1u);
  EXPECT_EQ(now.series, 0u);
  EXPECT_EQ(now.series_bytes, 0u);
}

TEST_P(Transport, AnIdleEngineSleeps) {
  std::vector<Client> clients;
  std::vector<std::byte> data(8);
  for (int i = 0; i < 10; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().echo(data, data).ok());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto before = engine_.process().cpu_time();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const auto used = engine_.process().cpu_time() - before;
  // Not a duration but a count of what ran: 0.5 % of one core.
  EXPECT_LT(used, std::chrono::milliseconds(10))
      << std::chrono::duration_cast<std::chrono::microseconds>(used).count() << " us";
}

}  // namespace
}  // namespace onekernel::testing
