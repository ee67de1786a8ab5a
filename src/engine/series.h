// One price series that somebody gave the engine to keep: immutable, aligned, owned memory or a mapping.
#ifndef ONEKERNEL_ENGINE_SERIES_H_
#define ONEKERNEL_ENGINE_SERIES_H_

#include <cstdint>
#include <memory>
#include <span>

#include "base/file_descriptor.h"
#include "onekernel/status.h"

namespace onekernel::engine {

class Series {
 public:
  // A copy of `close`. Errors: kUnavailable when there is no memory for it.
  static Result<std::shared_ptr<const Series>> copy(std::span<const double> close);

  // The first n_bars doubles of a memfd, mapped where they are. The memfd must be sealed against writing, shrinking and
  // further seals: then nobody can change the prices under a running sweep or take the pages away (which would be SIGBUS).
  // Errors: kInvalidArgument (not a memfd, a seal is missing, too short), kIo.
  static Result<std::shared_ptr<const Series>> map(const base::FileDescriptor& memory, std::uint64_t n_bars);

  virtual ~Series() = default;
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

  std::span<const double> close() const { return close_; }
  std::uint64_t content_hash() const { return content_hash_; }

 protected:
  explicit Series(std::span<const double> close);

 private:
  std::span<const double> close_;
  std::uint64_t content_hash_;
};

}  // namespace onekernel::engine

#endif  // ONEKERNEL_ENGINE_SERIES_H_
