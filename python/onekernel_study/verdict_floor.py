"""The part of the verdict about single crossings: how much a call must carry, and how far to trust the figures."""

from onekernel_study.names import UNIX
from onekernel_study.reading import Rows, spread, unix_fit
from onekernel_study.schema import Study
from onekernel_study.wording import count, percent, seconds


def break_even(study: Study, rows: Rows) -> str | None:
    """How much work a call must carry, and into how many calls a sweep may be split."""
    facts = study.break_even
    if facts.floor_us is None or facts.series_crossing_us is None:
        return None
    needed = [f"{seconds((1.0 - s) / s * facts.floor_us / 1e6)} for {s:.0%}" for s in (0.01, 0.10, 0.50)]
    splits = [
        f"{each.kernel} {count(each.calls_at_10_percent)} ({count(each.shipping_calls_at_10_percent)} with the series)"
        for each in facts.granularity
        if each.unit == "sweep"
    ]
    return (
        f"Break-even: an empty crossing costs {seconds(facts.floor_us / 1e6)}, so the boundary stays below a share of "
        f"the total where each call computes for at least {', '.join(needed)}. One sweep reaches 10% when it is split "
        f"into so many calls: {'; '.join(splits)}."
    )


def transports(study: Study, rows: Rows) -> str | None:
    """The Unix socket against TCP on the loopback."""
    fits = {fit.transport: fit for fit in study.echo_fits}
    unix, tcp = fits.get("unix"), fits.get("tcp")
    if unix is None or tcp is None or unix.floor_us <= 0:
        return None
    return (
        f"Unix socket or TCP loopback: an empty crossing costs {seconds(unix.floor_us / 1e6)} or "
        f"{seconds(tcp.floor_us / 1e6)} ({tcp.floor_us / unix.floor_us:.2f} times), the bytes go at "
        f"{unix.bandwidth_gb_s:.2f} or {tcp.bandwidth_gb_s:.2f} GB/s, both ways together."
    )


def placement(study: Study, rows: Rows) -> str | None:
    """What the scheduler's choice of cores does to the floor."""
    pinned = {each.placement: each.p50_us for each in study.echo_placement if each.transport == UNIX}
    fit = unix_fit(study)
    if fit is None or "one core" not in pinned or "two cores" not in pinned:
        return None
    low, high = sorted(pinned, key=lambda name: pinned[name])
    return (
        f"The floor is also the scheduler's: pinned to {low} a one-float echo takes {seconds(pinned[low] / 1e6)}, "
        f"on {high} {seconds(pinned[high] / 1e6)} ({pinned[high] / pinned[low]:.1f} times); unpinned, as "
        f"everything else here, {seconds(fit.p50_one_float_us / 1e6)}."
    )


def noise(study: Study, rows: Rows) -> str | None:
    """How far these figures can be trusted."""
    measured = [row for row in rows.values() if len(row.runs_s) > 1]
    if not measured:
        return None
    widest = max(measured, key=spread)
    machine = study.environment
    busy = machine.load_average_at_start[0] > 0.5 * len(machine.affinity)
    load = (
        f" The machine was not idle at the start: load average {machine.load_average_at_start[0]:.2f} on "
        f"{len(machine.affinity)} cores."
        if busy
        else ""
    )
    return (
        f"Noise: the wall times of {widest.name} scatter most, by {percent(spread(widest))} (largest minus smallest, "
        f"over the median). Boundaries share little of it, since each is taken within its own run.{load}"
    )
