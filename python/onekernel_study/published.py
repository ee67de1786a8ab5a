"""What the published experiment reports, each figure once, with its unit.

Its machine and versions stand in MACHINE. `derived` marks the figures that were worked out there from others and not
measured. Names are `<section>.<row>.<field>`, as in study.json.
"""

from dataclasses import dataclass

MACHINE = "Apple M2 Max, Python 3.14.6, numpy 2.4.3, numba 0.64.0, rustc 1.94.0; medians of 10"


@dataclass(frozen=True)
class Figure:
    """One published figure."""

    value: float
    unit: str
    derived: bool = False


FIGURES: dict[str, Figure] = {
    "architectures.in_process.median_s": Figure(2.010, "s"),
    "architectures.in_process.ratio": Figure(1.00, "x"),
    "architectures.cpp_batch_unix.median_s": Figure(2.276, "s"),
    "architectures.cpp_batch_unix.ratio": Figure(1.13, "x"),
    "architectures.cpp_batch_unchecked.median_s": Figure(2.337, "s"),
    "architectures.cpp_batch_unchecked.ratio": Figure(1.16, "x"),
    "architectures.cpp_chatty_unix.median_s": Figure(2.383, "s"),
    "architectures.cpp_chatty_unix.ratio": Figure(1.19, "x"),
    "architectures.cpp_spawn_stdin.median_s": Figure(2.300, "s"),
    "architectures.cpp_spawn_stdin.ratio": Figure(1.14, "x"),
    "echo.unix.1.p50_us": Figure(14.05, "us"),
    "echo.unix.1000.p50_us": Figure(18.1, "us"),
    "echo.unix.150000.p50_us": Figure(2043.4, "us"),
    "echo.unix.bandwidth_gb_s": Figure(1.2, "GB/s"),
    "serialization.raw_copied.encode_p50_us": Figure(49.1, "us"),
    "serialization.json.encode_p50_us": Figure(66_243.0, "us"),
    "serialization.raw_copied.ratio": Figure(1.0, "x"),
    "serialization.json.ratio": Figure(1348.0, "x"),
    "derived.compute_per_combo": Figure(25_130.0, "us"),
    "derived.chatty_over_batch": Figure(107.0, "ms"),
    "derived.chatty_over_batch_predicted": Figure(81.0, "ms", derived=True),
    "derived.spawn_over_batch": Figure(24.0, "ms"),
    "derived.json_encoding_chatty": Figure(5.3, "s", derived=True),
    "derived.spawn_per_combo": Figure(1.9, "s", derived=True),
    "derived.params_only_call": Figure(16.0, "us", derived=True),
    "derived.params_only_sweep": Figure(1.3, "ms", derived=True),
    "derived.per_bar_series": Figure(2.1, "s", derived=True),
    "derived.granularity_per_combo": Figure(1795.0, "G", derived=True),
}


def figure(name: str) -> Figure | None:
    """The published figure of that name, or None where the article has none."""
    return FIGURES.get(name)
