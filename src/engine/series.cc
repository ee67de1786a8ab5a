#include "engine/series.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "base/system_error.h"
#include "engine/content_hash.h"

namespace onekernel::engine {
namespace {

class OwnedSeries final : public Series {
 public:
  OwnedSeries(std::unique_ptr<double[]> memory, std::size_t n_bars)
      : Series({memory.get(), n_bars}), memory_(std::move(memory)) {}

 private:
  std::unique_ptr<double[]> memory_;
};

class Mapping {
 public:
  Mapping(void* address, std::size_t size) : address_(address), size_(size) {}
  Mapping(Mapping&& other) noexcept : address_(std::exchange(other.address_, nullptr)), size_(other.size_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (address_ != nullptr) ::munmap(address_, size_);
  }
  const double* data() const { return static_cast<const double*>(address_); }

 private:
  void* address_;
  std::size_t size_;
};

class MappedSeries final : public Series {
 public:
  MappedSeries(Mapping mapping, std::size_t n_bars) : Series({mapping.data(), n_bars}), mapping_(std::move(mapping)) {}

 private:
  Mapping mapping_;
};

Status check_seals(int memory) {
  constexpr int kNeeded = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_SEAL;
  const int seals = ::fcntl(memory, F_GET_SEALS);
  if (seals < 0) return {StatusCode::kInvalidArgument, "the descriptor that came along is no memfd that can be sealed"};
  if ((seals & kNeeded) != kNeeded) {
    return {StatusCode::kInvalidArgument,
            "the memfd lacks a seal: it needs F_SEAL_WRITE, F_SEAL_SHRINK and F_SEAL_SEAL, so that the prices cannot change"};
  }
  return {};
}

// Has the pages mapped before the hash runs over them, which it does faster in one go.
void touch(const volatile std::byte* memory, std::size_t size) {
  constexpr std::size_t kMappedAtOneFault = 64 * 1024;
  for (std::size_t at = 0; at < size; at += kMappedAtOneFault) static_cast<void>(memory[at]);
}

}  // namespace

Series::Series(std::span<const double> close) : close_(close), content_hash_(engine::content_hash(std::as_bytes(close))) {}

Result<std::shared_ptr<const Series>> Series::copy(std::span<const double> close) {
  std::unique_ptr<double[]> memory(new (std::nothrow) double[std::max<std::size_t>(close.size(), 1)]);
  if (memory == nullptr) {
    return Status(StatusCode::kUnavailable, "no memory for a series of " + std::to_string(close.size()) + " bars");
  }
  std::copy(close.begin(), close.end(), memory.get());
  return std::shared_ptr<const Series>(std::make_shared<OwnedSeries>(std::move(memory), close.size()));
}

Result<std::shared_ptr<const Series>> Series::map(const base::FileDescriptor& memory, std::uint64_t n_bars) {
  if (!memory.valid()) return Status(StatusCode::kInvalidArgument, "no descriptor came along with the frame");
  if (Status seals = check_seals(memory.get()); !seals.ok()) return seals;
  struct stat found {};
  if (::fstat(memory.get(), &found) != 0) return base::system_error("cannot look at the memfd", errno);
  const auto bytes = static_cast<std::uint64_t>(found.st_size);
  if (n_bars > bytes / sizeof(double)) {
    return Status(StatusCode::kInvalidArgument,
                  "the memfd holds " + std::to_string(bytes) + " bytes, too few for " + std::to_string(n_bars) + " bars");
  }
  if (n_bars == 0) return copy({});
  const auto size = static_cast<std::size_t>(n_bars * sizeof(double));
  // Not populated (MAP_POPULATE): looking at one byte in sixteen pages, as many as the kernel maps at one fault, takes half as
  // long.
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, memory.get(), 0);
  if (address == MAP_FAILED) return base::system_error("cannot map the memfd", errno);
  touch(static_cast<const volatile std::byte*>(address), size);
  return std::shared_ptr<const Series>(
      std::make_shared<MappedSeries>(Mapping(address, size), static_cast<std::size_t>(n_bars)));
}

}  // namespace onekernel::engine
