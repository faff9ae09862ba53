"""Takes the results of ranked matches from the events of tables, each once in effect.

Of all public events only two matter. A match that ended counts, once, whoever delivers it how often. A ranked
table that closed without a result that counted is read from its owner: if its match did end, that message was
lost and counts now.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from google.protobuf.message import DecodeError
from structlog.stdlib import BoundLogger

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_events_pb2 as pb
from meldhall_eventlog.database import Database, commits_for
from meldhall_matchmaking.domain.ratings import Rating
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.store.ratings import (
    Result,
    awaits_result,
    count_result,
    end_table,
    ratings_of,
)
from meldhall_messaging import ConsumerSpec, PoisonMessage, area_filter
from meldhall_runtime import Clock
from meldhall_runtime.failpoints import failpoint

AREA: Final = "table"
MATCH_ENDED: Final = pb.MatchEnded.DESCRIPTOR.full_name
TABLE_CLOSED: Final = pb.TableClosed.DESCRIPTOR.full_name
KNOWN_SCHEMA: Final = 1

AFTER_RATING: Final = "matchmaking.after_rating"
"""Failpoint: ratings are written, the message of the result is not acknowledged."""

ReadStream = Callable[[str, int], Awaitable[Sequence[EventEnvelope]]]
"""Reads a page of a table's public events after a sequence from its owner."""


def consumer_spec(durable: str, ack_wait: float) -> ConsumerSpec:
    """Return the durable consumer of ratings, which all processes share."""
    return ConsumerSpec(durable, (area_filter(AREA),), ack_wait=ack_wait)


class Ratings:
    """Ratings over matchmaking's database.

    Args:
        database: migrated and open; closed by whoever opened it, after ``close``.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = commits_for(database)

    async def close(self) -> None:
        """Finish what runs."""
        await self._commits.close()

    async def of(self, player_id: str) -> dict[str, Rating]:
        """Return a player's ratings by game."""
        return await self._database.read(lambda connection: ratings_of(connection, player_id))

    async def count(self, result: Result, now_ms: int) -> bool:
        """Let a result move ratings; False where it is of no ranked table, or counted before.

        Raises:
            ValueError: it cannot be a result of that table.
        """
        return await self._commits.run(lambda connection: count_result(connection, result, now_ms))

    async def awaits(self, table_id: str) -> bool:
        """Whether a table is ranked and its result has not counted."""
        return await self._database.read(lambda connection: awaits_result(connection, table_id))

    async def give_up(self, table_id: str, now_ms: int) -> None:
        """Wait no more for a table's result."""
        await self._commits.run(lambda connection: end_table(connection, table_id, now_ms))


class ResultEvents:
    """Applies one envelope; the handler of a ``meldhall_messaging.Consumer``."""

    def __init__(
        self,
        ratings: Ratings,
        read_stream: ReadStream,
        clock: Clock,
        metrics: MatchmakingMetrics,
        log: BoundLogger,
    ) -> None:
        self._ratings = ratings
        self._read_stream = read_stream
        self._clock = clock
        self._metrics = metrics
        self._log = log
        self._after_rating = failpoint(AFTER_RATING)

    async def apply(self, envelope: EventEnvelope) -> None:
        """Apply an event. What it does is durable on return.

        Raises:
            PoisonMessage: people have to look at it; nothing changed.
            LogUnavailable: the database did not answer; to be tried again.
            grpc.aio.AioRpcError: no engine answered; to be tried again.
        """
        if envelope.type == MATCH_ENDED:
            await self._count(envelope)
        elif envelope.type == TABLE_CLOSED and await self._ratings.awaits(envelope.stream_id):
            await self._look_for_result(envelope.stream_id)
            await self._ratings.give_up(envelope.stream_id, self._clock.now_ms())

    async def _count(self, envelope: EventEnvelope) -> None:
        if not await self._ratings.awaits(envelope.stream_id):
            return
        try:
            result = _result(envelope)
            counted = await self._ratings.count(result, self._clock.now_ms())
        except ValueError as error:
            raise PoisonMessage(f"{envelope.type} of {envelope.stream_id}: {error}") from error
        self._after_rating()
        if counted:
            self._metrics.rated.inc()
            self._log.info("match_rated", table_id=result.table_id, players=len(result.players))

    async def _look_for_result(self, table_id: str) -> None:
        after = 0
        while page := await self._read_stream(table_id, after):
            for envelope in page:
                if envelope.type == MATCH_ENDED:
                    await self._count(envelope)
                    return
            after = page[-1].sequence


def _result(envelope: EventEnvelope) -> Result:
    if envelope.schema_version > KNOWN_SCHEMA:
        raise ValueError(f"schema {envelope.schema_version} is not known")
    try:
        ended = pb.MatchEnded.FromString(envelope.payload)
    except DecodeError as error:
        raise ValueError(str(error)) from error
    return Result(
        envelope.stream_id,
        tuple(ended.players),
        tuple(ended.result.winners),
        tuple(ended.result.totals),
    )
