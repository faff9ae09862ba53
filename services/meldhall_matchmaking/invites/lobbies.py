"""What listed tables look like now, read from their public events as far as it is asked for."""

import asyncio
from collections import OrderedDict
from typing import Any, Final

from google.protobuf.message import DecodeError

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as table_pb
from meldhall_matchmaking.domain.invite import Lobby
from meldhall_routing import TableRouter
from meldhall_runtime import Clock

FRESH_SECONDS: Final = 1.0
"""How old what is told of a table may be."""

MOST: Final = 2_000
"""Tables that are remembered between two questions."""

AT_ONCE: Final = 8
READ_SECONDS: Final = 2.0
PAGE: Final = 500


class Lobbies:
    """Reads tables, each at most once a second and only what is new of it.

    Args:
        router: To the table engines, with a token of this service.
        clock: For how old something is.
    """

    def __init__(self, router: TableRouter, clock: Clock) -> None:
        self._router = router
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Lobby]] = OrderedDict()
        self._gate = asyncio.Semaphore(AT_ONCE)

    async def look(self, table_id: str) -> Lobby:
        """Return a table as it is now, or was a second ago.

        Raises:
            grpc.aio.AioRpcError: the table service refused, or does not answer.
            TableUnreachable: no engine answered in time.
        """
        async with self._gate:
            read_at, lobby = self._known.pop(table_id, (float("-inf"), Lobby()))
            now = self._clock.monotonic()
            if now - read_at >= FRESH_SECONDS and not lobby.over:
                lobby, read_at = await self._read(table_id, lobby), now
            self._known[table_id] = read_at, lobby
            while len(self._known) > MOST:
                self._known.popitem(last=False)
            return lobby

    async def _read(self, table_id: str, lobby: Lobby) -> Lobby:
        while True:
            request = table_pb.ReadStreamRequest(table_id=table_id, after_sequence=lobby.sequence, limit=PAGE)
            page = await self._router.read_stream(request, within=READ_SECONDS)
            for envelope in page:
                lobby = fold(lobby, envelope)
            if len(page) < PAGE or lobby.over:
                return lobby


def fold(lobby: Lobby, envelope: EventEnvelope) -> Lobby:
    """Take a public event into account; one that says nothing about seats moves the number only."""
    reader = _READERS.get(envelope.type)
    if reader is not None:
        kind, apply = reader
        try:
            lobby = apply(lobby, kind.FromString(envelope.payload))
        except DecodeError:
            # A table of which one event cannot be read is not one to send strangers to.
            lobby = Lobby(over=True)
    return Lobby(envelope.sequence, lobby.taken, lobby.locked, lobby.over)


def _over(lobby: Lobby, _event: Any) -> Lobby:
    return Lobby(lobby.sequence, lobby.taken, lobby.locked, over=True)


_READERS: Final[dict[str, tuple[Any, Any]]] = {
    kind.DESCRIPTOR.full_name: (kind, apply)
    for kind, apply in (
        (events_pb.SeatTaken, lambda lobby, event: lobby.sat_down(event.seat)),
        (events_pb.SeatLeft, lambda lobby, event: lobby.stood_up(event.seat)),
        (
            events_pb.SeatChanged,
            lambda lobby, event: lobby.stood_up(event.from_seat).sat_down(event.to_seat),
        ),
        (
            events_pb.TableLocked,
            lambda lobby, event: Lobby(lobby.sequence, lobby.taken, event.locked, lobby.over),
        ),
        (events_pb.RoundStarted, _over),
        (events_pb.TableClosed, _over),
    )
}
