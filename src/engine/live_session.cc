#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "engine/checks.h"
#include "engine/live_snapshot.h"
#include "kernel/book.h"
#include "kernel/live_averages.h"
#include "kernel/schedule.h"
#include "onekernel/live.h"
#include "onekernel/target.h"

namespace onekernel {
namespace {

using kernel::Book;

LiveState state_of(const Book& book) {
  return {.position = static_cast<std::int64_t>(book.position),
          .entry_bar = book.entry_bar,
          .entry = book.entry,
          .pnl = book.pnl,
          .trades = book.trades};
}

Book book_of(const LiveState& state) {
  return {.position = static_cast<double>(state.position),
          .entry = state.entry,
          .pnl = state.pnl,
          .trades = state.trades,
          .entry_bar = state.entry_bar};
}

Status check(std::span<const Combo> combos, double fee, std::uint64_t max_bytes) {
  if (Status status = engine::check_fee(fee); !status.ok()) return status;
  if (Status status = engine::check_windows(combos); !status.ok()) return status;
  if (Status status = engine::check_longest_window(combos, kLongestLiveWindow); !status.ok()) return status;
  const std::uint64_t bytes = engine::most_live_bytes(combos);
  if (bytes > max_bytes) {
    return {StatusCode::kLimitExceeded, "a live session of " + std::to_string(combos.size()) + " combos may take " +
                                            std::to_string(bytes) + " bytes, over the limit of " + std::to_string(max_bytes) +
                                            "; open several with fewer combos or shorter windows"};
  }
  return {};
}

Status cancelled_status() { return {StatusCode::kUnavailable, "opening this live session was cancelled"}; }

// Runs what may run out of memory.
template <class Call>
auto guarded(const char* what, Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kUnavailable, std::string("not enough memory for ") + what);
  } catch (const std::exception& error) {
    return Status(StatusCode::kInternal, error.what());
  }
}

}  // namespace

std::uint64_t engine::most_live_bytes(std::span<const Combo> combos) {
  constexpr std::uint64_t kItself = 1024;  // the session's own members, and vectors filled up to whole lanes
  return kItself + kernel::LiveAverages::most_bytes(combos) + combos.size() * (sizeof(Combo) + sizeof(Book) + sizeof(Change)) +
         2 * static_cast<std::uint64_t>(closes_needed(combos)) * sizeof(double);
}

struct LiveSession::Rep {
  Rep(std::vector<Combo> combos_of_session, double fee_of_session, const std::atomic<bool>* cancel_of_session)
      : combos(std::move(combos_of_session)),
        fee(fee_of_session),
        cancel(cancel_of_session),
        books(combos.size()),
        averages(combos),
        needed(static_cast<std::size_t>(engine::closes_needed(combos))) {
    recent.reserve(2 * needed);
    changes.reserve(combos.size());
  }

  // Takes closes whose decisions are in the books already: only the windows are filled.
  void fill_windows(std::span<const double> closes) {
    for (const double close : closes.last(std::min(closes.size(), needed))) {
      if (cancelled()) return;
      averages.take(close);
      remember(close);
    }
  }

  // REQUIRES: room for one more change per combo in `changes`, so that nothing can fail half way.
  void take(double close) {
    averages.take(close);
    remember(close);
    for (std::size_t c = 0; c < books.size(); ++c) {
      const double hma = averages.hma(c), hma3 = averages.hma3(c);
      if (std::isnan(hma) || std::isnan(hma3)) continue;
      const double want = hma3 > hma ? 1.0 : -1.0;
      if (want != books[c].position) change(c, want, close);
    }
    ++next_bar;
  }

  void change(std::size_t combo, double want, double close) {
    Book& book = books[combo];
    Change made{.bar = next_bar,
                .combo = static_cast<std::uint32_t>(combo),
                .position = static_cast<std::int32_t>(want),
                .price = close,
                .entry_bar = book.entry_bar,
                .entry = book.entry,
                .trade_pnl = book.position != 0.0 ? book.result_at(close, fee) : 0.0,
                .pnl = 0.0,
                .trades = 0};
    book.decide(want, close, next_bar, fee);
    made.pnl = book.pnl;
    made.trades = book.trades;
    changes.push_back(made);
  }

  // Keeps the newest `needed` closes at the end of `recent`; moves them to its front when it is full.
  void remember(double close) {
    if (needed == 0) return;
    if (recent.size() == recent.capacity()) {
      std::copy(recent.end() - static_cast<std::ptrdiff_t>(needed), recent.end(), recent.begin());
      recent.resize(needed);
    }
    recent.push_back(close);
  }

  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }

  std::span<const double> newest() const { return std::span(recent).last(std::min(recent.size(), needed)); }

  Status out_of_order(std::int64_t index) const {
    const std::string due = "; bar " + std::to_string(next_bar) + " is due";
    if (index < next_bar) return {StatusCode::kOutOfOrder, "bar " + std::to_string(index) + " was taken already" + due};
    return {StatusCode::kOutOfOrder, "bar " + std::to_string(index) + " would leave bars out" + due};
  }

  std::vector<Combo> combos;
  double fee;
  const std::atomic<bool>* cancel;
  std::vector<Book> books;
  kernel::LiveAverages averages;
  std::size_t needed;          // closes that the windows hold
  std::vector<double> recent;  // the newest closes; its capacity is fixed
  std::vector<Change> changes;
  std::int64_t next_bar = 0;
};

LiveSession::LiveSession(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
LiveSession::LiveSession(LiveSession&&) noexcept = default;
LiveSession& LiveSession::operator=(LiveSession&&) noexcept = default;
LiveSession::~LiveSession() = default;

Result<LiveSession> LiveSession::open(std::span<const Combo> combos, const LiveOptions& options,
                                      std::span<const double> history) {
  if (Status status = check(combos, options.fee, options.max_bytes); !status.ok()) return status;
  const Result<int> threads = engine::allowed_threads(options.threads);
  if (!threads.ok()) return threads.status();
  if (Status target = target_environment_status(); !target.ok()) return target;
  return guarded("this live session", [&]() -> Result<LiveSession> {
    auto rep = std::make_unique<Rep>(std::vector<Combo>(combos.begin(), combos.end()), options.fee, options.cancel);
    if (!history.empty()) {
      const auto take = [&](std::size_t combo, const Book& book) { rep->books[combo] = book; };
      (void)kernel::run_batches(/*certify=*/true, history, combos, options.fee, threads.value(),
                                kernel::Tuning{.cancel = options.cancel}, {.book = take, .logs = {}});
      rep->fill_windows(history);
      rep->next_bar = std::ssize(history);
    }
    if (rep->cancelled()) return cancelled_status();
    return LiveSession(std::move(rep));
  });
}

Result<LiveSession> LiveSession::restore(std::span<const std::byte> snapshot, const LiveOptions& options) {
  return guarded("this live session", [&]() -> Result<LiveSession> {
    Result<engine::LiveSnapshot> decoded = engine::decode_snapshot(snapshot);
    if (!decoded.ok()) return decoded.status();
    engine::LiveSnapshot& from = decoded.value();
    if (Status status = check(from.combos, from.fee, options.max_bytes); !status.ok()) return status;
    if (Status target = target_environment_status(); !target.ok()) return target;
    auto rep = std::make_unique<Rep>(std::move(from.combos), from.fee, options.cancel);
    std::transform(from.states.begin(), from.states.end(), rep->books.begin(), book_of);
    rep->fill_windows(from.recent);
    rep->next_bar = from.next_bar;
    if (rep->cancelled()) return cancelled_status();
    return LiveSession(std::move(rep));
  });
}

Result<std::span<const Change>> LiveSession::bar(std::int64_t index, double close) { return bars(index, {&close, 1}); }

Result<std::span<const Change>> LiveSession::bars(std::int64_t first, std::span<const double> closes,
                                                  std::size_t most_changes) {
  Rep& rep = *rep_;
  const std::size_t per_bar = rep.combos.size();
  if (first != rep.next_bar) return rep.out_of_order(first);
  if (most_changes < per_bar) {
    return Status(StatusCode::kLimitExceeded, "one bar may change all " + std::to_string(per_bar) +
                                                  " combos, which is over the limit of " + std::to_string(most_changes) +
                                                  " changes");
  }
  rep.changes.clear();
  for (const double close : closes) {
    if (rep.changes.size() > most_changes - per_bar || rep.cancelled()) break;
    try {
      if (rep.changes.capacity() - rep.changes.size() < per_bar) rep.changes.reserve(2 * rep.changes.size() + per_bar);
    } catch (const std::exception&) {
      if (rep.next_bar > first) break;  // those that were taken are told
      return Status(StatusCode::kUnavailable, "not enough memory for the changes of a bar");
    }
    rep.take(close);
  }
  return std::span<const Change>(rep.changes);
}

std::int64_t LiveSession::next_bar() const { return rep_->next_bar; }
std::span<const Combo> LiveSession::combos() const { return rep_->combos; }
double LiveSession::fee() const { return rep_->fee; }

std::vector<LiveState> LiveSession::states() const {
  std::vector<LiveState> states(rep_->books.size());
  std::transform(rep_->books.begin(), rep_->books.end(), states.begin(), state_of);
  return states;
}

std::uint64_t LiveSession::bytes() const {
  return sizeof(Rep) + rep_->averages.bytes() + rep_->combos.capacity() * sizeof(Combo) +
         rep_->books.capacity() * sizeof(Book) + rep_->recent.capacity() * sizeof(double) +
         rep_->changes.capacity() * sizeof(Change);
}

Result<std::vector<std::byte>> LiveSession::snapshot() const {
  return guarded("this snapshot", [&]() -> Result<std::vector<std::byte>> {
    const std::span<const double> newest = rep_->newest();
    return engine::encode_snapshot({.next_bar = rep_->next_bar,
                                    .fee = rep_->fee,
                                    .combos = rep_->combos,
                                    .states = states(),
                                    .recent = {newest.begin(), newest.end()}});
  });
}

}  // namespace onekernel
