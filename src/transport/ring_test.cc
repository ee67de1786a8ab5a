#include "transport/ring.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "transport/shared_memory.h"

namespace onekernel::transport {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// Writes all of `text`, one message if it fits.
bool write(RingWriter& writer, const std::string& text) {
  const std::span<const std::byte> part = bytes_of(text);
  Outgoing cursor({&part, 1});
  while (cursor.left() > 0) {
    const Result<bool> written = writer.try_write(cursor);
    if (!written.ok() || !written.value()) return false;
  }
  return true;
}

std::string read(RingReader& reader, std::size_t at_most = 1 << 20) {
  std::string into(at_most, '\0');
  const Result<std::size_t> got = reader.try_read(std::as_writable_bytes(std::span(into)));
  EXPECT_TRUE(got.ok());
  into.resize(got.ok() ? got.value() : 0);
  return into;
}

class RingTest : public testing::Test {
 protected:
  SharedMemory memory_ = std::move(SharedMemory::create(4096)).value();
  Ring ring_ = memory_.to_server();
  RingWriter writer_{ring_};
  RingReader reader_{ring_};
};

TEST_F(RingTest, MessagesOfEverySizeArriveInOrder) {
  for (std::size_t size = 1; size <= 1024; ++size) {
    const std::string sent(size, static_cast<char>('a' + size % 26));
    ASSERT_TRUE(write(writer_, sent)) << size;
    EXPECT_EQ(read(reader_), sent) << size;
  }
  EXPECT_EQ(read(reader_), "");
}

TEST_F(RingTest, AMessageMayBeReadInPieces) {
  for (const std::size_t size : {40u, 700u}) {
    const std::string sent(size, 'x');
    ASSERT_TRUE(write(writer_, sent));
    std::string received;
    for (std::string piece = read(reader_, 7); !piece.empty(); piece = read(reader_, 7)) received += piece;
    EXPECT_EQ(received, sent);
  }
}

TEST_F(RingTest, PartsAreOneMessage) {
  const std::string first = "head", second = "tail";
  const std::array<std::span<const std::byte>, 3> parts{bytes_of(first), {}, bytes_of(second)};
  Outgoing cursor(parts);
  ASSERT_TRUE(writer_.try_write(cursor).value());
  EXPECT_EQ(read(reader_), "headtail");
}

TEST_F(RingTest, AFullRingTakesNothingAndLosesNothing) {
  std::size_t small = 0;
  while (write(writer_, "m" + std::to_string(small))) ++small;
  EXPECT_EQ(small, RingLines::kCells);
  for (std::size_t i = 0; i < small; ++i) EXPECT_EQ(read(reader_), "m" + std::to_string(i));
  std::size_t large = 0;
  while (write(writer_, std::string(1000, 'L'))) ++large;
  EXPECT_EQ(large, 4u);
  for (std::size_t i = 0; i < large; ++i) EXPECT_EQ(read(reader_), std::string(1000, 'L'));
  EXPECT_TRUE(write(writer_, "again"));
  EXPECT_EQ(read(reader_), "again");
}

TEST_F(RingTest, NonsenseInACellIsAnError) {
  struct Nonsense {
    std::uint32_t inline_size, bulk_size;
  };
  for (const Nonsense nonsense : {Nonsense{49, 0}, {0, 4097}, {0xFFFFFFFF, 0}, {0, 0xFFFFFFFF}, {0, 0}, {1, 1}}) {
    SharedMemory memory = std::move(SharedMemory::create(4096)).value();
    RingReader reader(memory.to_server());
    RingCell& cell = memory.to_server().lines->cells[0];
    cell.inline_size = nonsense.inline_size;
    cell.bulk_size = nonsense.bulk_size;
    cell.stamp.store(1);
    std::array<std::byte, 64> into;
    const Result<std::size_t> got = reader.try_read(into);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.status().code(), StatusCode::kMalformedFrame);
  }
}

TEST_F(RingTest, NonsenseInTheReadersLineIsAnError) {
  while (write(writer_, "m")) {
  }
  for (const std::uint64_t cells : {std::uint64_t{257}, ~std::uint64_t{0}}) {
    ring_.lines->reader.cells.store(cells);
    const std::string text = "m";
    const std::span<const std::byte> part = bytes_of(text);
    Outgoing cursor({&part, 1});
    const Result<bool> written = writer_.try_write(cursor);
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.status().code(), StatusCode::kMalformedFrame);
  }
}

TEST_F(RingTest, TwoThreadsPassAMillionBytesInRandomPieces) {
  std::vector<std::byte> sent(1'000'000);
  std::mt19937 random(1);
  for (std::byte& byte : sent) byte = static_cast<std::byte>(random());
  std::thread producer([&] {
    std::mt19937 sizes(2);
    for (std::size_t at = 0; at < sent.size();) {
      const std::size_t size = std::min<std::size_t>(sizes() % 3000 + 1, sent.size() - at);
      const std::span<const std::byte> part = std::span(sent).subspan(at, size);
      Outgoing cursor({&part, 1});
      while (cursor.left() > 0) {
        if (!writer_.try_write(cursor).value()) std::this_thread::yield();
      }
      at += size;
    }
  });
  std::vector<std::byte> received(sent.size());
  std::mt19937 sizes(3);
  for (std::size_t at = 0; at < received.size();) {
    const std::size_t size = std::min<std::size_t>(sizes() % 2000 + 1, received.size() - at);
    const std::size_t got = reader_.try_read(std::span(received).subspan(at, size)).value();
    if (got == 0) std::this_thread::yield();
    at += got;
  }
  producer.join();
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace onekernel::transport
