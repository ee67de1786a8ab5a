// The native module: the in-process sweep, live sessions (live_binding.cc), and connections (link.cc). The sweep takes exactly
// what the engine takes; onekernel.series turns everything else that a user may hold into these arrays first.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "arrays.h"
#include "base/clock.h"
#include "buffer.h"
#include "combo_view.h"
#include "link.h"
#include "live_binding.h"
#include "misfit.h"
#include "native_floor.h"
#include "native_live.h"
#include "onekernel/sweep.h"
#include "onekernel/version.h"
#include "raising.h"
#include "series_memory.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using onekernel::python::CloseArray;
using onekernel::python::ComboArray;
using onekernel::python::give_to_numpy;
using onekernel::python::span_of;

// Kernels are numbered from 0 without a gap, so the list needs no second place that has to be kept up to date.
nb::tuple kernel_names() {
  nb::list names;
  for (std::uint8_t number = 0;; ++number) {
    const std::string name(onekernel::kernel_name(static_cast<onekernel::Kernel>(number)));
    if (!onekernel::kernel_from_name(name)) break;
    names.append(name);
  }
  return nb::tuple(names);
}

onekernel::Kernel find_kernel(const std::string& name) {
  if (const auto kernel = onekernel::kernel_from_name(name)) return *kernel;
  std::string known;
  for (nb::handle other : kernel_names()) known += (known.empty() ? "" : ", ") + nb::cast<std::string>(other);
  throw nb::value_error(("unknown kernel '" + name + "'; there are: " + known).c_str());
}

nb::tuple levels_of(const onekernel::LevelCounts& levels) {
  return nb::make_tuple(levels.by_bound, levels.by_dot, levels.by_reference, levels.by_exact, levels.flips, levels.blocks,
                        levels.blocks_exact);
}

nb::tuple sweep(const CloseArray& close, const ComboArray& combos, double fee, const std::string& kernel, int threads) {
  const std::size_t count = combos.shape(0);
  const onekernel::SweepOptions options{.fee = fee, .kernel = find_kernel(kernel), .threads = threads};
  auto pnl = std::make_unique<double[]>(count);
  auto trades = std::make_unique<std::int64_t[]>(count);
  onekernel::Status status;
  onekernel::SweepReport report;
  std::int64_t compute_ns = 0;
  {
    const nb::gil_scoped_release released;
    const std::int64_t start = onekernel::base::monotonic_ns();
    status = onekernel::sweep(span_of(close), span_of(combos), options, {pnl.get(), count}, {trades.get(), count}, &report);
    compute_ns = onekernel::base::monotonic_ns() - start;
  }
  if (!status.ok()) onekernel::python::raise_in_process_error(status);
  return nb::make_tuple(give_to_numpy(std::move(pnl), count), give_to_numpy(std::move(trades), count), compute_ns,
                        report.threads, std::string(report.target), levels_of(report.levels));
}

template <class T>
std::span<const T> values_of(const onekernel::python::Buffer& buffer) {
  return {reinterpret_cast<const T*>(buffer.bytes().data()), buffer.bytes().size() / sizeof(T)};
}

std::int64_t first_bad_price(nb::handle close) {
  const onekernel::python::Buffer buffer(close);
  return onekernel::python::first_bad_price(values_of<double>(buffer));
}

std::int64_t first_bad_window(nb::handle combos) {
  const onekernel::python::Buffer buffer(combos);
  return onekernel::python::first_misfit(values_of<std::int64_t>(buffer), [](std::int64_t window) { return window >= 1; });
}

bool are_good_combos(nb::handle combos) { return onekernel::python::ComboView(combos).good(); }

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "The compiled sweep. Use onekernel.sweep, which also takes other arrays and checks the prices.";
  module.attr("__version__") = ONEKERNEL_VERSION_STRING;
  module.attr("KERNELS") = kernel_names();
  module.attr("DEFAULT_KERNEL") = std::string(onekernel::kernel_name(onekernel::SweepOptions{}.kernel));
  module.def(
      "sweep", &sweep, "close"_a.noconvert(), "combos"_a.noconvert(), "fee"_a, "kernel"_a, "threads"_a = 0,
      nb::sig("def sweep(close: numpy.typing.NDArray[numpy.float64], combos: numpy.typing.NDArray[numpy.int64], fee: float, "
              "kernel: str, threads: int = 0) -> tuple[numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.int64], int, int, str, tuple[int, int, int, int, int, int, int]]"),
      "Run every combo over one series: (pnl, trades, compute_ns, threads, target, levels).\n\n"
      "close is float64 (n_bars,), combos int64 (n_combos, 6), both C-contiguous; read-only is fine and nothing is\n"
      "converted or copied. fee is in percent per closed trade, round trip; kernel is one of KERNELS; threads is the\n"
      "most that may be used, 0: ONEKERNEL_THREADS or all cores. levels are LevelCounts of sweep.h. The GIL is\n"
      "released while the sweep runs. ValueError for an unknown kernel, a window below 1 or a fee that is not finite.");
  module.def("first_bad_price", &first_bad_price, "close"_a,
             "Index of the first float64 in a C-contiguous buffer that is no price (NaN, infinite, zero, negative), or -1.");
  module.def("first_bad_window", &first_bad_window, "combos"_a,
             "Index of the first int64 in a C-contiguous buffer that is below 1, or -1.");
  module.def("are_good_combos", &are_good_combos, "combos"_a,
             "Whether this is a C-contiguous, aligned buffer of int64 (n, 6) without a window below 1.");
  onekernel::python::bind_link(module);
  onekernel::python::bind_live(module);
  onekernel::python::bind_native_floor(module);
  onekernel::python::bind_native_live(module);
  onekernel::python::bind_series_memory(module);
}
