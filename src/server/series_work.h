// Combos over a series, as sweeps, live sessions and lists of trades ask for them: the closes shipped or stored.
#ifndef ONEKERNEL_SERVER_SERIES_WORK_H_
#define ONEKERNEL_SERVER_SERIES_WORK_H_

#include <cstdint>
#include <span>

#include "engine/series_store.h"
#include "onekernel/status.h"
#include "onekernel/types.h"
#include "wire/session.h"

namespace onekernel::server {

struct SeriesWork {
  std::span<const Combo> combos;
  std::span<const double> close;
  engine::StoredSeriesPtr stored;  // keeps the closes, whoever drops them meanwhile; null where they were shipped
};

// Takes a request's arrays, which end its payload: `n_bars` closes, then `n_combos` combos. With a series id other than 0 the
// closes are the stored ones. Errors: kMalformedFrame, kLimitExceeded, kInvalidArgument (both kinds of closes), kNotFound.
Result<SeriesWork> take_series_work(wire::PayloadReader payload, std::uint64_t series_id, std::uint64_t n_bars,
                                    std::uint64_t n_combos, std::uint32_t max_combos, engine::SeriesShelf& shelf);

}  // namespace onekernel::server

#endif  // ONEKERNEL_SERVER_SERIES_WORK_H_
