// Clients that die or lie in the middle of a write into shared memory: the engine frees what was theirs and serves the others.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/fixture.h"
#include "transport/connector.h"
#include "transport/ring_channel.h"
#include "transport/shared_memory.h"
#include "wire/classic.h"
#include "wire/session.h"

namespace onekernel::testing {
namespace {

// A client's end of shared memory, without any manners.
class RawClient {
 public:
  explicit RawClient(const std::string& socket_path)
      : socket_(transport::connect(transport::UnixEndpoint{socket_path}, std::chrono::minutes(1)).value(),
                std::chrono::minutes(1)) {
    epoch_ = call(wire::SessionOpcode::kHello, {}).first.epoch;
    const wire::AttachRequest request{.ring_bytes = 4096};
    const auto [header, payload] = call(wire::SessionOpcode::kAttach, std::as_bytes(std::span(&request, 1)));
    wire::AttachReply reply;
    std::memcpy(&reply, payload.data(), sizeof(reply));
    std::array<base::FileDescriptor, 3> descriptors;
    for (auto& descriptor : descriptors) descriptor = socket_.take_descriptor();
    memory_.emplace(transport::SharedMemory::adopt(std::move(descriptors), reply.ring_bytes).value());
    writer_.emplace(memory_->to_server());
  }

  transport::RingLines& to_server() { return *memory_->to_server().lines; }
  transport::RingLines& to_client() { return *memory_->to_client().lines; }
  void ring_the_bell() const {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(memory_->server_bell(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  }
  // Publishes a message of the ring, whatever it holds.
  void publish(std::span<const std::byte> bytes) {
    transport::Outgoing cursor({&bytes, 1});
    while (cursor.left() > 0) {
      static_cast<void>(writer_->try_write(cursor).value());  // false: until the engine has made room
      ring_the_bell();
    }
  }
  void send_over_the_socket(std::span<const std::byte> bytes) { ASSERT_TRUE(socket_.write_all({&bytes, 1}).ok()); }

  std::vector<std::byte> echo_frame(std::size_t payload) const {
    const wire::RequestHeader header{
        .opcode = static_cast<std::uint8_t>(wire::SessionOpcode::kEcho), .request_id = 9, .epoch = epoch_};
    std::vector<std::byte> frame(wire::kLengthPrefixSize + sizeof(header) + payload);
    const auto length = wire::encode_length(static_cast<std::uint32_t>(sizeof(header) + payload));
    std::memcpy(frame.data(), length.data(), length.size());
    std::memcpy(frame.data() + length.size(), &header, sizeof(header));
    return frame;
  }
  // Waits until the engine has closed its end.
  bool engine_hangs_up() {
    std::array<std::byte, 16> dropped;
    const Result<std::size_t> got = socket_.read_some(dropped);
    return got.ok() && got.value() == 0;
  }

 private:
  std::pair<wire::ReplyHeader, std::vector<std::byte>> call(wire::SessionOpcode opcode, std::span<const std::byte> payload) {
    const wire::RequestHeader header{.opcode = static_cast<std::uint8_t>(opcode), .request_id = 1, .epoch = epoch_};
    const auto length = wire::encode_length(static_cast<std::uint32_t>(sizeof(header) + payload.size()));
    const std::array<std::span<const std::byte>, 3> parts{length, std::as_bytes(std::span(&header, 1)), payload};
    if (!socket_.write_all(parts).ok()) throw std::runtime_error("cannot write");
    std::array<std::byte, wire::kLengthPrefixSize> prefix;
    read(prefix);
    std::vector<std::byte> body(wire::decode_length(prefix));
    read(body);
    return {wire::decode_reply_header(body).value(), {body.begin() + wire::kSessionHeaderSize, body.end()}};
  }
  void read(std::span<std::byte> into) {
    while (!into.empty()) into = into.subspan(socket_.read_some(into).value());
  }

  transport::SocketChannel socket_;
  std::uint64_t epoch_ = 0;
  std::optional<transport::SharedMemory> memory_;
  std::optional<transport::RingWriter> writer_;
};

class HostileClient : public ::testing::Test {
 protected:
  HostileClient() : other_(engine_.connect("shm")), watcher_(engine_.connect("unix")) {
    EXPECT_TRUE(other_.statistics().ok());
    descriptors_ = engine_.process().open_descriptors();
    rings_ = ring_mappings();
  }

  std::size_t ring_mappings() { return engine_.process().mappings_with("memfd:onekernel-ring"); }
  std::string socket_path() { return engine_.process().unix_url().substr(5); }

  // Runs `misbehave`, which ends by SIGKILL, in a process of its own.
  void in_a_dying_process(const std::function<void(const std::string& socket_path)>& misbehave) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        misbehave(socket_path());
      } catch (...) {
      }
      ::_exit(3);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }

  void expect_all_freed_and_others_served() {
    EXPECT_TRUE(becomes_true([&] { return engine_.process().open_descriptors() == descriptors_; }));
    EXPECT_TRUE(becomes_true([&] { return ring_mappings() == rings_; }));
    EXPECT_TRUE(becomes_true([&] { return watcher_.statistics().value().connections == 2; }));
    EXPECT_EQ(watcher_.statistics().value().series, 0u);
    const std::vector<std::byte> data = some_bytes(100'000);
    std::vector<std::byte> back(data.size());
    EXPECT_TRUE(other_.echo(data, back).ok());
    EXPECT_EQ(data, back);
    EXPECT_TRUE(engine_.connect("shm").echo(data, back).ok());
  }

  Engine engine_;
  Client other_;
  Client watcher_;
  std::size_t descriptors_ = 0;
  std::size_t rings_ = 0;
};

TEST_F(HostileClient, DiesIdle) {
  in_a_dying_process([](const std::string& path) {
    const RawClient client(path);
    ::kill(::getpid(), SIGKILL);
  });
  expect_all_freed_and_others_served();
}

TEST_F(HostileClient, DiesWithHalfAFrameInTheRing) {
  in_a_dying_process([](const std::string& path) {
    RawClient client(path);
    const std::vector<std::byte> frame = client.echo_frame(1000);
    client.publish(std::span(frame).first(frame.size() / 2));
    ::kill(::getpid(), SIGKILL);
  });
  expect_all_freed_and_others_served();
}

TEST_F(HostileClient, DiesInTheMiddleOfWritingACell) {
  in_a_dying_process([](const std::string& path) {
    RawClient client(path);
    // All but the stamp, which is written last.
    client.to_server().cells[0].inline_size = 44;
    std::memset(client.to_server().cells[0].data, 0x15, 20);
    ::kill(::getpid(), SIGKILL);
  });
  expect_all_freed_and_others_served();
}

TEST_F(HostileClient, DiesWithASeriesOfItsOwnAndASweepRunning) {
  in_a_dying_process([](const std::string& path) {
    Client client = Client::connect("shm:" + path, kPatient).value();
    if (!client.put("mine", walk(20'000, 20)).ok()) throw std::runtime_error("put");
    std::thread([&] {
      static_cast<void>(
          client.sweep(walk(20'000, 21), std::vector<Combo>(50, {100, 200, 15, 66, 100, 200}), {.kernel = "checked"}));
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(::getpid(), SIGKILL);
  });
  expect_all_freed_and_others_served();
}

TEST_F(HostileClient, DiesWhileTheEngineWritesAReplyLargerThanTheRing) {
  in_a_dying_process([](const std::string& path) {
    RawClient client(path);
    const std::vector<std::byte> frame = client.echo_frame(3000);
    for (int i = 0; i < 2; ++i) client.publish(std::span(frame));  // more replies than the ring holds, and nobody reads
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(::getpid(), SIGKILL);
  });
  expect_all_freed_and_others_served();
}

// Each edit is a lie about the ring's state. The engine must end that conversation, and nothing else.
TEST_F(HostileClient, EditsTheRing) {
  const auto huge = std::numeric_limits<std::uint32_t>::max();
  const std::vector<std::function<void(RawClient&)>> edits{
      [&](RawClient& client) { client.to_server().cells[0].inline_size = huge; },
      [&](RawClient& client) { client.to_server().cells[0].bulk_size = huge; },
      [&](RawClient& client) {
        client.to_server().cells[0].inline_size = 48;
        client.to_server().cells[0].bulk_size = 4096;
      },
      [](RawClient&) {},  // a message of no bytes
  };
  for (const auto& edit : edits) {
    RawClient client(socket_path());
    edit(client);
    client.to_server().cells[0].stamp.store(1, std::memory_order_release);
    client.ring_the_bell();
    EXPECT_TRUE(client.engine_hangs_up());
  }
  expect_all_freed_and_others_served();
}

TEST_F(HostileClient, ClaimsToHaveReadWhatWasNeverWritten) {
  {
    RawClient client(socket_path());
    client.to_client().reader.cells.store(std::numeric_limits<std::uint64_t>::max());
    client.to_client().reader.bulk.store(12345);
    // The engine looks at these counters when the ring seems full: after more replies than it holds.
    for (int i = 0; i < 5; ++i) client.publish(client.echo_frame(1000));
    EXPECT_TRUE(client.engine_hangs_up());
  }
  expect_all_freed_and_others_served();
}

TEST_F(HostileClient, SpeaksOverTheSocketWhereOnlyRingsAreSpoken) {
  {
    RawClient client(socket_path());
    client.send_over_the_socket(client.echo_frame(8));
    EXPECT_TRUE(client.engine_hangs_up());
  }
  expect_all_freed_and_others_served();
}

}  // namespace
}  // namespace onekernel::testing
