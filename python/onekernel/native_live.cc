#include "native_live.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "base/clock.h"
#include "buffer.h"
#include "onekernel/client.h"
#include "onekernel/live.h"
#include "raising.h"

namespace onekernel::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) raise_channel_error(result.status());
  return std::move(result).value();
}

// A session in this process, or in an engine over a connection of its own.
class NativeLive {
 public:
  NativeLive(const std::string& url, const ComboArray& combos, double fee, double spin_us) {
    if (url.empty()) {
      local_.emplace(value_of(LiveSession::open(span_of(combos), {.fee = fee})));
      return;
    }
    const nb::gil_scoped_release released;
    const auto spin = std::chrono::nanoseconds(static_cast<std::int64_t>(1000.0 * spin_us));
    Result<Client> client = Client::connect(url, {.spin = spin});
    Result<RemoteLive> live =
        client.ok() ? client.value().live(span_of(combos), {.fee = fee}) : Result<RemoteLive>(client.status());
    if (!live.ok()) {
      const nb::gil_scoped_acquire acquired;
      raise_channel_error(live.status());
    }
    remote_.emplace(std::move(live).value());
  }

  // Feeds bar after bar, one call each; `times` is an int64 buffer of as many values.
  nb::bytes feed(const CloseArray& closes, nb::handle times) {
    const Buffer buffer(times, /*writable=*/true);
    const std::span<std::int64_t> nanoseconds(reinterpret_cast<std::int64_t*>(buffer.bytes().data()),
                                              buffer.bytes().size() / sizeof(std::int64_t));
    if (nanoseconds.size() != closes.size()) throw nb::value_error("times must have one int64 for every close");
    std::vector<Change> told;
    Status status;
    {
      const nb::gil_scoped_release released;
      status =
          local_ ? feed_to(*local_, span_of(closes), nanoseconds, told) : feed_to(*remote_, span_of(closes), nanoseconds, told);
    }
    if (!status.ok()) raise_channel_error(status);
    return nb::bytes(told.data(), told.size() * sizeof(Change));
  }

 private:
  template <class Session>
  static Status feed_to(Session& session, std::span<const double> closes, std::span<std::int64_t> nanoseconds,
                        std::vector<Change>& told) {
    for (std::size_t i = 0; i < closes.size(); ++i) {
      const std::int64_t start = base::monotonic_ns();
      const Result<std::span<const Change>> changes = session.bar(session.next_bar(), closes[i]);
      nanoseconds[i] = base::monotonic_ns() - start;
      if (!changes.ok()) return changes.status();
      told.insert(told.end(), changes.value().begin(), changes.value().end());
    }
    return {};
  }

  std::optional<LiveSession> local_;
  std::optional<RemoteLive> remote_;
};

}  // namespace

void bind_native_live(nb::module_& module) {
  nb::class_<NativeLive>(module, "NativeLive",
                         "A live session that C++ feeds, for measuring: in this process, or over a C++ client's connection.")
      .def(nb::init<const std::string&, const ComboArray&, double, double>(), "url"_a, "combos"_a.noconvert(), "fee"_a,
           "spin_us"_a,
           nb::sig(
               "def __init__(self, url: str, combos: numpy.typing.NDArray[numpy.int64], fee: float, spin_us: float) -> None"),
           "Open a session without history; an empty url opens it in this process. spin_us: how long the client looks\n"
           "before it sleeps. ConnectionLost, ProtocolError, TimeoutError, OSError.")
      .def("feed", &NativeLive::feed, "closes"_a.noconvert(), "times"_a,
           nb::sig("def feed(self, closes: numpy.typing.NDArray[numpy.float64], times: object) -> bytes"),
           "Feed the closes, one call per bar, and put each call's nanoseconds into times, an int64 buffer of as many.\n"
           "Returns the changes, 64 bytes each. The GIL is released.");
}

}  // namespace onekernel::python
