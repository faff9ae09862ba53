"""A result whose message was lost is read from the table's owner when the table closes."""

from prometheus_client import CollectorRegistry
from structlog.stdlib import get_logger
from tests.integration.meldhall_matchmaking.test_ratings import open_table, points, story

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.results import Ratings, ResultEvents
from meldhall_matchmaking.store import TicketStore
from meldhall_runtime.testing import ManualClock


class Owner:
    """Reads a stream in pages of one."""

    def __init__(self, stream: list[EventEnvelope]) -> None:
        self.stream = stream
        self.reads = 0

    async def read(self, stream_id: str, after: int) -> list[EventEnvelope]:
        self.reads += 1
        return [one for one in self.stream if one.stream_id == stream_id and one.sequence == after + 1]


def handler(store: TicketStore, owner: Owner) -> ResultEvents:
    metrics = MatchmakingMetrics(CollectorRegistry())
    return ResultEvents(Ratings(store.database), owner.read, ManualClock(), metrics, get_logger())


async def test_a_lost_result_counts_when_the_table_closes(store: TicketStore) -> None:
    created, ended, closed = story("t", "ann", "ben")
    owner = Owner([created, ended, closed])
    await open_table(store, "ann", "ben")

    await handler(store, owner).apply(closed)
    await handler(store, owner).apply(closed)
    await handler(store, owner).apply(ended)

    assert await points(Ratings(store.database), "ann") > 1_500
    assert owner.reads == 2
    assert (await Ratings(store.database).of("ben"))["rummy101"].matches == 1


async def test_a_table_that_closed_without_a_result_is_waited_for_no_more(store: TicketStore) -> None:
    created, _, closed = story("t", "ann", "ben")
    owner = Owner([created, closed])
    await open_table(store, "ann", "ben")

    await handler(store, owner).apply(closed)

    assert not await Ratings(store.database).awaits("t")
    assert await Ratings(store.database).of("ann") == {}


async def test_tables_that_are_not_ranked_are_not_read(store: TicketStore) -> None:
    owner = Owner(story("t", "ann", "ben"))
    for envelope in owner.stream:
        await handler(store, owner).apply(envelope)

    assert owner.reads == 0
    assert await Ratings(store.database).of("ann") == {}
