"""Who is not to meet whom, parties, and many requests in one transaction."""

import asyncio
from dataclasses import replace

import sqlalchemy
from tests.fixtures.matchmaking import THREE, TWO
from tests.fixtures.postgres import run_on
from tests.integration.meldhall_matchmaking.databases import enqueue, waits

from meldhall_matchmaking.domain.outlook import Outlook
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Play, Ticket, TicketState
from meldhall_matchmaking.store import Enqueued, TicketStore, part_of
from meldhall_matchmaking.store import tables as sql
from meldhall_matchmaking.store.database import OWNER
from meldhall_matchmaking.store.people import MOST_BLOCKS

RANKED = replace(TWO, play=Play.RANKED)


async def loaded(store: TicketStore, *players: str, now: int = 0) -> list[Ticket]:
    return list(await store.load([f"ticket-{player}" for player in players], now))


async def test_a_block_is_for_both_and_can_be_taken_back(store: TicketStore) -> None:
    await waits(store, "ann", "ben", "cid")
    assert await store.block("ann", "ben", 1) is None
    assert await store.block("ann", "ben", 2) is None

    assert await store.blocked_by("ann") == ("ben",)
    assert await store.blocked_by("ben") == ()
    found = {one.player_id: one.blocked for one in await loaded(store, "ann", "ben", "cid")}
    assert found == {"ann": {"ben"}, "ben": {"ann"}, "cid": frozenset()}

    await store.unblock("ann", "ben")
    assert await store.blocked_by("ann") == ()
    assert {one.blocked for one in await loaded(store, "ann", "ben")} == {frozenset()}


async def test_a_group_of_which_one_blocked_another_just_now_is_not_claimed(store: TicketStore) -> None:
    ann, ben = await waits(store, "ann", "ben")
    await store.block("ben", "ann", 1)

    assert await store.claim("p", [ann, ben], 2) is None

    assert {one.state for one in await store.waiting()} == {TicketState.WAITING}


async def test_blocks_have_a_limit(store: TicketStore) -> None:
    for number in range(MOST_BLOCKS):
        assert await store.block("ann", f"player-{number}", 1) is None

    refusal = await store.block("ann", "one more", 1)

    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.TOO_MANY_BLOCKS
    assert await store.block("ann", "player-7", 2) is None


async def test_who_played_ranked_is_known_for_an_hour(store: TicketStore) -> None:
    group = await waits(store, "ann", "ben", wish=RANKED)
    await store.claim("p", group, 1)
    await store.match("p", "t", "host:1", 1_000)
    await enqueue(store, "ann", RANKED, command="again", new="ticket-2")

    (ann,) = await store.load(["ticket-2"], 3_600_000)
    assert ann.met == {"ben"}
    (ann,) = await store.load(["ticket-2"], 3_602_000)
    assert ann.met == frozenset()


async def test_quick_start_remembers_no_meetings(store: TicketStore) -> None:
    await store.claim("p", await waits(store, "ann", "ben"), 1)
    await store.match("p", "t", "host:1", 2)
    await enqueue(store, "ann", command="again", new="ticket-2")

    (ann,) = await store.load(["ticket-2"], 3)

    assert ann.met == frozenset()


async def test_a_party_leaves_together(store: TicketStore, url: str) -> None:
    ann, ben, cid = await waits(store, "ann", "ben", "cid")
    join_up(url, ann, ben)

    answer = await store.cancel(ben.ticket_id, "ben", 1)

    assert not isinstance(answer, Refusal)
    assert {one.player_id for one in answer.ended} == {"ann", "ben"}
    assert answer.ticket.player_id == "ben"
    assert [one.player_id for one in await store.waiting()] == [cid.player_id]


async def test_a_party_expires_together(store: TicketStore, url: str) -> None:
    ann, ben = await waits(store, "ann", "ben")
    join_up(url, ann, ben)
    await store.touch([ann.ticket_id], 100)

    expired = await store.expire([ben.ticket_id], 50, 100)

    assert {(one.player_id, one.state) for one in expired} == {
        ("ann", TicketState.EXPIRED),
        ("ben", TicketState.EXPIRED),
    }


def join_up(url: str, *tickets: Ticket) -> None:
    named = sqlalchemy.update(sql.tickets).where(
        sql.tickets.c.ticket_id.in_([one.ticket_id for one in tickets])
    )
    joined = named.values(party_id="party", party_size=len(tickets))
    assert run_on(url, OWNER, lambda connection: connection.execute(joined).rowcount) == len(tickets)


async def test_nothing_of_an_erased_player_is_left_with_others(store: TicketStore) -> None:
    group = await waits(store, "ann", "ben", wish=RANKED)
    await store.claim("p", group, 1)
    await store.match("p", "t", "host:1", 2)
    await store.block("ann", "cid", 3)
    await store.block("cid", "ann", 3)
    await enqueue(store, "ben", RANKED, command="again", new="ticket-2")

    await store.erase("ann", 4)

    assert await store.blocked_by("ann") == await store.blocked_by("cid") == ()
    (ben,) = await store.load(["ticket-2"], 5)
    assert ben.met == frozenset()


async def test_many_requests_at_once_get_each_their_own_answer(store: TicketStore) -> None:
    (waiting,) = await waits(store, "old")
    players = [f"player-{number}" for number in range(150)]

    answers = await asyncio.gather(
        *(enqueue(store, player) for player in players),
        enqueue(store, "old", THREE, command="other"),
        enqueue(store, "old", command="same", new="unused"),
        *(enqueue(store, player) for player in players[:20]),
    )

    made, (refused, found), again = answers[:150], answers[150:152], answers[152:]
    assert all(isinstance(one, Enqueued) for one in made)
    assert [one.ticket.player_id for one in made if isinstance(one, Enqueued)] == players
    assert isinstance(refused, Refusal)
    assert refused.code is Code.TICKET_ACTIVE
    assert isinstance(found, Enqueued)
    assert (found.ticket.ticket_id, found.new) == (waiting.ticket_id, False)
    assert [one.new for one in again if isinstance(one, Enqueued)].count(True) == 0
    assert len(await store.waiting()) == 151


async def test_outlooks_are_read_as_they_were_written(store: TicketStore) -> None:
    first, second = Outlook(3, (1, 2, 3), 4_000), Outlook(0)
    epochs = {part_of(TWO): 5, part_of(RANKED): 6}
    await store.write_outlooks({TWO: second, RANKED: second}, epochs, 100)
    await store.write_outlooks({TWO: first}, epochs, 200)

    notes = await store.outlooks(100)
    assert {wish: (note.outlook, note.epoch, note.told_at_ms) for wish, note in notes.items()} == {
        TWO: (first, epochs[part_of(TWO)], 200),
        RANKED: (second, epochs[part_of(RANKED)], 100),
    }
    assert list(await store.outlooks(101)) == [TWO]
    await store.purge(201)
    assert await store.outlooks(0) == {}
