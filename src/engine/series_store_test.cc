#include "engine/series_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

namespace onekernel::engine {
namespace {

std::shared_ptr<const Series> series_of(const std::vector<double>& close) {
  Result<std::shared_ptr<const Series>> series = Series::copy(close);
  EXPECT_TRUE(series.ok());
  return std::move(series).value();
}

constexpr unsigned kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

base::FileDescriptor memfd_of(const std::vector<double>& close, unsigned seals = kSeals) {
  base::FileDescriptor memory(::memfd_create("series", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const std::size_t bytes = close.size() * sizeof(double);
  EXPECT_EQ(::write(memory.get(), close.data(), bytes), static_cast<ssize_t>(bytes));
  EXPECT_EQ(::fcntl(memory.get(), F_ADD_SEALS, seals), 0);
  return memory;
}

TEST(Series, AMappedSeriesIsTheSameAsACopiedOne) {
  const std::vector<double> close{1.0, 2.0, 3.0};
  const auto mapped = Series::map(memfd_of(close), 3);
  ASSERT_TRUE(mapped.ok()) << mapped.status().message();
  EXPECT_EQ(mapped.value()->content_hash(), series_of(close)->content_hash());
  EXPECT_EQ(std::vector<double>(mapped.value()->close().begin(), mapped.value()->close().end()), close);
  const auto part = Series::map(memfd_of(close), 2);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part.value()->close().size(), 2u);
}

TEST(Series, AMemfdThatCouldChangeIsRefused) {
  const std::vector<double> close{1.0, 2.0, 3.0};
  for (const unsigned missing : {unsigned{F_SEAL_WRITE}, unsigned{F_SEAL_SHRINK}, unsigned{F_SEAL_SEAL}}) {
    const auto mapped = Series::map(memfd_of(close, kSeals & ~missing), 3);
    ASSERT_FALSE(mapped.ok()) << missing;
    EXPECT_EQ(mapped.status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(Series, WhatIsNoMemfdOrTooShortIsRefused) {
  const std::vector<double> close{1.0, 2.0, 3.0};
  EXPECT_FALSE(Series::map(memfd_of(close), 4).ok());
  EXPECT_FALSE(Series::map(memfd_of(close), ~std::uint64_t{0}).ok());
  EXPECT_FALSE(Series::map(base::FileDescriptor(), 1).ok());
  EXPECT_FALSE(Series::map(base::FileDescriptor(::open("/dev/zero", O_RDONLY | O_CLOEXEC)), 1).ok());
  EXPECT_FALSE(Series::map(base::FileDescriptor(::dup(STDOUT_FILENO)), 1).ok());
}

TEST(SeriesStore, EqualContentIsStoredOnce) {
  SeriesStore store({});
  SeriesShelf first(store), second(store);
  const auto a = first.put("a", series_of({1.0, 2.0}), {});
  const auto b = second.put("b", series_of({1.0, 2.0}), {});
  const auto c = second.put("c", series_of({1.0, 2.5}), {});
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a.value()->id, b.value()->id);
  EXPECT_NE(a.value()->id, c.value()->id);
  EXPECT_EQ(store.usage().series, 2u);
  EXPECT_EQ(store.usage().bytes, 32u);
}

TEST(SeriesStore, SignedZerosAndNansAreContent) {
  SeriesStore store({});
  SeriesShelf shelf(store);
  const auto plus = shelf.put("plus", series_of({0.0}), {});
  const auto minus = shelf.put("minus", series_of({-0.0}), {});
  EXPECT_NE(plus.value()->id, minus.value()->id);
}

TEST(SeriesStore, PrivateSeriesGoWithTheirClientAndSharedOnesStay) {
  SeriesStore store({});
  SeriesShelf other(store);
  std::uint64_t own_id = 0, shared_id = 0;
  {
    SeriesShelf client(store);
    own_id = client.put("own", series_of({1.0}), {}).value()->id;
    shared_id = client.put("everybody's", series_of({2.0}), {.shared = true}).value()->id;
    EXPECT_TRUE(client.find(own_id).ok());
    EXPECT_EQ(other.find(own_id).status().code(), StatusCode::kNotFound) << "another client's private series";
    EXPECT_EQ(client.list().size(), 2u);
  }
  EXPECT_EQ(store.usage().series, 1u);
  EXPECT_TRUE(other.find(shared_id).ok());
  EXPECT_EQ(other.list().at(0).name, "everybody's");
  EXPECT_TRUE(other.drop(shared_id).ok());
  EXPECT_EQ(other.drop(shared_id).code(), StatusCode::kNotFound);
  EXPECT_EQ(store.usage().bytes, 0u);
}

TEST(SeriesStore, DroppingDoesNotTakeTheMemoryFromARunningSweep) {
  SeriesStore store({});
  SeriesShelf shelf(store);
  const std::uint64_t id = shelf.put("s", series_of({7.0}), {}).value()->id;
  const StoredSeriesPtr running = shelf.find(id).value();
  EXPECT_TRUE(shelf.drop(id).ok());
  EXPECT_EQ(running->series->close()[0], 7.0);
  EXPECT_EQ(store.usage().series, 1u);
}

TEST(SeriesStore, ASharedNameIsReplacedOnlyWhenAsked) {
  SeriesStore store({});
  SeriesShelf shelf(store);
  ASSERT_TRUE(shelf.put("n", series_of({1.0}), {.shared = true}).ok());
  EXPECT_TRUE(shelf.put("n", series_of({1.0}), {.shared = true}).ok()) << "the same content again";
  EXPECT_EQ(shelf.put("n", series_of({2.0}), {.shared = true}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(store.usage().series, 1u);
  EXPECT_TRUE(shelf.put("n", series_of({2.0}), {.shared = true, .replace = true}).ok());
  EXPECT_EQ(store.usage().series, 1u);
}

TEST(SeriesStore, LimitsAreNamed) {
  SeriesStore few({.max_series = 1});
  SeriesShelf shelf(few);
  ASSERT_TRUE(shelf.put("a", series_of({1.0}), {}).ok());
  const auto second = shelf.put("b", series_of({2.0}), {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), StatusCode::kLimitExceeded);
  EXPECT_NE(second.status().message().find("--max-series"), std::string::npos);

  SeriesStore small({.max_bytes = 16});
  SeriesShelf tight(small);
  EXPECT_FALSE(tight.put("a", series_of({1.0, 2.0, 3.0}), {}).ok());
  EXPECT_TRUE(tight.put("a", series_of({1.0, 2.0}), {}).ok());
  const auto full = tight.put("b", series_of({3.0}), {});
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.status().message().find("--max-series-bytes"), std::string::npos);
}

}  // namespace
}  // namespace onekernel::engine
