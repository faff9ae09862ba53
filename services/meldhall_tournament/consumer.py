"""Takes the ends of tables from JetStream. Each counts once: a pairing has one result, whoever records it.

An end that is heard before it is noted whose table it is, or never, is found by the conductor, which asks
open tables now and then.
"""

from typing import Final

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_messaging import ConsumerSpec, area_filter
from meldhall_tournament.outcomes import ENDS
from meldhall_tournament.referee import Referee
from meldhall_tournament.store import TournamentStore

AREA: Final = "table"


def consumer_spec(durable: str, ack_wait: float) -> ConsumerSpec:
    """Return the durable consumer of tournaments: all events of all tables."""
    return ConsumerSpec(durable, (area_filter(AREA),), ack_wait=ack_wait)


class TableEnds:
    """Applies one envelope; the handler of a ``meldhall_messaging.Consumer``."""

    def __init__(self, store: TournamentStore, referee: Referee) -> None:
        self._store = store
        self._referee = referee

    async def apply(self, envelope: EventEnvelope) -> None:
        """Record what a table gave, if it is a tournament's and over. Durable on return.

        Raises:
            grpc.aio.AioRpcError: the table could not be read; to be tried again.
            LogUnavailable: the database did not answer; to be tried again.
        """
        if envelope.type not in ENDS:
            return
        tournament_id = await self._store.whose_table(envelope.stream_id)
        if tournament_id is not None:
            await self._referee.look(tournament_id, envelope.stream_id)
