"""The peers of the study. A new one is a file with its two sides, and an entry here."""

import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from onekernel_study.peers.contract import BAR, COMBO, SWEEP, Client, Spec

PYTHON = "python"  # the "library" of what the standard library carries


def _from(module: str, function: str = "connect") -> Callable[[Path], AbstractContextManager[Client]]:
    """Opens a peer whose module, and the library that it needs, is imported only then."""

    def opened(folder: Path) -> AbstractContextManager[Client]:
        peer = importlib.import_module(f"onekernel_study.peers.{module}")
        client: AbstractContextManager[Client] = getattr(peer, function)(folder)
        return client

    return opened


NATIVE = "native"
PROTOBUF = "protobuf, repeated double"

PEERS = (
    Spec(
        NATIVE, "the native kernel, a function call", "onekernel", "in process", "none", _from("in_process", "native")
    ),
    Spec(
        "numba",
        "numba, a function call",
        "numba",
        "in process",
        "none",
        _from("in_process", "numba"),
        (SWEEP, COMBO),
        "the naive arithmetic as published: its compute is another kernel's",
    ),
    Spec("iceoryx2", "iceoryx2", "iceoryx2", "shared memory", "raw bytes", _from("iceoryx")),
    Spec("zeromq", "ZeroMQ, REQ and REP", "pyzmq", "unix", "raw bytes", _from("zeromq")),
    Spec("mp_pipe", "multiprocessing, Pipe", PYTHON, "unix", "pickle", _from("multiprocess", "pipe")),
    Spec("mp_pool", "multiprocessing, Pool of one", PYTHON, "pipe", "pickle", _from("multiprocess", "pool")),
    Spec("grpc_unary", "gRPC, unary", "grpcio", "unix", PROTOBUF, _from("grpc_peer", "unary")),
    Spec("grpc_stream", "gRPC, one stream", "grpcio", "unix", PROTOBUF, _from("grpc_peer", "stream"), (BAR,)),
    Spec("flight", "Arrow Flight", "pyarrow", "unix", "Arrow IPC; a bar: raw bytes", _from("flight")),
    Spec("http_json", "HTTP, FastAPI and uvicorn", "fastapi", "unix", "JSON", _from("http_json")),
    Spec(
        "subprocess",
        "a Python process per call",
        PYTHON,
        "pipe",
        "raw bytes",
        _from("subprocess_call"),
        note="a bar brings along the closes that its decision looks back on, since no state stays",
    ),
)
