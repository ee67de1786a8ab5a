// A ring in shared memory: one process (or thread) writes a stream of bytes, one reads it. No system call, no lock.
//
// Layout of one direction, in cache lines of 64 bytes:
//
//   [ReaderLine][SleepLine][SleepLine][kCells x Cell][bulk bytes]
//
// A message of at most 48 bytes lies in its cell, so that the reader gets stamp and bytes in one cache miss. A longer one lies
// in the bulk ring, and its cell tells how long it is. A cell is ready when its stamp is its absolute number plus one; numbers
// are 64 bits wide and never come again.
//
// The other side is not trusted: what it wrote is copied before it is checked, and only the copy is used. Nonsense in the ring
// is an error of the stream, never an access outside the ring.
#ifndef ONEKERNEL_TRANSPORT_RING_H_
#define ONEKERNEL_TRANSPORT_RING_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "onekernel/status.h"
#include "transport/outgoing.h"

namespace onekernel::transport {

inline constexpr std::size_t kCacheLine = 64;

struct alignas(kCacheLine) RingCell {
  static constexpr std::size_t kInline = 48;

  std::atomic<std::uint64_t> stamp;
  std::uint32_t inline_size;
  std::uint32_t bulk_size;
  std::byte data[kInline];
};
static_assert(sizeof(RingCell) == kCacheLine);

struct alignas(kCacheLine) ReaderLine {
  std::atomic<std::uint64_t> cells;  // consumed so far
  std::atomic<std::uint64_t> bulk;
};

// Set by one side before it falls asleep, read by the other at every message: a line of its own for each, which then stays in
// the cache of the side that reads it.
//
// Both sides use read-modify-write operations: either the sleeper's comes second and sees what was written before the other's,
// or the other's comes second and sees the sleeper. No wake-up is lost, and no fence is needed.
struct alignas(kCacheLine) SleepLine {
  std::atomic<std::uint32_t> asleep;

  void announce() { asleep.exchange(1, std::memory_order_acq_rel); }
  void revoke() { asleep.store(0, std::memory_order_relaxed); }
  bool somebody_sleeps() { return asleep.fetch_or(0, std::memory_order_acq_rel) != 0; }
};

struct RingLines {
  static constexpr std::size_t kCells = 256;

  ReaderLine reader;
  SleepLine reader_sleep;
  SleepLine writer_sleep;
  std::array<RingCell, kCells> cells;
};

// One direction of the shared memory. `bulk` has a power of two of bytes.
struct Ring {
  RingLines* lines = nullptr;
  std::span<std::byte> bulk;

  static constexpr std::size_t bytes(std::size_t bulk_bytes) { return sizeof(RingLines) + bulk_bytes; }
};

class RingWriter {
 public:
  explicit RingWriter(Ring ring) : ring_(ring) {}

  // Writes as much as there is room for, as one message. False if there was no room at all.
  // Errors: kMalformedFrame when the reader's line makes no sense.
  Result<bool> try_write(Outgoing& from);

  SleepLine& own_sleep() { return ring_.lines->writer_sleep; }
  SleepLine& other_sleep() { return ring_.lines->reader_sleep; }

 private:
  Status look_at_reader();

  Ring ring_;
  std::uint64_t cells_ = 0;  // written so far
  std::uint64_t bulk_ = 0;
  std::uint64_t cells_consumed_ = 0;  // as last seen
  std::uint64_t bulk_consumed_ = 0;
};

class RingReader {
 public:
  explicit RingReader(Ring ring) : ring_(ring) {}

  // Copies what has been written, at most one message; 0 if there is nothing.
  // Errors: kMalformedFrame when a cell makes no sense.
  Result<std::size_t> try_read(std::span<std::byte> into);
  bool ready() const;

  SleepLine& own_sleep() { return ring_.lines->reader_sleep; }
  SleepLine& other_sleep() { return ring_.lines->writer_sleep; }

 private:
  Status open_message();
  std::size_t copy_inline(std::span<std::byte> into);
  std::size_t copy_bulk(std::span<std::byte> into);
  void close_message_if_done();

  Ring ring_;
  std::uint64_t cells_ = 0;  // consumed so far
  std::uint64_t bulk_ = 0;
  bool open_ = false;
  std::size_t inline_done_ = 0;
  std::size_t inline_left_ = 0;
  std::size_t bulk_left_ = 0;
};

}  // namespace onekernel::transport

#endif  // ONEKERNEL_TRANSPORT_RING_H_
