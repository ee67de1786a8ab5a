import struct
import sys

import onekernel as ok
import pytest

from onekernel_study.spawning import measure_spawns, run_once


def test_one_request_through_a_real_engine_process() -> None:
    request = struct.pack("<IBIId", 17, 1, 1, 0, 2.5)
    assert run_once([str(ok.engine_path()), "stdio"], [request[:5], request[5:]]) == struct.pack("<Id", 8, 2.5)


def test_more_bytes_than_a_pipe_holds_both_ways() -> None:
    parts = [bytes([i]) * 500_000 for i in range(4)]
    echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert run_once([sys.executable, "-c", echo], [memoryview(part) for part in parts]) == b"".join(parts)


def test_a_failing_process_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    malformed = struct.pack("<IB", 1, 9)
    with pytest.raises(RuntimeError, match="stdio exited with 1"):
        run_once([str(ok.engine_path()), "stdio"], [malformed])
    assert capfd.readouterr().err, "the engine says why on stderr"


def test_a_process_that_does_not_read_is_an_error_and_no_hang() -> None:
    with pytest.raises(RuntimeError, match="exited with 3"):
        run_once([sys.executable, "-c", "raise SystemExit(3)"], [bytes(1 << 20)])


@pytest.mark.parametrize("request_bytes", [0, 1 << 20], ids=["waiting for the reply", "waiting to write"])
def test_a_process_that_hangs_is_killed_at_the_deadline(request_bytes: int) -> None:
    with pytest.raises(TimeoutError, match="did not answer within 0.2 s"):
        run_once([sys.executable, "-c", "import time; time.sleep(600)"], [bytes(request_bytes)], timeout=0.2)


def test_spawns_are_measured_for_the_engine_and_for_python() -> None:
    spawns = {each.what: each for each in measure_spawns(2)}
    assert {"onekernel-engine stdio, echo of one float", "python, import numpy"} <= set(spawns)
    assert all(each.p50_ms > 0 and each.n == 2 for each in spawns.values())
