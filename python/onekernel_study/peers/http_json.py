"""JSON over HTTP: FastAPI on uvicorn behind a Unix socket, httpx as the client, one kept-alive connection."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fastapi
import httpx
import numpy as np
import pydantic
import uvicorn

from onekernel_study.peers.process import cpu_ns, ready, served
from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept

TIMEOUT_S = 60.0


class SweepRequest(pydantic.BaseModel):
    """What a sweep is asked with."""

    close: list[float]
    combos: list[list[int]]
    fee: float


class BarRequest(pydantic.BaseModel):
    """What a bar is asked with."""

    close: float


def application() -> fastapi.FastAPI:
    """The two routes. They are coroutines, so that no thread pool stands between: the quickest form of FastAPI."""
    app, service = fastapi.FastAPI(), Service()

    @app.post("/sweep")
    async def sweep(request: SweepRequest) -> dict[str, Any]:
        pnl, trades, compute_ns = service.sweep(np.array(request.close), np.array(request.combos), request.fee)
        return {"pnl": pnl.tolist(), "trades": trades.tolist(), "compute_ns": compute_ns}

    @app.post("/bar")
    async def bar(request: BarRequest) -> dict[str, Any]:
        value, compute_ns = service.bar(request.close)
        return {"value": value, "compute_ns": compute_ns}

    return app


def serve(address: str) -> None:
    """Serves until the process ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        ready()
        server = uvicorn.Server(uvicorn.Config(application(), log_level="warning", lifespan="off"))
        server.run(sockets=[listener])


class Client:
    """The httpx side."""

    def __init__(self, client: httpx.Client, pid: int) -> None:
        self._client = client
        self._pid = pid

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """Every number as text, both ways."""
        reply = self._post("/sweep", {"close": close.tolist(), "combos": combos.tolist(), "fee": fee})
        return Swept(np.array(reply["pnl"], np.float64), np.array(reply["trades"], np.int64), reply["compute_ns"])

    def bar(self, close: float) -> Stepped:
        """One number as text, both ways."""
        reply = self._post("/bar", {"close": close})
        return Stepped(reply["value"], reply["compute_ns"])

    def server_cpu_ns(self) -> int:
        """Of uvicorn's process."""
        return cpu_ns(self._pid)

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._client.post(path, json=body).raise_for_status().json()


@contextmanager
def connect(folder: Path) -> Iterator[Client]:
    """Starts the peer and connects to it."""
    address = str(folder / "s")
    with served("http_json", address) as pid:
        transport = httpx.HTTPTransport(uds=address)
        with httpx.Client(transport=transport, base_url="http://peer", timeout=TIMEOUT_S) as client:
            yield Client(client, pid)
