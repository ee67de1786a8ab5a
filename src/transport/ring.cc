#include "transport/ring.h"

#include <algorithm>
#include <cstring>

namespace onekernel::transport {
namespace {

// A message takes at most this share of the bulk ring, so that reader and writer work at the same time on a long frame.
constexpr std::size_t kMessagesInBulk = 4;

void copy_in(std::span<std::byte> bulk, std::uint64_t at, Outgoing& from, std::size_t size) {
  const std::size_t start = at & (bulk.size() - 1);
  const std::size_t first = std::min(size, bulk.size() - start);
  from.copy(bulk.data() + start, first);
  from.copy(bulk.data(), size - first);
}

void copy_out(std::span<const std::byte> bulk, std::uint64_t at, std::span<std::byte> into) {
  const std::size_t start = at & (bulk.size() - 1);
  const std::size_t first = std::min(into.size(), bulk.size() - start);
  std::memcpy(into.data(), bulk.data() + start, first);
  std::memcpy(into.data() + first, bulk.data(), into.size() - first);
}

}  // namespace

Result<bool> RingWriter::try_write(Outgoing& from) {
  if (from.left() == 0) return true;
  const std::size_t wanted = std::min(from.left(), ring_.bulk.size() / kMessagesInBulk);
  const bool is_inline = from.left() <= RingCell::kInline;
  const auto no_room = [&] {
    return cells_ - cells_consumed_ >= RingLines::kCells || (!is_inline && bulk_ - bulk_consumed_ > ring_.bulk.size() - wanted);
  };
  if (no_room()) {
    if (Status status = look_at_reader(); !status.ok()) return status;
    if (no_room()) return false;
  }
  RingCell& cell = ring_.lines->cells[cells_ % RingLines::kCells];
  if (is_inline) {
    cell.inline_size = static_cast<std::uint32_t>(from.left());
    cell.bulk_size = 0;
    from.copy(cell.data, from.left());
  } else {
    cell.inline_size = 0;
    cell.bulk_size = static_cast<std::uint32_t>(wanted);
    copy_in(ring_.bulk, bulk_, from, wanted);
    bulk_ += wanted;
  }
  cell.stamp.store(++cells_, std::memory_order_release);
  return true;
}

Status RingWriter::look_at_reader() {
  const std::uint64_t cells = ring_.lines->reader.cells.load(std::memory_order_acquire);
  const std::uint64_t bulk = ring_.lines->reader.bulk.load(std::memory_order_acquire);
  const bool sane = cells >= cells_consumed_ && cells <= cells_ && bulk >= bulk_consumed_ && bulk <= bulk_;
  if (!sane) return {StatusCode::kMalformedFrame, "the other side's counters in the shared memory make no sense"};
  cells_consumed_ = cells;
  bulk_consumed_ = bulk;
  return {};
}

bool RingReader::ready() const {
  return open_ || ring_.lines->cells[cells_ % RingLines::kCells].stamp.load(std::memory_order_acquire) == cells_ + 1;
}

Result<std::size_t> RingReader::try_read(std::span<std::byte> into) {
  if (!ready()) return std::size_t{0};
  if (!open_) {
    if (Status status = open_message(); !status.ok()) return status;
  }
  const std::size_t copied = inline_left_ > 0 ? copy_inline(into) : copy_bulk(into);
  close_message_if_done();
  return copied;
}

Status RingReader::open_message() {
  const RingCell& cell = ring_.lines->cells[cells_ % RingLines::kCells];
  // Copied first: the writer could change the cell between a check and a use.
  inline_left_ = static_cast<const volatile std::uint32_t&>(cell.inline_size);
  bulk_left_ = static_cast<const volatile std::uint32_t&>(cell.bulk_size);
  inline_done_ = 0;
  const bool sane =
      inline_left_ <= RingCell::kInline && bulk_left_ <= ring_.bulk.size() && (inline_left_ == 0) != (bulk_left_ == 0);
  if (!sane) return {StatusCode::kMalformedFrame, "a cell of the shared memory makes no sense"};
  open_ = true;
  return {};
}

std::size_t RingReader::copy_inline(std::span<std::byte> into) {
  const RingCell& cell = ring_.lines->cells[cells_ % RingLines::kCells];
  const std::size_t size = std::min(into.size(), inline_left_);
  std::memcpy(into.data(), cell.data + inline_done_, size);
  inline_done_ += size;
  inline_left_ -= size;
  return size;
}

std::size_t RingReader::copy_bulk(std::span<std::byte> into) {
  const std::size_t size = std::min(into.size(), bulk_left_);
  copy_out(ring_.bulk, bulk_, into.first(size));
  bulk_ += size;
  bulk_left_ -= size;
  ring_.lines->reader.bulk.store(bulk_, std::memory_order_release);
  return size;
}

void RingReader::close_message_if_done() {
  if (inline_left_ > 0 || bulk_left_ > 0) return;
  open_ = false;
  ring_.lines->reader.cells.store(++cells_, std::memory_order_release);
}

}  // namespace onekernel::transport
