import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import IntegrityError
from tests.fixtures.matchmaking import THREE
from tests.fixtures.postgres import run_on
from tests.integration.meldhall_matchmaking.databases import enqueue, waits

from meldhall_eventlog.sqlite import create_sync_engine
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Ticket, TicketState
from meldhall_matchmaking.store import Enqueued, TicketStore, migrate, open_database
from meldhall_matchmaking.store import tables as sql
from meldhall_matchmaking.store.database import OWNER
from meldhall_matchmaking.store.tickets import Erased


async def state(store: TicketStore, player: str) -> TicketState:
    found = await store.read(f"ticket-{player}", player)
    assert isinstance(found, Ticket)
    return found.state


async def test_a_ticket_is_read_back_as_it_was_made(store: TicketStore) -> None:
    (made,) = await waits(store, "ann", wish=THREE)

    assert await store.waiting() == (made,)
    assert await store.read(made.ticket_id, "ann") == made


async def test_a_player_has_one_active_ticket(store: TicketStore) -> None:
    (made,) = await waits(store, "ann")

    again = await enqueue(store, "ann", command="d", now=5, new="other")
    assert isinstance(again, Enqueued)
    assert (again.ticket.ticket_id, again.new) == (made.ticket_id, False)
    other = await enqueue(store, "ann", THREE, command="e", new="other")
    assert isinstance(other, Refusal)
    assert (other.code, other.facts) == (Code.TICKET_ACTIVE, {"ticket_id": made.ticket_id})


async def test_the_database_itself_refuses_a_second_active_ticket(store: TicketStore, url: str) -> None:
    await waits(store, "ann")
    row = {"ticket_id": "x", "player_id": "ann", "state": "proposed", "revision": 1, "enqueued_at_ms": 0}
    rest = {"bots_at_ms": 0, "last_seen_ms": 0, "proposal_id": "p", **sql.wish_columns(THREE)}

    insert = sqlalchemy.insert(sql.tickets).values(**row, **rest)
    with pytest.raises(IntegrityError, match=r"UNIQUE.*player_id|tickets_one_active"):
        run_on(url, OWNER, lambda connection: connection.execute(insert).rowcount)


@pytest.mark.parametrize("command", ["c", "d"])
async def test_every_command_keeps_its_ticket_after_its_end(store: TicketStore, command: str) -> None:
    (made,) = await waits(store, "ann")
    await enqueue(store, "ann", command="d", new="other")
    await store.cancel(made.ticket_id, "ann", 1)

    again = await enqueue(store, "ann", command=command, new="other")

    assert isinstance(again, Enqueued)
    assert (again.ticket.ticket_id, again.ticket.state) == (made.ticket_id, TicketState.CANCELLED)


async def test_a_command_id_with_another_wish_is_refused(store: TicketStore) -> None:
    await waits(store, "ann")

    answer = await enqueue(store, "ann", THREE)

    assert isinstance(answer, Refusal)
    assert answer.code is Code.COMMAND_ID_REUSED


async def test_command_ids_are_each_players_own(store: TicketStore) -> None:
    await waits(store, "ann")

    answer = await enqueue(store, "ben", THREE)

    assert isinstance(answer, Enqueued)
    assert answer.new


async def test_a_group_is_claimed_whole_or_not_at_all(store: TicketStore) -> None:
    ann, ben = await waits(store, "ann", "ben")
    await store.cancel(ben.ticket_id, "ben", 1)

    assert await store.claim("p", [ann, ben], 2) is None
    assert await state(store, "ann") is TicketState.WAITING
    assert await store.open_proposals() == ()


async def test_two_claims_at_once_share_no_ticket(store: TicketStore) -> None:
    ann, ben, cid = await waits(store, "ann", "ben", "cid")

    answers = await asyncio.gather(store.claim("p", [ann, ben], 1), store.claim("q", [ben, cid], 1))

    (won,) = [one for one in answers if one is not None]
    assert await store.open_proposals() == (won,)
    assert len(await store.waiting()) == 1


async def test_a_match_happens_once(store: TicketStore) -> None:
    tickets = await waits(store, "ann", "ben")
    await store.claim("p", tickets, 1)

    matched = await store.match("p", "t", "host:1", 2)

    assert [(one.player_id, one.state, one.table_id, one.table_address) for one in matched] == [
        ("ann", TicketState.MATCHED, "t", "host:1"),
        ("ben", TicketState.MATCHED, "t", "host:1"),
    ]
    assert await store.match("p", "other", "host:2", 3) == ()
    assert await store.release("p", 3) == ()
    assert await state(store, "ann") is TicketState.MATCHED
    assert await store.open_proposals() == ()


async def test_who_is_released_waits_on_with_the_old_age(store: TicketStore) -> None:
    tickets = await waits(store, "ann", "ben")
    await store.claim("p", tickets, 50)
    released = await store.release("p", 60)

    assert await store.waiting() == released
    assert [(one.enqueued_at_ms, one.bots_at_ms) for one in released] == [(0, 10_000), (1, 10_001)]
    assert [one.revision for one in released] == [3, 3]
    assert await store.match("p", "t", "host:1", 70) == ()


async def test_between_cancelling_and_claiming_one_wins(store: TicketStore) -> None:
    for turn in range(30):
        ann, ben = await waits_again(store, turn)
        jobs: list[Any] = [store.claim(f"p{turn}", [ann, ben], 1), store.cancel(ben.ticket_id, "ben", 1)]
        if turn % 2:
            jobs.reverse()
        answers = await asyncio.gather(*jobs)
        claim, cancel = reversed(answers) if turn % 2 else answers

        assert (claim is None) == bool(cancel.ended)
        assert (cancel.ticket.state is TicketState.PROPOSED) == (claim is not None)
        await store.match(f"p{turn}", f"t{turn}", "host:1", 2)
        await store.cancel(ann.ticket_id, "ann", 3)


async def waits_again(store: TicketStore, turn: int) -> tuple[Ticket, Ticket]:
    made = []
    for player in ("ann", "ben"):
        answer = await enqueue(store, player, command=f"c{turn}", new=f"ticket-{turn}-{player}")
        assert isinstance(answer, Enqueued)
        made.append(answer.ticket)
    return made[0], made[1]


async def test_cancelling_twice_is_as_cancelling_once(store: TicketStore) -> None:
    (ann,) = await waits(store, "ann")

    first = await store.cancel(ann.ticket_id, "ann", 1)
    second = await store.cancel(ann.ticket_id, "ann", 2)

    assert not isinstance(first, Refusal)
    assert not isinstance(second, Refusal)
    assert (first.ended, second.ended) == ((first.ticket,), ())
    assert first.ticket == second.ticket


async def test_nobody_sees_or_cancels_anothers_ticket(store: TicketStore) -> None:
    (ann,) = await waits(store, "ann")

    for answer in (await store.read(ann.ticket_id, "ben"), await store.cancel(ann.ticket_id, "ben", 1)):
        assert isinstance(answer, Refusal)
        assert answer == await store.read("no such ticket", "ben")
    assert await state(store, "ann") is TicketState.WAITING


async def test_what_was_touched_does_not_expire(store: TicketStore) -> None:
    ann, ben = await waits(store, "ann", "ben")
    await store.touch([ann.ticket_id], 100)

    expired = await store.expire([ann.ticket_id, ben.ticket_id], 100, 100)

    assert [one.player_id for one in expired] == ["ben"]
    assert await state(store, "ben") is TicketState.EXPIRED
    assert await state(store, "ann") is TicketState.WAITING


async def test_a_claimed_ticket_does_not_expire(store: TicketStore) -> None:
    tickets = await waits(store, "ann", "ben")
    await store.claim("p", tickets, 1)

    assert await store.expire([one.ticket_id for one in tickets], 100, 100) == ()


async def test_churn_leaves_nothing_behind(store: TicketStore, url: str) -> None:
    for turn in range(40):
        ann, ben = await waits_again(store, turn)
        await store.claim(f"p{turn}", [ann, ben], 1)
        await (store.match(f"p{turn}", "t", "a", 2) if turn % 2 else store.release(f"p{turn}", 2))
        await asyncio.gather(*(store.cancel(one.ticket_id, one.player_id, 3) for one in (ann, ben)))
    (kept,) = await waits(store, "cid")

    assert await store.purge(2) == 0
    while await store.purge(1_000):
        pass

    for table, rows in ((sql.tickets, 1), (sql.commands, 1), (sql.proposals, 0)):
        count = sqlalchemy.select(sqlalchemy.func.count()).select_from(table)
        assert run_on(url, OWNER, partial(_scalar, count)) == rows
    assert await store.waiting() == (kept,)


def _scalar(query: sqlalchemy.Select[Any], connection: sqlalchemy.Connection) -> object:
    return connection.execute(query).scalar_one()


async def test_requests_of_one_player_over_two_processes_make_one_ticket(
    store: TicketStore, url: str
) -> None:
    other = TicketStore(open_database(url))
    for number in range(20):
        player = f"player-{number}"
        answers = await asyncio.gather(
            *(
                enqueue(one, player, command=command, new=f"ticket-{command}-{number}-{id(one)}")
                for one in (store, other)
                for command in ("c", "d")
            )
        )
        made = [answer for answer in answers if isinstance(answer, Enqueued)]
        assert len(made) == 4
        assert len({answer.ticket.ticket_id for answer in made}) == 1
        assert [answer.new for answer in made].count(True) == 1
    await other.close()


async def test_a_ticket_that_two_processes_claim_goes_to_one_group(store: TicketStore, url: str) -> None:
    other = TicketStore(open_database(url))
    for turn in range(15):
        names = [f"{turn}-{name}" for name in ("ann", "ben", "cid")]
        ann, ben, cid = await waits(store, *names)
        claimed = await asyncio.gather(
            store.claim(f"one-{turn}", [ann, ben], 1), other.claim(f"two-{turn}", [cid, ben], 1)
        )
        assert [one is None for one in claimed].count(True) == 1
    await other.close()


async def test_everything_of_a_player_is_erased_and_nothing_of_others(store: TicketStore, url: str) -> None:
    ann, ben = await waits(store, "ann", "ben")
    await store.claim("p", [ann, ben], 1)
    await store.match("p", "t", "a", 2)
    await enqueue(store, "ann", command="again", new="ticket-2")

    assert await store.erase("ann", 3) == Erased(tickets=2, commands=2, active=0)
    assert await store.erase("ann", 4) == Erased(0, 0, 0)

    assert await store.waiting() == ()
    assert isinstance(await store.read(ann.ticket_id, "ann"), Refusal)
    assert await state(store, "ben") is TicketState.MATCHED


async def test_a_ticket_that_is_being_given_a_table_is_erased_when_it_has_one(store: TicketStore) -> None:
    tickets = await waits(store, "ann", "ben")
    await store.claim("p", tickets, 1)
    assert await store.erase("ann", 2) == Erased(0, 0, 1)
    assert len(await store.match("p", "t", "a", 3)) == 2
    assert await store.erase("ann", 4) == Erased(1, 1, 0)


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (
            sqlalchemy.select(sql.tickets).where(sql.tickets.c.player_id == "a", sql.IS_ACTIVE),
            "tickets_one_active",
        ),
        (
            sqlalchemy.select(sql.tickets)
            .where(sql.IS_WAITING)
            .order_by(sql.tickets.c.enqueued_at_ms, sql.tickets.c.ticket_id),
            "tickets_waiting",
        ),
        (sqlalchemy.select(sql.proposals).where(sql.IS_OPEN), "proposals_open"),
        (sqlalchemy.select(sql.tickets).where(sql.tickets.c.proposal_id == "p"), "tickets_by_proposal"),
        (sqlalchemy.select(sql.tickets).where(sql.tickets.c.ended_at_ms < 5), "tickets_ended"),
    ],
)
async def test_no_question_reads_every_ticket_there_ever_was(
    tmp_path: Path, query: sqlalchemy.Select[Any], index: str
) -> None:
    url = f"sqlite:///{tmp_path / 'plans.sqlite'}"
    migrate(url)
    engine = create_sync_engine(url, begin="DEFERRED")
    text = str(query.compile(dialect=sqlite.dialect()))
    with engine.connect() as connection:
        values = tuple(query.compile(dialect=sqlite.dialect()).params.values())
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
    engine.dispose()

    assert [f"INDEX {index}" in row[-1] for row in plan] == [True], plan
