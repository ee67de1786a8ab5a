import threading
import time
from pathlib import Path

import pytest

from onekernel_study.timings import Account, TimingsLog

LINE = '{"op":"sweep","n_bars":3,"n_combos":1,"bytes_in":85,"bytes_out":20,"compute_ns":1500}\n'


def test_it_sums_what_is_new_from_the_clients_side(tmp_path: Path) -> None:
    path = tmp_path / "t"
    log = TimingsLog(path)
    path.write_text(LINE)
    assert log.take(1) == Account(1.5e-6, 1, 85, 20)
    with path.open("a") as file:
        file.write(LINE * 3)
    assert log.take(3) == Account(4.5e-6, 3, 255, 60)


def test_it_waits_for_a_line_that_is_still_being_written(tmp_path: Path) -> None:
    path = tmp_path / "t"

    def write_slowly() -> None:
        with path.open("w") as file:
            for part in (LINE[:20], LINE[20:]):
                file.write(part)
                file.flush()
                time.sleep(0.05)

    writer = threading.Thread(target=write_slowly)
    writer.start()
    assert TimingsLog(path).take(1).crossings == 1
    writer.join()


def test_missing_lines_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text(LINE)
    with pytest.raises(TimeoutError, match="1 of 2 timings"):
        TimingsLog(path).take(2, timeout=0.05)
    with pytest.raises(TimeoutError, match="0 of 1 timings"):
        TimingsLog(tmp_path / "none").take(1, timeout=0.05)


def test_more_lines_than_requests_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text(LINE * 2)
    with pytest.raises(RuntimeError, match="2 timings for 1 requests"):
        TimingsLog(path).take(1)
