#include "engine/series_store.h"

#include <cstring>

namespace onekernel::engine {
namespace {

bool same_bytes(const Series& a, const Series& b) {
  const std::span<const double> left = a.close(), right = b.close();
  return left.size() == right.size() && (left.empty() || std::memcmp(left.data(), right.data(), left.size_bytes()) == 0);
}

Status not_found(std::uint64_t id) {
  return {StatusCode::kNotFound, "there is no series " + std::to_string(id) + " here: it was never put, or it was dropped"};
}

// Removes every name that stands for `id`. True if there was one.
bool erase_id(std::map<std::string, StoredSeriesPtr>& names, std::uint64_t id) {
  return std::erase_if(names, [id](const auto& entry) { return entry.second->id == id; }) > 0;
}

StoredSeriesPtr find_id(const std::map<std::string, StoredSeriesPtr>& names, std::uint64_t id) {
  for (const auto& [name, stored] : names) {
    if (stored->id == id) return stored;
  }
  return nullptr;
}

}  // namespace

Result<StoredSeriesPtr> SeriesStore::intern(std::shared_ptr<const Series> series) {
  std::vector<StoredSeriesPtr> held;  // released after the lock: the last release of a series takes the lock itself
  const std::lock_guard lock(mutex_);
  if (StoredSeriesPtr known = find_equal(*series, held)) return known;
  const std::uint64_t bytes = series->close().size_bytes();
  if (count_ >= limits_.max_series) {
    return Status(StatusCode::kLimitExceeded,
                  "the engine keeps at most " + std::to_string(limits_.max_series) + " series (--max-series); drop one first");
  }
  if (bytes > limits_.max_bytes || bytes_ > limits_.max_bytes - bytes) {
    return Status(StatusCode::kLimitExceeded, "the engine keeps at most " + std::to_string(limits_.max_bytes) +
                                                  " bytes of series (--max-series-bytes), " + std::to_string(bytes_) +
                                                  " are taken and this one has " + std::to_string(bytes));
  }
  const std::uint64_t hash = series->content_hash();
  // The last holder's release ends here, so that what a dying client held is given back at once.
  StoredSeriesPtr stored(new StoredSeries{next_id_++, std::move(series)}, [this](const StoredSeries* gone) {
    forget(*gone);
    delete gone;
  });
  by_hash_.emplace(hash, stored);
  count_ += 1;
  bytes_ += bytes;
  return stored;
}

StoredSeriesPtr SeriesStore::find_equal(const Series& series, std::vector<StoredSeriesPtr>& held) const {
  const auto [first, last] = by_hash_.equal_range(series.content_hash());
  for (auto candidate = first; candidate != last; ++candidate) {
    const StoredSeriesPtr& stored = held.emplace_back(candidate->second.lock());
    if (stored != nullptr && same_bytes(*stored->series, series)) return stored;
  }
  return nullptr;
}

void SeriesStore::forget(const StoredSeries& stored) {
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(stored.series->content_hash());
  for (auto candidate = first; candidate != last; ++candidate) {
    if (candidate->second.expired()) {
      by_hash_.erase(candidate);
      break;
    }
  }
  count_ -= 1;
  bytes_ -= stored.series->close().size_bytes();
}

Status SeriesStore::share(const std::string& name, StoredSeriesPtr stored, bool replace) {
  StoredSeriesPtr replaced;  // released after the lock: its release takes the lock itself
  const std::lock_guard lock(mutex_);
  StoredSeriesPtr& place = shared_[name];
  if (place != nullptr && place->id != stored->id && !replace) {
    return {StatusCode::kAlreadyExists,
            "the name '" + name + "' stands for another series; drop that first, choose another name, or ask to replace it"};
  }
  replaced = std::exchange(place, std::move(stored));
  return {};
}

bool SeriesStore::drop_shared(std::uint64_t id) {
  StoredSeriesPtr dropped;
  const std::lock_guard lock(mutex_);
  dropped = find_id(shared_, id);
  return erase_id(shared_, id);
}

StoredSeriesPtr SeriesStore::find_shared(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return find_id(shared_, id);
}

std::vector<NamedSeries> SeriesStore::list_shared() const {
  const std::lock_guard lock(mutex_);
  std::vector<NamedSeries> listed;
  for (const auto& [name, stored] : shared_) listed.push_back({name, stored, true});
  return listed;
}

SeriesStore::Usage SeriesStore::usage() const {
  const std::lock_guard lock(mutex_);
  return {count_, bytes_};
}

Result<StoredSeriesPtr> SeriesShelf::put(const std::string& name, std::shared_ptr<const Series> series, PutOptions options) {
  Result<StoredSeriesPtr> stored = store_.intern(std::move(series));
  if (!stored.ok()) return stored;
  if (!options.shared) {
    own_[name] = stored.value();
    return stored;
  }
  if (Status status = store_.share(name, stored.value(), options.replace); !status.ok()) return status;
  return stored;
}

Result<StoredSeriesPtr> SeriesShelf::find(std::uint64_t id) const {
  if (StoredSeriesPtr own = find_id(own_, id)) return own;
  if (StoredSeriesPtr shared = store_.find_shared(id)) return shared;
  return not_found(id);
}

Status SeriesShelf::drop(std::uint64_t id) {
  if (erase_id(own_, id) || store_.drop_shared(id)) return {};
  return not_found(id);
}

std::vector<NamedSeries> SeriesShelf::list() const {
  std::vector<NamedSeries> listed = store_.list_shared();
  for (const auto& [name, stored] : own_) listed.push_back({name, stored, false});
  return listed;
}

}  // namespace onekernel::engine
