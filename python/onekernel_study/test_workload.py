import numpy as np
from onekernel import hma_grid, reference

from onekernel_study.workload import probe


def test_the_probe_is_of_exact_fractions_and_full_of_ties() -> None:
    combos = hma_grid(6, 200, 80)
    series = probe(combos, 0.09).close
    assert (series > 0).all()
    assert (series * 64 == np.round(series * 64)).all()
    for combo in combos:
        ties = (reference.hma3(series, combo) == reference.hma(series, combo)).sum()
        assert ties >= 64, f"{combo} sees {ties} ties"


def test_the_probe_is_the_same_every_time() -> None:
    combos = hma_grid(6, 20, 2)
    assert probe(combos, 0.09).close.tobytes() == probe(combos, 0.09).close.tobytes()
