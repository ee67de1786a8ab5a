"""The same promises whatever the way: in process, classic and session frames, over sockets and in shared memory."""

import numpy as np
import onekernel as ok
import pytest
from onekernel import reference

WAYS = {
    "classic over unix": {"transport": "unix", "protocol": "classic"},
    "classic over tcp": {"transport": "tcp", "protocol": "classic"},
    "session over unix": {"transport": "unix"},
    "session over tcp": {"transport": "tcp"},
    "session in shared memory": {"transport": "shm"},
    "session in shared memory without spinning": {"transport": "shm", "spin_us": 0.0},
}
LIMITS = ["--max-combos", "500", "--max-frame-bytes", "2000000", "--max-series", "4", "--max-series-bytes", "4000000"]
FEE = 0.09


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: way.replace(" ", "-"))
def engine(request):
    with ok.spawn(fee=FEE, arguments=LIMITS, **WAYS[request.param]) as engine:
        yield engine


@pytest.fixture(scope="module", params=[way for way in WAYS if "session" in way], ids=lambda way: way.replace(" ", "-"))
def session(request):
    with ok.spawn(arguments=LIMITS, **WAYS[request.param]) as engine:
        yield engine


@pytest.fixture(autouse=True)
def _nothing_stored(request):
    yield
    if "session" in request.fixturenames:
        engine = request.getfixturevalue("session")
        for series in {each.id: each for each in engine.series()}.values():
            engine.drop(series)


def random_case(seed):
    """Prices with flat stretches and jumps, and windows from 1 to more than there are bars."""
    rng = np.random.default_rng(seed)
    n_bars = int(rng.integers(1, 1500))
    steps = rng.normal(0, 0.01, n_bars) * (rng.random(n_bars) < 0.8)
    close = np.round(100 * np.exp(np.cumsum(steps)), int(rng.integers(1, 6)))
    combos = rng.integers(1, rng.choice([4, 60, 2 * n_bars + 2]), (int(rng.integers(0, 60)), 6))
    return close, combos


@pytest.mark.parametrize("seed", range(8))
def test_a_sweep_has_the_bits_of_the_reference(engine, assert_same_bits, seed):
    close, combos = random_case(seed)
    expected = reference.sweep(close, combos, fee=FEE)
    assert_same_bits(ok.sweep(close, combos, fee=FEE), expected)
    assert_same_bits(engine.sweep(close, combos, fee=FEE), expected)


@pytest.mark.parametrize("kernel", ok.KERNELS)
@pytest.mark.parametrize("fee", [0.0, 0.09, -0.25, 1e-300])
def test_kernel_and_fee_go_along(session, assert_same_bits, kernel, fee):
    close, combos = random_case(101)
    result = session.sweep(close, combos, fee=fee, kernel=kernel, threads=1)
    assert_same_bits(result, reference.sweep(close, combos, fee=fee))
    assert (result.kernel, result.threads) == (kernel, 1)
    assert result.compute_ns > 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("memfd", [True, False, None])
def test_a_stored_series_gives_the_same_bits(session, assert_same_bits, seed, memfd):
    close, combos = random_case(seed)
    if memfd and not session.hello.passes_descriptors:
        with pytest.raises(ValueError, match="over a Unix socket only"):
            session.put("random", close, memfd=True)
        memfd = None
    series = session.put("random", close, memfd=memfd)
    assert (series.name, series.n_bars, series.shared) == ("random", len(close), False)
    for kernel in session.hello.kernels:
        expected = reference.sweep(close, combos, fee=FEE)
        assert_same_bits(session.sweep(series, combos, fee=FEE, kernel=kernel), expected)


def test_results_and_echoes_are_arrays_of_the_users_own(engine):
    close, combos = random_case(3)
    first, second = engine.sweep(close, combos, fee=FEE), engine.sweep(close, combos, fee=FEE)
    for array in (first.pnl, first.trades, engine.echo(close)):
        assert array.flags.writeable
        assert array.flags.aligned
        assert array.flags.c_contiguous
    first.pnl[:] = 0.0
    first.trades[:] = -1
    assert (second.trades >= 0).all()
    assert engine.sweep(close, combos, fee=FEE).pnl.tobytes() == second.pnl.tobytes()


@pytest.mark.parametrize("size", [0, 1, 2, 5, 6, 7, 100, 511, 512, 513, 8191, 32768, 131_072, 131_073, 200_000])
def test_any_float_comes_back_as_it_went(engine, size):
    values = np.random.default_rng(size).integers(0, 2**64, size, np.uint64).view(np.float64)
    back = engine.echo(values)
    assert back.tobytes() == values.tobytes()
    assert not np.shares_memory(back, values)


def test_limits_are_told_and_held(session):
    limits = session.limits
    assert (limits.max_combos, limits.max_frame_bytes, limits.max_series) == (500, 2_000_000, 4)
    with pytest.raises(ok.EngineError, match=r"limit exceeded: .*--max-frame-bytes"):
        session.echo(np.zeros(250_000))
    with pytest.raises(ok.EngineError, match=r"limit exceeded: .*--max-combos"):
        session.sweep([1.0], np.ones((501, 6), np.int64), fee=FEE)
    for number in range(4):
        session.put(f"series {number}", [1.0 + number])
    with pytest.raises(ok.EngineError, match=r"limit exceeded: .*--max-series"):
        session.put("one too many", [9.0])
    assert session.echo([1.0]).tolist() == [1.0]


def test_a_classic_frame_over_a_limit_is_refused_too(engine):
    with pytest.raises(ok.EngineError, match="limit exceeded") as caught:
        engine.sweep([1.0], np.ones((501, 6), np.int64), fee=FEE)
    assert caught.value.code == 4
    assert engine.echo([1.0]).tolist() == [1.0]


def test_series_are_listed_and_dropped(session):
    assert session.series() == []
    own, everybodys = session.put("own", [1.0, 2.0]), session.put("everybody's €", [3.0], shared=True)
    assert sorted(session.series(), key=lambda series: series.id) == sorted([own, everybodys], key=lambda s: s.id)
    session.drop(own)
    assert session.series() == [everybodys]
    with ok.connect(session.url) as other:
        assert other.series() == [everybodys]
        assert other.sweep(everybodys, [[1] * 6], fee=FEE).trades.tolist() == [0]
        with pytest.raises(ok.SeriesNotFound):
            other.sweep(own, [[1] * 6], fee=FEE)
    with pytest.raises(ok.SeriesNotFound) as caught:
        session.drop(own)
    assert isinstance(caught.value, ok.EngineError)
    assert caught.value.code == 11


def test_the_same_content_is_one_series(session):
    first = session.put("first", [1.0, 2.0, 3.0])
    second = session.put("second", [1.0, 2.0, 3.0], memfd=True if session.hello.passes_descriptors else None)
    assert (first.id, first.content_hash) == (second.id, second.content_hash)
    assert session.statistics().series == 1


def test_a_shared_name_is_replaced_only_when_asked(session):
    session.put("name", [1.0], shared=True)
    with pytest.raises(ok.SeriesExists, match="already exists: .*'name'"):
        session.put("name", [2.0], shared=True)
    replaced = session.put("name", [2.0, 3.0], shared=True, replace=True)
    assert session.series() == [replaced]


def test_bad_arguments_are_refused_before_they_cross(session):
    before = session.statistics().requests
    for name in ("", "x" * 256, "é" * 128):
        with pytest.raises(ValueError, match="the name of a series has 1 to 255 bytes"):
            session.put(name, [1.0])
    with pytest.raises(ValueError, match=r"close\[1\] is nan"):
        session.put("x", [1.0, np.nan])
    with pytest.raises(ValueError, match="unknown kernel 'fastest'; the engine at .* has: checked, "):
        session.sweep([1.0], [[1] * 6], fee=FEE, kernel="fastest")
    with pytest.raises(ValueError, match="threads is 0"):
        session.sweep([1.0], [[1] * 6], fee=FEE, threads=0)
    with pytest.raises(ValueError, match="fee is nan"):
        session.sweep([1.0], [[1] * 6], fee=np.nan)
    with pytest.raises(ValueError, match="combo 1: window 'third' is 0"):
        session.sweep([1.0], [[1] * 6, [1, 1, 1, 0, 1, 1]], fee=FEE)
    assert session.statistics().requests == before + 1, "something of these was sent"


def test_statistics_count(session):
    before = session.statistics()
    session.sweep(*random_case(4), fee=FEE)
    with pytest.raises(ok.EngineError):
        session.sweep([1.0], np.ones((501, 6), np.int64), fee=FEE)
    after = session.statistics()
    assert after.requests - before.requests == 3
    assert after.errors - before.errors == 1
    assert after.compute_ns > before.compute_ns
    assert after.uptime_ns > before.uptime_ns
    assert after.connections == 1


def test_hello_names_the_engine(session):
    assert session.hello.version == ok.__version__
    assert session.hello.kernels == ok.KERNELS
    assert session.hello.default_kernel == ok.DEFAULT_KERNEL
    assert session.hello.passes_descriptors is session.url.startswith("unix:")


@pytest.mark.parametrize(
    "use",
    [
        lambda engine: engine.put("x", [1.0]),
        lambda engine: engine.series(),
        lambda engine: engine.drop(None),
        lambda engine: engine.statistics(),
        lambda engine: engine.limits,
        lambda engine: engine.sweep([1.0], [[1] * 6], fee=FEE, kernel="checked"),
        lambda engine: engine.sweep([1.0], [[1] * 6], fee=FEE, threads=1),
        lambda engine: engine.sweep(ok.Series(1, "x", 1, 1, False, 0), [[1] * 6], fee=FEE),
    ],
)
def test_what_classic_frames_cannot_say_is_refused(use):
    with (
        ok.spawn(protocol="classic") as engine,
        pytest.raises(ValueError, match="classic frames have no .*protocol='session'"),
    ):
        use(engine)


def test_a_choice_that_there_is_not_is_refused(tmp_path):
    with pytest.raises(ValueError, match="protocol is 'modern'"):
        ok.connect(f"unix:{tmp_path}/x", protocol="modern")
    with pytest.raises(ValueError, match="shared memory needs protocol='session'"):
        ok.connect(f"shm:{tmp_path}/x", protocol="classic")
    with pytest.raises(ValueError, match="shared memory needs protocol='session'"):
        ok.spawn(transport="shm", protocol="classic")
    with pytest.raises(ValueError, match="spin_us is -1"):
        ok.connect(f"shm:{tmp_path}/x", spin_us=-1)
    with pytest.raises(ok.ConnectionLost, match="No such file"):
        ok.connect(f"shm:{tmp_path}/x")
