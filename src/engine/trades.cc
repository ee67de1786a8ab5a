#include "onekernel/trades.h"

#include <exception>
#include <new>
#include <string>

#include "engine/checks.h"
#include "kernel/schedule.h"
#include "kernel/trade_log.h"
#include "onekernel/target.h"

namespace onekernel {
namespace {

TradeList run(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options) {
  const int threads = engine::allowed_threads(options.threads).value();
  TradeList list;
  std::vector<kernel::TradeLog> logs;
  logs.reserve(combos.size());
  for (std::size_t c = 0; c < combos.size(); ++c) logs.emplace_back(static_cast<std::uint32_t>(c), options.fee);
  std::vector<kernel::Book> books(combos.size());
  const auto take = [&](std::size_t combo, const kernel::Book& book) { books[combo] = book; };
  (void)kernel::run_batches(/*certify=*/true, close, combos, options.fee, threads, kernel::Tuning{.cancel = options.cancel},
                            {.book = take, .logs = logs});

  std::size_t count = 0;
  for (const kernel::TradeLog& log : logs) count += log.trades().size();
  list.closed.reserve(count);
  list.pnl.reserve(books.size());
  for (std::size_t c = 0; c < combos.size(); ++c) {
    list.closed.insert(list.closed.end(), logs[c].trades().begin(), logs[c].trades().end());
    const kernel::Book& book = books[c];
    list.pnl.push_back(book.pnl);
    if (book.position == 0.0) continue;
    list.open.push_back({.combo = static_cast<std::uint32_t>(c),
                         .position = book.position > 0.0 ? 1 : -1,
                         .entry_bar = book.entry_bar,
                         .entry = book.entry});
  }
  return list;
}

}  // namespace

Result<TradeList> list_trades(std::span<const double> close, std::span<const Combo> combos, const SweepOptions& options,
                              std::size_t most_trades) {
  std::vector<double> pnl(combos.size());
  std::vector<std::int64_t> trades(combos.size());
  // A sweep first: it checks the arguments, and its counts say how much memory the trades will take.
  SweepOptions counting = options;
  counting.kernel = Kernel::kCertified;
  if (Status status = sweep(close, combos, counting, pnl, trades); !status.ok()) return status;
  std::size_t count = 0;
  for (const std::int64_t of_combo : trades) count += static_cast<std::size_t>(of_combo);
  if (count > most_trades) {
    return Status(StatusCode::kLimitExceeded, "these " + std::to_string(combos.size()) + " combos made " +
                                                  std::to_string(count) + " trades, over the limit of " +
                                                  std::to_string(most_trades) + "; ask for fewer combos at a time");
  }
  try {
    TradeList list = run(close, combos, options);
    if (options.cancel != nullptr && options.cancel->load()) return Status(StatusCode::kUnavailable, "the list was cancelled");
    return list;
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kUnavailable, "not enough memory for a list of " + std::to_string(count) + " trades");
  } catch (const std::exception& error) {
    return Status(StatusCode::kInternal, error.what());
  }
}

}  // namespace onekernel
