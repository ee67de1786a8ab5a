"""How it was measured and where that ends, in sentences for the page and the paper."""

from onekernel_study.schema import Study


def method(study: Study) -> tuple[str, ...]:
    """One subject per sentence; each says what was done in this run."""
    clock = study.environment.clock
    boxed = [row.name for row in study.architectures if row.time_boxed]
    return (
        f"Every row calls the same arithmetic: {study.workload.n_combos} combos over {study.workload.n_bars:,} bars, "
        f"{study.workload.description}, fee {study.workload.fee_percent:g} % per closed trade.",
        "A time counts only where the answer of that very run equals the reference: every pnl as a 64-bit pattern, "
        "every count of trades, every echoed byte. A row that fails is withheld, with the reason.",
        f"The rows take turns in {study.rounds} rounds after a warm-up, each round beginning with another row, so that "
        "a slow minute of the machine falls on all of them. Reported are medians and nearest-rank percentiles of "
        "single calls, never percentiles of averages.",
        *([f"Measured in fewer rounds, since one run takes long: {', '.join(boxed)}."] if boxed else []),
        "Intervals are 95 % bootstrap intervals over rounds, which stay together when they are drawn; echoes are "
        "drawn by bursts. They say how much the rounds of this run differ, not how another machine would.",
        "The boundary is the wall time of a call less the engine's own measurement of its compute, taken within the "
        "same run.",
        f"The clock is {clock.name}: {clock.cost_ns:g} ns a reading, smallest step {clock.resolution_ns:g} ns.",
        "The echo curve is measured back to back. Right after a computation caches are cold and the scheduler may have "
        "moved a process, so a crossing can cost several times as much; the figures after a computation say how much.",
        "Everything ran on one machine over its loopback: nothing here speaks of a network.",
        *(["This was a quick run, with few repetitions: its percentiles beyond p90 are rough."] if study.quick else []),
    )
