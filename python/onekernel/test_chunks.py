import numpy as np

import onekernel as ok
from onekernel.chunks import sweep_in_parts


def test_the_parts_give_the_result_of_the_whole():
    close = 100 + np.arange(400) % 7 / 8
    combos = ok.hma_grid(6, 60, 37)
    sizes = []
    result = sweep_in_parts(lambda part: ok.sweep(close, part, fee=0.09), combos, sizes.append)
    whole = ok.sweep(close, combos, fee=0.09)
    assert result.pnl.tobytes() == whole.pnl.tobytes()
    assert result.trades.tobytes() == whole.trades.tobytes()
    assert sum(sizes) == 37
    assert sizes[0] == 1
    assert len(sizes) > 1


def test_no_combos_are_no_calls():
    result = sweep_in_parts(lambda part: ok.sweep([1.0], part, fee=0), np.empty((0, 6), np.int64), print)
    assert len(result.pnl) == 0
