"""The architectures that the study compares. A new kernel or transport is one more entry here.

`checked` is the published engine's kernel; the rows that differ from cpp_batch_unix differ in one thing each.
"""

from dataclasses import dataclass

from onekernel_study.crossings import Opener, native_in_process, numba_in_process, over_socket
from onekernel_study.json_crossing import json_chatty
from onekernel_study.names import BASELINE, NUMBA
from onekernel_study.spawning import stdio_spawn


@dataclass(frozen=True)
class Row:
    """One architecture. A time-boxed row takes long and is measured in the first few rounds only."""

    name: str
    title: str
    kernel: str
    opener: Opener
    time_boxed: bool = False


ROWS = (
    Row(BASELINE, "numba in process, one thread", NUMBA, numba_in_process()),
    Row("cpp_in_process", "C++ in process", "checked", native_in_process("checked")),
    Row("cpp_batch_unix", "Unix socket, one call", "checked", over_socket("unix", "checked")),
    Row("cpp_batch_unchecked", "Unix socket, no bounds checks", "unchecked", over_socket("unix", "unchecked")),
    Row("cpp_batch_tcp", "TCP loopback, one call", "checked", over_socket("tcp", "checked")),
    Row("cpp_chatty_unix", "Unix socket, a call per combo", "checked", over_socket("unix", "checked", 1)),
    Row("cpp_spawn_stdin", "a process per sweep, stdin", "checked", stdio_spawn("checked")),
    Row("spawn_per_combo", "a process per combo, stdin", "checked", stdio_spawn("checked", 1), True),
    Row("json_chatty_unix", "JSON, a call per combo", "checked", json_chatty("checked"), True),
)
