#include "server/series_work.h"

#include <utility>

#include "server/payload.h"
#include "server/settings.h"

namespace onekernel::server {

Result<SeriesWork> take_series_work(wire::PayloadReader payload, std::uint64_t series_id, std::uint64_t n_bars,
                                    std::uint64_t n_combos, std::uint32_t max_combos, engine::SeriesShelf& shelf) {
  const auto shipped = payload.take_array<double>(n_bars);
  if (!shipped) return too_short("closes");
  const auto combos = payload.take_array<Combo>(n_combos);
  if (!combos) return too_short("combos");
  if (!payload.empty()) return bytes_left_over();
  if (combos->size() > max_combos) return over_combo_limit(combos->size(), max_combos);
  if (series_id == 0) return SeriesWork{.combos = *combos, .close = *shipped, .stored = nullptr};
  if (n_bars != 0) {
    return Status(StatusCode::kInvalidArgument, "a request names a stored series or ships one, not both");
  }
  Result<engine::StoredSeriesPtr> found = shelf.find(series_id);
  if (!found.ok()) return found.status();
  engine::StoredSeriesPtr stored = std::move(found).value();
  const std::span<const double> close = stored->series->close();
  return SeriesWork{.combos = *combos, .close = close, .stored = std::move(stored)};
}

}  // namespace onekernel::server
