"""Arrow Flight over a Unix socket: the series as a record batch in an exchange, a bar as an action."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import flight

from onekernel_study.peers import messages
from onekernel_study.peers.process import cpu_ns, ready, served
from onekernel_study.peers.service import Floats, Ints, Service, Stepped, Swept

CLOSE = pa.schema([("close", pa.float64())])
ANSWER = pa.schema([("pnl", pa.float64()), ("trades", pa.int64())])
FEE = struct.Struct("<d")
COMPUTE = struct.Struct("<q")


class Server(flight.FlightServerBase):  # type: ignore[misc]
    """The combos and the fee come in the descriptor, the compute time goes back as the batch's metadata."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._service = Service()

    def do_exchange(
        self,
        context: flight.ServerCallContext,
        descriptor: flight.FlightDescriptor,
        reader: flight.MetadataRecordBatchReader,
        writer: flight.MetadataRecordBatchWriter,
    ) -> None:
        """One sweep."""
        (fee,) = FEE.unpack_from(descriptor.command)
        combos = np.frombuffer(descriptor.command, np.int64, offset=FEE.size).reshape(-1, 6)
        close = reader.read_chunk().data.column(0).to_numpy()
        pnl, trades, compute_ns = self._service.sweep(close, combos, fee)
        writer.begin(ANSWER)
        batch = pa.record_batch([pa.array(pnl), pa.array(trades)], schema=ANSWER)
        writer.write_with_metadata(batch, COMPUTE.pack(compute_ns))

    def do_action(self, context: flight.ServerCallContext, action: flight.Action) -> list[bytes]:
        """One bar."""
        return [messages.answer(self._service, action.body.to_pybytes())]


def serve(address: str) -> None:
    """Serves until the process ends."""
    server = Server(address)
    ready()
    server.serve()


class Client:
    """The Flight client."""

    def __init__(self, client: flight.FlightClient, pid: int) -> None:
        self._client = client
        self._pid = pid

    def sweep(self, close: Floats, combos: Ints, fee: float) -> Swept:
        """One exchange."""
        descriptor = flight.FlightDescriptor.for_command(FEE.pack(fee) + combos.tobytes())
        writer, reader = self._client.do_exchange(descriptor)
        with writer:
            writer.begin(CLOSE)
            writer.write_batch(pa.record_batch([pa.array(close)], schema=CLOSE))
            writer.done_writing()
            chunk = reader.read_chunk()
        pnl, trades = (chunk.data.column(i).to_numpy() for i in (0, 1))
        return Swept(pnl, trades, COMPUTE.unpack(chunk.app_metadata.to_pybytes())[0])

    def bar(self, close: float) -> Stepped:
        """One action."""
        (result,) = self._client.do_action(flight.Action("bar", messages.bar_request(close)))
        return messages.bar_reply(result.body.to_pybytes())

    def server_cpu_ns(self) -> int:
        """Of the Flight server's process."""
        return cpu_ns(self._pid)


@contextmanager
def connect(folder: Path) -> Iterator[Client]:
    """Starts the peer and connects to it."""
    address = f"grpc+unix://{folder / 's'}"
    with served("flight", address) as pid, flight.connect(address) as client:
        yield Client(client, pid)
