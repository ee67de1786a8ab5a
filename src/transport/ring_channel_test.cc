#include "transport/ring_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace onekernel::transport {
namespace {

using namespace std::chrono_literals;

base::FileDescriptor copy(int fd) { return base::FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

// Both ends of a connection in one process, over the same memory and a socket pair.
class Pair {
 public:
  explicit Pair(RingChannel::Waiting server = {}, RingChannel::Waiting client = {}) {
    std::array<int, 2> ends;
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    server_socket.reset(ends[0]);
    client_socket.reset(ends[1]);
    SharedMemory created = std::move(SharedMemory::create(1 << 16)).value();
    const std::array<int, 3> fds = created.descriptors();
    Result<SharedMemory> adopted = SharedMemory::adopt({copy(fds[0]), copy(fds[1]), copy(fds[2])}, created.ring_bytes());
    EXPECT_TRUE(adopted.ok());
    server_side.emplace(std::move(created), RingChannel::Side::kServer, server_socket.get(), server);
    client_side.emplace(std::move(adopted).value(), RingChannel::Side::kClient, client_socket.get(), client);
  }

  base::FileDescriptor server_socket, client_socket;
  std::optional<RingChannel> server_side, client_side;
};

Status write(ByteChannel& channel, std::span<const std::byte> bytes) { return channel.write_all({&bytes, 1}); }

std::vector<std::byte> read_exactly(ByteChannel& channel, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t at = 0; at < count;) {
    const Result<std::size_t> got = channel.read_some(std::span(bytes).subspan(at));
    if (!got.ok() || got.value() == 0) return {};
    at += got.value();
  }
  return bytes;
}

void echo_until_the_end(ByteChannel& channel) {
  std::array<std::byte, 5000> buffer;
  for (;;) {
    const Result<std::size_t> got = channel.read_some(buffer);
    if (!got.ok() || got.value() == 0) return;
    if (!write(channel, std::span(buffer).first(got.value())).ok()) return;
  }
}

class WaitingPolicies : public testing::TestWithParam<std::pair<std::chrono::nanoseconds, std::chrono::nanoseconds>> {};

TEST_P(WaitingPolicies, EverySizeComesBack) {
  const auto [server_spin, client_spin] = GetParam();
  Pair pair({.spin = server_spin}, {.spin = client_spin});
  std::thread server([&] { echo_until_the_end(*pair.server_side); });
  for (const std::size_t size : {1u, 8u, 47u, 48u, 49u, 1000u, 65'536u, 16'384u, 16'385u}) {
    for (int round = 0; round < 50; ++round) {
      const std::vector<std::byte> sent(size, static_cast<std::byte>(round + 1));
      ASSERT_TRUE(write(*pair.client_side, sent).ok());
      ASSERT_EQ(read_exactly(*pair.client_side, size), sent) << size;
    }
  }
  ::shutdown(pair.client_socket.get(), SHUT_RDWR);
  server.join();
}

INSTANTIATE_TEST_SUITE_P(RingChannel, WaitingPolicies,
                         testing::Values(std::pair(0ns, 0ns), std::pair(200us, 200us), std::pair(0ns, 200us),
                                         std::pair(200us, 0ns)));

TEST(RingChannel, AFrameLargerThanTheRingPassesInPieces) {
  Pair pair;
  const std::vector<std::byte> sent(1 << 20, std::byte{7});
  std::thread writer([&] { EXPECT_TRUE(write(*pair.client_side, sent).ok()); });
  EXPECT_EQ(read_exactly(*pair.server_side, sent.size()), sent);
  writer.join();
}

TEST(RingChannel, ThePeersDeathEndsAWaitForBytes) {
  Pair pair;
  std::thread killer([&] {
    std::this_thread::sleep_for(30ms);
    pair.client_socket.reset();
  });
  std::array<std::byte, 8> into;
  const Result<std::size_t> got = pair.server_side->read_some(into);
  killer.join();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value(), 0u);
}

TEST(RingChannel, ThePeersDeathEndsAWaitForRoom) {
  Pair pair;
  std::thread killer([&] {
    std::this_thread::sleep_for(30ms);
    pair.client_socket.reset();
  });
  const std::vector<std::byte> endless(1 << 20);
  EXPECT_EQ(write(*pair.server_side, endless).code(), StatusCode::kConnectionClosed);
  killer.join();
}

TEST(RingChannel, WhatWasWrittenBeforeADeathIsStillRead) {
  Pair pair;
  const std::vector<std::byte> sent(100, std::byte{3});
  ASSERT_TRUE(write(*pair.client_side, sent).ok());
  pair.client_socket.reset();
  EXPECT_EQ(read_exactly(*pair.server_side, 100), sent);
  EXPECT_TRUE(read_exactly(*pair.server_side, 1).empty());
}

TEST(RingChannel, PatienceIsLimited) {
  Pair pair({.spin = 0ns, .patience = 20ms});
  std::array<std::byte, 8> into;
  EXPECT_EQ(pair.server_side->read_some(into).status().code(), StatusCode::kDeadlineExceeded);
  const std::vector<std::byte> endless(1 << 20);
  EXPECT_EQ(write(*pair.server_side, endless).code(), StatusCode::kDeadlineExceeded);
}

TEST(RingChannel, EndReadingWakesTheReader) {
  Pair pair;
  std::thread stopper([&] {
    std::this_thread::sleep_for(30ms);
    pair.server_side->end_reading();
  });
  std::array<std::byte, 8> into;
  const Result<std::size_t> got = pair.server_side->read_some(into);
  stopper.join();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value(), 0u);
}

TEST(RingChannel, IdlingCostsNoTimeOnTheProcessor) {
  Pair pair({.spin = 1ms, .patience = 300ms});
  timespec before{}, after{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  std::array<std::byte, 8> into;
  EXPECT_FALSE(pair.server_side->read_some(into).ok());
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const double used_s =
      static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
  EXPECT_LT(used_s, 0.1) << "of 0.3 s: the spin is bounded, the rest is sleep";
}

TEST(SharedMemory, WhatIsNotSealedOrTooSmallIsNotAdopted) {
  const auto adopt = [](unsigned seals, std::size_t size, std::size_t ring_bytes) {
    base::FileDescriptor memory(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(::ftruncate(memory.get(), static_cast<off_t>(size)), 0);
    EXPECT_EQ(::fcntl(memory.get(), F_ADD_SEALS, seals), 0);
    return SharedMemory::adopt({std::move(memory), copy(STDOUT_FILENO), copy(STDOUT_FILENO)}, ring_bytes).ok();
  };
  constexpr unsigned kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const std::size_t size = 2 * Ring::bytes(4096);
  EXPECT_TRUE(adopt(kSeals, size, 4096));
  EXPECT_FALSE(adopt(F_SEAL_GROW | F_SEAL_SEAL, size, 4096));
  EXPECT_FALSE(adopt(kSeals, size - 1, 4096));
  EXPECT_FALSE(adopt(kSeals, size, 5000));
  EXPECT_FALSE(adopt(kSeals, size, 0));
  EXPECT_FALSE(SharedMemory::adopt({base::FileDescriptor(), base::FileDescriptor(), base::FileDescriptor()}, 4096).ok());
}

}  // namespace
}  // namespace onekernel::transport
