"""Two processes of the service on one PostgreSQL: everything happens once."""

import asyncio
from functools import partial

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from tests.fixtures.postgres import run_on
from tests.fixtures.tournament_service import Room, tournaments

from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall_runtime.testing import operator
from meldhall_tournament.store.database import OWNER


async def test_two_services_conduct_one_tournament(postgres_url: str) -> None:
    room = Room()
    async with tournaments(postgres_url, room) as one, tournaments(postgres_url, room) as other:
        # Both send the same four commands at once: four tournaments, whoever was first.
        ids = await asyncio.gather(*(made.announce(maximum=3) for made in (one, other) * 4))
        assert sorted(ids[::2]) == sorted(ids[1::2])
        assert len(set(ids)) == 4
        prizes = pb.PrizeTable(shares_bps=[5000, 2500])
        tournament_id = await one.announce(entry_fee=10, maximum=8, rounds=3, prizes=prizes)
        names = [f"p{number}" for number in range(8)]
        await asyncio.gather(
            *(made.enter(tournament_id, *half) for made, half in ((one, names[:4]), (other, names[4:])))
        )
        for round_no in (1, 2, 3):
            for table_id in await other.opened(tournament_id, round_no):
                room.end(table_id, 7, 3)
        status = await one.until(tournament_id, settled=True)
        assert (status.entries, status.round) == (8, 3)
        assert status == await other.status(tournament_id)
        assert len(room.opened) == 12
        paid = room.carried_out()
        assert len(paid) == len(set(paid)) == 8 + 8 + 2 + 1
        standings = pb.ListStandingsRequest(tournament_id=tournament_id)
        assert await one.call(operator(), "ListStandings", standings) == await other.call(
            operator(), "ListStandings", standings
        )

    for statement in ("UPDATE events SET type = 'x'", "DELETE FROM events", "TRUNCATE events"):
        with pytest.raises(DBAPIError, match="refused"):
            run_on(postgres_url, OWNER, partial(_execute, statement))


def _execute(statement: str, connection: Connection) -> None:
    connection.execute(text(statement))
