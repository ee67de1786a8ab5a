// The series that clients have put: each content once, however many names and clients it has.
#ifndef ONEKERNEL_ENGINE_SERIES_STORE_H_
#define ONEKERNEL_ENGINE_SERIES_STORE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/series.h"
#include "onekernel/status.h"

namespace onekernel::engine {

struct StoreLimits {
  std::uint64_t max_series = 1024;
  std::uint64_t max_bytes = std::uint64_t{4} << 30;
};

// A series under its id. While somebody holds one, the memory stays, whatever happens to its names.
struct StoredSeries {
  std::uint64_t id;
  std::shared_ptr<const Series> series;
};
using StoredSeriesPtr = std::shared_ptr<const StoredSeries>;

struct NamedSeries {
  std::string name;
  StoredSeriesPtr stored;
  bool shared;
};

// Thread-safe. Must outlive its shelves and whatever they hand out.
class SeriesStore {
 public:
  explicit SeriesStore(StoreLimits limits) : limits_(limits) {}

  // The stored series with this content: the one that is there already, or this one under a new id.
  // Errors: kLimitExceeded, naming the limit.
  Result<StoredSeriesPtr> intern(std::shared_ptr<const Series> series);

  // Gives `stored` a name that every client sees and that stays until it is dropped.
  // Errors: kAlreadyExists when the name stands for another content and `replace` is false.
  Status share(const std::string& name, StoredSeriesPtr stored, bool replace);
  // True if any shared name stood for it.
  bool drop_shared(std::uint64_t id);
  StoredSeriesPtr find_shared(std::uint64_t id) const;
  std::vector<NamedSeries> list_shared() const;

  struct Usage {
    std::uint64_t series;
    std::uint64_t bytes;
  };
  Usage usage() const;

 private:
  void forget(const StoredSeries& stored);
  // Everything looked at is put into `held`, which must outlive the lock.
  StoredSeriesPtr find_equal(const Series& series, std::vector<StoredSeriesPtr>& held) const;

  StoreLimits limits_;
  mutable std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const StoredSeries>> by_hash_;
  std::map<std::string, StoredSeriesPtr> shared_;
  std::uint64_t next_id_ = 1;
  std::uint64_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

// What one client has put for itself; goes with the client. Used by one thread.
class SeriesShelf {
 public:
  explicit SeriesShelf(SeriesStore& store) : store_(store) {}

  struct PutOptions {
    bool shared = false;
    bool replace = false;
  };
  Result<StoredSeriesPtr> put(const std::string& name, std::shared_ptr<const Series> series, PutOptions options);
  // One of this client's own, or a shared one. Errors: kNotFound.
  Result<StoredSeriesPtr> find(std::uint64_t id) const;
  // Errors: kNotFound.
  Status drop(std::uint64_t id);
  std::vector<NamedSeries> list() const;

 private:
  SeriesStore& store_;
  std::map<std::string, StoredSeriesPtr> own_;
};

}  // namespace onekernel::engine

#endif  // ONEKERNEL_ENGINE_SERIES_STORE_H_
