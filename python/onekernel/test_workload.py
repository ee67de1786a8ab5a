import pytest

import onekernel as ok
from onekernel import workload


def test_the_published_workload_has_its_published_fingerprint():
    close, combos, fee = workload.published()
    assert close.shape == (150_000,)
    assert combos.shape == (80, 6)
    result = ok.sweep(close, combos[:1], fee=fee)
    assert result.pnl[0] == pytest.approx(-5165.584357716996, abs=1e-6)
    assert result.trades[0] == 57_029
