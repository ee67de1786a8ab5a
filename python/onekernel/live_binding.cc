#include "live_binding.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bar_arguments.h"
#include "buffer.h"
#include "change_tuple.h"
#include "misfit.h"
#include "onekernel/live.h"
#include "onekernel/trades.h"
#include "raising.h"

namespace onekernel::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using Bytes = ResultArray<std::uint8_t>;  // records; onekernel.records has their dtypes

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) raise_in_process_error(result.status());
  return std::move(result).value();
}

template <class Call>
auto without_gil(Call call) {
  const nb::gil_scoped_release released;
  return call();
}

// Only one thread at a time may be in it. Another one can come only while bars() has let go of the GIL.
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

  nb::tuple bar(nb::handle index, nb::handle price) {
    const std::int64_t bar = as_index(index);
    const double close = as_number(price);  // may run Python code, hence before the session is looked at
    LiveSession& session = idle();
    if (bar == session.next_bar()) require_price(bar, close);  // a wrong index is told first
    return changes_to_python(value_of(session.bar(bar, close)));
  }

  nb::tuple bars(nb::handle first, const CloseArray& closes, std::optional<std::size_t> most_changes) {
    const std::int64_t bar = as_index(first);
    const std::span<const double> prices = span_of(closes);
    LiveSession& session = idle();
    if (bar == session.next_bar()) {
      const std::int64_t bad = first_bad_price(prices);
      if (bad >= 0) require_price(bar + bad, prices[static_cast<std::size_t>(bad)]);
    }
    const InUse in_use(*this);
    std::vector<Change> changes = value_of(without_gil([&]() -> Result<std::vector<Change>> {
      const auto made = session.bars(bar, prices, most_changes.value_or(SIZE_MAX));
      if (!made.ok()) return made.status();
      return std::vector<Change>(made.value().begin(), made.value().end());
    }));
    return nb::make_tuple(session.next_bar(), give_to_numpy<std::uint8_t>(std::move(changes)));
  }

  Bytes states() { return give_to_numpy<std::uint8_t>(idle().states()); }

  nb::bytes snapshot() {
    const std::vector<std::byte> bytes = value_of(idle().snapshot());
    return nb::bytes(bytes.data(), bytes.size());
  }

  std::int64_t next_bar() { return idle().next_bar(); }
  std::uint64_t n_bytes() { return idle().bytes(); }
  double fee() const { return session_.fee(); }

  ResultArray<std::int64_t> combos() const {
    const std::span<const Combo> combos = session_.combos();
    return give_to_numpy<std::int64_t>(std::vector<Combo>(combos.begin(), combos.end()));
  }

 private:
  struct InUse {
    explicit InUse(LiveCore& core) : core(core) { core.in_use_ = true; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    ~InUse() { core.in_use_ = false; }
    LiveCore& core;
  };

  LiveSession& idle() {
    if (in_use_) raise_session_in_use();
    return session_;
  }

  LiveSession session_;
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
  bind_change(module);
  nb::class_<LiveCore>(module, "LiveCore",
                       "The sweep's strategies, fed one bar at a time (include/onekernel/live.h). Use onekernel.live.\n\n"
                       "One thread at a time: SessionInUse where another one is in bars(). Records come as their bytes.")
      .def_static("open", &LiveCore::open, "combos"_a.noconvert(), "fee"_a, "threads"_a = 0,
                  "history"_a.noconvert() = nb::none(),
                  nb::sig("def open(combos: numpy.typing.NDArray[numpy.int64], fee: float, threads: int = 0, "
                          "history: numpy.typing.NDArray[numpy.float64] | None = None) -> LiveCore"),
                  "A session that stands after the history, whose prices are not checked. The GIL is released.\n\n"
                  "ValueError, EngineError (limit exceeded), MemoryError.")
      .def_static("restore", &LiveCore::restore, "snapshot"_a, nb::sig("def restore(snapshot: object) -> LiveCore"),
                  "The session that a snapshot was taken of. ValueError for other bytes; else as open.")
      .def("bar", &LiveCore::bar, "index"_a.none(), "price"_a.none(),
           nb::sig("def bar(self, index: int, price: float) -> tuple[Change, ...]"),
           "Take the close of the bar that is due: the changes, by combo.\n\n"
           "OutOfOrder for another index, ValueError for what is no price, TypeError for what is no number; nothing has\n"
           "changed then. The GIL is kept.")
      .def("bars", &LiveCore::bars, "first"_a.none(), "closes"_a.noconvert(), "most_changes"_a = nb::none(),
           nb::sig("def bars(self, first: int, closes: numpy.typing.NDArray[numpy.float64], "
                   "most_changes: int | None = None) -> tuple[int, numpy.typing.NDArray[numpy.uint8]]"),
           "Take several, all of whose prices are checked before: next_bar, and the changes (64 bytes each).\n\n"
           "It stops before a bar whose changes might be more than most_changes in all. The GIL is released.\n"
           "Errors as bar; EngineError (limit exceeded) for most_changes below the number of combos.")
      .def("states", &LiveCore::states, nb::sig("def states(self) -> numpy.typing.NDArray[numpy.uint8]"),
           "Where each combo stands: LiveState, 40 bytes each.")
      .def("snapshot", &LiveCore::snapshot, nb::sig("def snapshot(self) -> bytes"), "All that restore needs.")
      .def_prop_ro("next_bar", &LiveCore::next_bar, nb::sig("def next_bar(self, /) -> int"), "Index of the bar that is due.")
      .def_prop_ro("n_bytes", &LiveCore::n_bytes, nb::sig("def n_bytes(self, /) -> int"), "That the session takes.")
      .def_prop_ro("fee", &LiveCore::fee, nb::sig("def fee(self, /) -> float"), "Percent per closed trade, round trip.")
      .def_prop_ro("combos", &LiveCore::combos, nb::rv_policy::reference,
                   nb::sig("def combos(self, /) -> numpy.typing.NDArray[numpy.int64]"),
                   "A copy, row after row in one dimension.");
  module.def(
      "bar_arguments", [](nb::handle index, nb::handle price) { return nb::make_tuple(as_index(index), as_number(price)); },
      "index"_a.none(), "price"_a.none(), nb::sig("def bar_arguments(index: object, price: object) -> tuple[int, float]"),
      "The index and the price of a bar as plain numbers. TypeError; and whatever __index__ and __float__ raise.");
  module.def("list_trades", &trades_of, "close"_a.noconvert(), "combos"_a.noconvert(), "fee"_a, "threads"_a = 0,
             "most_trades"_a = nb::none(),
             nb::sig("def list_trades(close: numpy.typing.NDArray[numpy.float64], combos: numpy.typing.NDArray[numpy.int64], "
                     "fee: float, threads: int = 0, most_trades: int | None = None) -> tuple["
                     "numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint8], "
                     "numpy.typing.NDArray[numpy.float64]]"),
             "Run a sweep that keeps its trades: closed ones (48 bytes each), open ones (24) and the pnl of each combo.\n\n"
             "The GIL is released. Errors as sweep; EngineError (limit exceeded) for more trades than most_trades.");
}

}  // namespace onekernel::python
