"""Real prices and engines for the tests of the package as a whole.

The prices are the daily ones that the PyPI package bokeh_sampledata ships (Quandl WIKI, in the public domain).
"""

import numpy as np
import onekernel as ok
import pytest
from bokeh_sampledata import stocks


@pytest.fixture(scope="session")
def real_close():
    return np.array(stocks.AAPL["close"])


@pytest.fixture(scope="session")
def grid():
    return ok.hma_grid(6, 200, 80)


@pytest.fixture(scope="session", params=["unix", "tcp", "shm"])
def engine(request):
    with ok.spawn(transport=request.param) as engine:
        yield engine


@pytest.fixture
def assert_same_bits():
    def assert_same_bits(result, expected):
        np.testing.assert_array_equal(result.trades, expected.trades)
        np.testing.assert_array_equal(result.pnl.view(np.int64), expected.pnl.view(np.int64))

    return assert_same_bits
