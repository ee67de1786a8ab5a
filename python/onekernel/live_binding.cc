#include "live_binding.h"

#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "buffer.h"
#include "changes.h"
#include "misfit.h"
#include "onekernel/live.h"
#include "onekernel/trades.h"
#include "raising.h"

namespace onekernel::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using Bytes = ResultArray<std::uint8_t>;

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) raise_in_process_error(result.status());
  return std::move(result).value();
}

// Where a result was made without the GIL, it is looked at with it.
template <class Call>
auto without_gil(Call call) {
  const nb::gil_scoped_release released;
  return call();
}

// A session that one thread at a time is in. Only bars() lets go of the GIL, so only during it can another thread come.
class LiveCore {
 public:
  explicit LiveCore(LiveSession session) : session_(std::move(session)) {}

  static LiveCore open(const ComboArray& combos, double fee, int threads, const std::optional<CloseArray>& history) {
    const std::span<const double> closes = history ? span_of(*history) : std::span<const double>();
    const LiveOptions options{.fee = fee, .threads = threads};
    return LiveCore(value_of(without_gil([&] { return LiveSession::open(span_of(combos), options, closes); })));
  }

  static LiveCore restore(nb::handle snapshot) {
    const Buffer buffer(snapshot);
    return LiveCore(value_of(without_gil([&] { return LiveSession::restore(buffer.bytes()); })));
  }

  nb::object bar(double price, std::optional<std::int64_t> index) {
    LiveSession& session = usable_session();
    const std::int64_t due = session.next_bar();
    const std::int64_t at = index.value_or(due);
    if (at == due) require_price(due, price);  // of two errors the index is the one to tell
    return changes_to_python(value_of(session.bar(at, price)));
  }

  Bytes bars(const CloseArray& closes, std::optional<std::int64_t> first) {
    LiveSession& session = usable_session();
    const std::int64_t due = session.next_bar();
    const std::int64_t at = first.value_or(due);
    const std::span<const double> prices = span_of(closes);
    if (at == due) {
      const std::int64_t bad = first_bad_price(prices);
      if (bad >= 0) require_price(due + bad, prices[static_cast<std::size_t>(bad)]);
    }
    in_use_ = true;
    Result<std::vector<Change>> changes =
        without_gil([&]() -> Result<std::vector<Change>> { return take(session, at, prices); });
    in_use_ = false;
    return give_to_numpy<std::uint8_t>(value_of(std::move(changes)));
  }

  std::int64_t next_bar() { return usable_session().next_bar(); }
  double fee() { return usable_session().fee(); }
  std::uint64_t n_bytes() { return usable_session().bytes(); }
  Bytes states() { return give_to_numpy<std::uint8_t>(usable_session().states()); }

  ResultArray<std::int64_t> combos() {
    const std::span<const Combo> combos = usable_session().combos();
    return give_to_numpy<std::int64_t>(std::vector<Combo>(combos.begin(), combos.end()));
  }

  nb::bytes snapshot() {
    const std::vector<std::byte> bytes = value_of(usable_session().snapshot());
    return nb::bytes(bytes.data(), bytes.size());
  }

  void close() {
    if (session_) usable_session();
    session_.reset();
  }

 private:
  static Result<std::vector<Change>> take(LiveSession& session, std::int64_t first, std::span<const double> prices) {
    const Result<std::span<const Change>> changes = session.bars(first, prices);
    if (!changes.ok()) return changes.status();
    return std::vector<Change>(changes.value().begin(), changes.value().end());
  }

  LiveSession& usable_session() {
    if (!session_) raise_session_closed();
    if (in_use_) raise_session_in_use();
    return *session_;
  }

  std::optional<LiveSession> session_;
  bool in_use_ = false;  // read and written with the GIL held
};

nb::tuple trades_of(const CloseArray& close, const ComboArray& combos, double fee, int threads,
                    std::optional<std::size_t> most_trades) {
  const SweepOptions options{.fee = fee, .threads = threads};
  TradeList list = value_of(
      without_gil([&] { return list_trades(span_of(close), span_of(combos), options, most_trades.value_or(SIZE_MAX)); }));
  return nb::make_tuple(give_to_numpy<std::uint8_t>(std::move(list.closed)), give_to_numpy<std::uint8_t>(std::move(list.open)),
                        give_to_numpy<double>(std::move(list.pnl)));
}

}  // namespace

void bind_live(nb::module_& module) {
  bind_changes(module);
  nb::class_<LiveCore>(module, "LiveCore",
                       "A live session of this process (include/onekernel/live.h). Use onekernel.live.\n\n"
                       "One thread at a time: SessionInUse where another one is in a call; SessionClosed after close.\n"
                       "Records come as their bytes.")
      .def_static("open", &LiveCore::open, "combos"_a.noconvert(), "fee"_a, "threads"_a = 0,
                  "history"_a.noconvert() = nb::none(),
                  nb::sig("def open(combos: numpy.typing.NDArray[numpy.int64], fee: float, threads: int = 0, "
                          "history: numpy.typing.NDArray[numpy.float64] | None = None) -> LiveCore"),
                  "A session that stands after the bars of the history, which is not checked. ValueError, EngineError for a\n"
                  "limit, MemoryError.")
      .def_static("restore", &LiveCore::restore, "snapshot"_a, nb::sig("def restore(snapshot: object) -> LiveCore"),
                  "The session that a snapshot was taken of. ValueError for other bytes; EngineError, MemoryError.")
      .def("bar", &LiveCore::bar, "price"_a, "index"_a = nb::none(),
           nb::sig("def bar(self, price: float, index: int | None = None) -> tuple[Change, ...]"),
           "Take the close of the bar that is due; the changes, by combo.\n\n"
           "OutOfOrder for another index, ValueError for what is no price; then nothing has changed.")
      .def("bars", &LiveCore::bars, "closes"_a.noconvert(), "first"_a = nb::none(),
           nb::sig("def bars(self, closes: numpy.typing.NDArray[numpy.float64], first: int | None = None) "
                   "-> numpy.typing.NDArray[numpy.uint8]"),
           "Take several; the changes, 64 bytes each, by bar, then by combo. The GIL is released. Errors as bar.")
      .def_prop_ro("next_bar", &LiveCore::next_bar, nb::sig("def next_bar(self, /) -> int"), "Index of the bar that is due.")
      .def_prop_ro("fee", &LiveCore::fee, nb::sig("def fee(self, /) -> float"), "Percent per closed trade.")
      .def_prop_ro("n_bytes", &LiveCore::n_bytes, nb::sig("def n_bytes(self, /) -> int"), "That the session takes.")
      .def_prop_ro("combos", &LiveCore::combos, nb::sig("def combos(self, /) -> numpy.typing.NDArray[numpy.int64]"),
                   "A copy, row after row in one dimension.")
      .def("states", &LiveCore::states, nb::sig("def states(self) -> numpy.typing.NDArray[numpy.uint8]"),
           "Where each combo stands: LiveState, 40 bytes each.")
      .def("snapshot", &LiveCore::snapshot, nb::sig("def snapshot(self) -> bytes"), "All that restore needs.")
      .def("close", &LiveCore::close, "Let go of the session's memory.");
  module.def("list_trades", &trades_of, "close"_a.noconvert(), "combos"_a.noconvert(), "fee"_a, "threads"_a = 0,
             "most_trades"_a = nb::none(),
             nb::sig("def list_trades(close: numpy.typing.NDArray[numpy.float64], combos: numpy.typing.NDArray[numpy.int64], "
                     "fee: float, threads: int = 0, most_trades: int | None = None) -> "
                     "tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint8], "
                     "numpy.typing.NDArray[numpy.float64]]"),
             "Run a sweep that keeps its trades: closed ones (48 bytes each), open ones (24) and the pnl of each combo.\n\n"
             "The GIL is released. Errors as sweep; EngineError where there are more than most_trades.");
}

}  // namespace onekernel::python
