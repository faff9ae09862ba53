"""Ends of tables come from JetStream: each result counts once, however often and whenever it is told."""

from pathlib import Path

from tests.fixtures.table_streams import publisher
from tests.fixtures.tournament_service import Room, tournaments

from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall_embedded import NatsServer
from meldhall_runtime.testing import operator


async def test_a_result_is_recorded_once_however_often_it_is_told(tmp_path: Path, nats: NatsServer) -> None:
    database, room = tmp_path / "tournament.sqlite3", Room()
    async with publisher(nats) as events:
        async with tournaments(database, room, nats_url=nats.url) as made:
            tournament_id = await made.announce(maximum=4)
            await made.enter(tournament_id, "ann", "ben", "cleo", "dan")
            first, second = await made.opened(tournament_id)
            room.end(first, 10, 0)
            await events.publish([*room.ended[first], *room.ended[first]])
            await made.until(tournament_id, tables_open=1)
            await events.publish(room.ended[first])
            stranger = Room()
            stranger.end("a-table-of-somebody", 1, 0)
            await events.publish(stranger.ended["a-table-of-somebody"])
            # Nobody looks at tables here without being told: this one is over, and open still.
            room.end(second, 0, 10)
            assert (await made.status(tournament_id)).tables_open == 1
        # What is told while nobody listens is heard at the next start.
        await events.publish(room.ended[second])
        async with tournaments(database, room, nats_url=nats.url) as made:
            await made.until(tournament_id, settled=True)
            pairings = await made.pairings(tournament_id)
            assert [one.source for one in pairings] == [pb.RESULT_SOURCE_MATCH] * 2
            assert not any(one.has_late_result for one in pairings)

            # The same table with another result, after the close: noted, and nothing else.
            request = pb.ListStandingsRequest(tournament_id=tournament_id)
            before = await made.call(operator(), "ListStandings", request)
            room.end(first, 0, 10)
            await events.publish(room.ended[first])
            await made.told_late(tournament_id)
            assert await made.call(operator(), "ListStandings", request) == before
