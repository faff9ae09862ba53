"""Waiting, bots, ghosts, and a table service that fails."""

import asyncio
import math
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.engines import TABLE, engines
from tests.fixtures.matchmaking import Client, FakeTables, matchmaking, table_of
from tests.fixtures.waiting import until

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall.table.v1 import table_service_pb2 as table_pb
from meldhall_embedded import free_port
from meldhall_eventlog import LogUnavailable
from meldhall_matchmaking import tables as tables_module
from meldhall_matchmaking.domain.ticket import Ticket
from meldhall_matchmaking.holdoff import FIRST_SECONDS
from meldhall_matchmaking.store import OpenProposal, TicketStore, open_database
from meldhall_runtime.testing import Keys, ManualClock, RunningService

WAITING = frozenset({pb.TICKET_STATE_WAITING})
PROPOSED = frozenset({pb.TICKET_STATE_PROPOSED})


def sample(running: RunningService, name: str, **labels: str) -> float:
    return running.runtime.registry.get_sample_value(f"meldhall_matchmaking_{name}", labels) or 0.0


async def test_bots_take_the_seats_for_which_nobody_came(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    async with matchmaking(path, table_address, keys, bots_after_seconds=0.3) as (client, running):
        ann = await client.enqueue("ann", seats=4)
        ben = await client.enqueue("ben", seats=4)

        matched = await client.follow("ann", ann.ticket_id)

        assert (await client.follow("ben", ben.ticket_id)).table_id == matched.table_id
        assert tables.seatings() == [["ann", "ben", "bot", "bot"]]
        assert sample(running, "tickets_ended_total", outcome="matched") == 2
        assert sample(running, "wait_seconds_count") == 2
        assert 0.3 <= sample(running, "wait_seconds_sum") < 5


async def test_bots_come_after_the_wait_and_not_before(
    path: Path,
) -> None:
    clock = ManualClock()
    keys = Keys(clock)
    fake = FakeTables(keys)
    async with (
        fake.serve() as address,
        matchmaking(path, address, keys, clock=clock, bots_after_seconds=10) as (client, _),
    ):
        ann = await client.enqueue("ann")
        following = asyncio.create_task(client.follow("ann", ann.ticket_id))
        await clock.advance(9.9)
        await asyncio.sleep(0.1)
        assert fake.calls == []
        while not following.done():
            await clock.advance(0.1)
            await asyncio.sleep(0.01)

        assert (await following).state == pb.TICKET_STATE_MATCHED
        assert fake.seatings() == [["ann", "bot"]]


async def test_a_ticket_that_nobody_follows_expires(path: Path, table_address: str, keys: Keys) -> None:
    async with matchmaking(path, table_address, keys, abandon_seconds=1, bots_after_seconds=3600) as (
        client,
        running,
    ):
        ann = await client.enqueue("ann")
        ben = await client.enqueue("ben", seats=3)
        following = asyncio.create_task(client.follow("ben", ben.ticket_id, seconds=30))

        await until(lambda: sample(running, "tickets_ended_total", outcome="expired") == 1)

        assert (await client.enqueue("ann")).state == pb.TICKET_STATE_EXPIRED
        await asyncio.sleep(1.2)
        assert not following.done()
        assert (await client.enqueue("ben", seats=3)).state == pb.TICKET_STATE_WAITING
        following.cancel()
        await asyncio.wait({following})
        begun = asyncio.get_running_loop().time()
        await until(lambda: sample(running, "tickets_ended_total", outcome="expired") == 2)
        assert asyncio.get_running_loop().time() - begun > 0.9
        assert ann.ticket_id != ben.ticket_id


async def test_asking_again_keeps_a_ticket_alive(path: Path, table_address: str, keys: Keys) -> None:
    async with matchmaking(path, table_address, keys, abandon_seconds=1, bots_after_seconds=3600) as (
        client,
        _,
    ):
        states = set()
        for turn in range(8):
            states.add((await client.enqueue("ann", command=f"c{turn % 2}")).state)
            await asyncio.sleep(0.25)

        assert states == {pb.TICKET_STATE_WAITING}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (grpc.StatusCode.UNAVAILABLE, "unavailable"),
        (grpc.StatusCode.CANCELLED, "unavailable"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "refused"),
    ],
)
async def test_who_cannot_get_a_table_waits_on_within_a_second_and_keeps_the_age(
    path: Path, tables: FakeTables, keys: Keys, fault: grpc.StatusCode, reason: str
) -> None:
    tables.fault = fault
    async with tables.serve() as address, matchmaking(path, address, keys) as (client, running):
        ann = await client.enqueue("ann")
        ben = await client.enqueue("ben")
        begun = asyncio.get_running_loop().time()
        await until(lambda: bool(sample(running, "proposal_failures_total", reason=reason)))
        back = await client.follow("ann", ann.ticket_id, WAITING)
        assert asyncio.get_running_loop().time() - begun < 1.2
        assert (back.enqueued_at_unix_ms, back.bots_at_unix_ms) == (
            ann.enqueued_at_unix_ms,
            ann.bots_at_unix_ms,
        )
        assert sample(running, "table_service_up") == (reason == "refused")
        tables.fault = None

        matched = [await client.follow(one.player_id, one.ticket_id) for one in (ann, ben)]

        assert {one.table_id for one in matched} == {table_of(next(iter(tables.opened)))}
        assert tables.seatings() == [["ann", "ben"]]
        assert sample(running, "table_service_up") == 1


async def test_a_kind_of_table_that_fails_is_asked_for_less_and_less(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    tables.fault = grpc.StatusCode.INVALID_ARGUMENT
    async with matchmaking(path, table_address, keys) as (client, _):
        await client.enqueue("ann")
        await client.enqueue("ben")
        await asyncio.sleep(1.5)

        assert 2 <= len(tables.calls) <= 4


Breakage = Callable[[pytest.MonkeyPatch, asyncio.Event], None]


def break_opening(patch: pytest.MonkeyPatch, mended: asyncio.Event) -> None:
    write = tables_module.table_request

    def request(proposal: OpenProposal, rake_bps: int) -> table_pb.CreateTableRequest:
        if proposal.wish.seats == 3 and not mended.is_set():
            raise KeyError("an option that nobody wrote a field for")
        return write(proposal, rake_bps)

    patch.setattr(tables_module, "table_request", request)


def break_claims(patch: pytest.MonkeyPatch, mended: asyncio.Event) -> None:
    write = TicketStore.claim

    async def claim(self: TicketStore, proposal_id: str, wanted: Collection[Ticket], *more: Any) -> Any:
        if len(wanted) == 3 and not mended.is_set():
            raise KeyError("a column that is not there")
        return await write(self, proposal_id, wanted, *more)

    patch.setattr(TicketStore, "claim", claim)


def break_matches(patch: pytest.MonkeyPatch, mended: asyncio.Event) -> None:
    """Opened, and neither written down nor let go."""
    for name in ("match", "release"):
        write = getattr(TicketStore, name)

        async def work(self: TicketStore, proposal_id: str, *given: Any, write: Any = write) -> Any:
            proposals = {one.proposal_id: one for one in await self.open_proposals()}
            if proposals[proposal_id].wish.seats == 3 and not mended.is_set():
                raise KeyError("a column that is not there")
            return await write(self, proposal_id, *given)

        patch.setattr(TicketStore, name, work)


@pytest.mark.parametrize("broken", [break_opening, break_claims, break_matches])
async def test_a_kind_of_table_that_breaks_the_matcher_leaves_the_others_alone(
    path: Path, table_address: str, keys: Keys, monkeypatch: pytest.MonkeyPatch, broken: Breakage
) -> None:
    mended = asyncio.Event()
    broken(monkeypatch, mended)
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, running):
        began = asyncio.get_running_loop().time()
        trio = [await client.enqueue(name, seats=3) for name in ("ann", "ben", "cid")]
        await until(lambda: sample(running, "proposal_failures_total", reason="broken") > 0)

        pair = [await client.enqueue(name) for name in ("dan", "eve")]
        told = [await client.follow(one.player_id, one.ticket_id) for one in pair]
        assert [one.state for one in told] == [pb.TICKET_STATE_MATCHED] * 2
        # Without pauses there would be thousands; they double from a quarter of a second on.
        await asyncio.sleep(0.5)
        failures = sample(running, "proposal_failures_total", reason="broken")
        waited = asyncio.get_running_loop().time() - began
        assert failures <= 2 + math.log2(1 + waited / FIRST_SECONDS)

        mended.set()
        told = [await client.follow(one.player_id, one.ticket_id) for one in trio]
        assert [one.state for one in told] == [pb.TICKET_STATE_MATCHED] * 3
        assert len({one.table_id for one in told}) == 1


async def test_a_player_can_leave_a_kind_of_table_that_breaks(
    path: Path, table_address: str, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_opening(monkeypatch, asyncio.Event())
    async with matchmaking(path, table_address, keys, bots_after_seconds=0) as (client, running):
        ann = await client.enqueue("ann", seats=3)
        await until(lambda: sample(running, "proposal_failures_total", reason="broken") > 0)

        assert (await client.cancel("ann", ann.ticket_id)).state == pb.TICKET_STATE_CANCELLED


async def test_a_table_service_may_come_later(path: Path, tables: FakeTables, keys: Keys) -> None:
    port = free_port()
    async with matchmaking(path, f"127.0.0.1:{port}", keys) as (client, running):
        ann = await client.enqueue("ann")
        ben = await client.enqueue("ben")
        await client.follow("ann", ann.ticket_id, PROPOSED)
        await client.follow("ann", ann.ticket_id, WAITING)
        assert all(not one.fault for one in await running.runtime.readiness.report())
        async with tables.serve(port):
            matched = [await client.follow(one.player_id, one.ticket_id) for one in (ann, ben)]

        assert len({one.table_id for one in matched}) == 1
        assert tables.seatings() == [["ann", "ben"]]


async def test_a_table_is_opened_at_the_engine_that_another_one_names(path: Path, keys: Keys) -> None:
    async with engines(2) as made:
        first, second = made.engines
        made.house.give(second)
        async with matchmaking(path, first.address, keys) as (client, _):
            ann = await client.enqueue("ann")
            ben = await client.enqueue("ben")
            matched = [await client.follow(one.player_id, one.ticket_id) for one in (ann, ben)]

        assert [one.table_id for one in matched] == [TABLE, TABLE]
        assert made.asked() == [["CreateTable"], ["CreateTable"]]


async def test_a_table_that_takes_too_long_is_given_up(
    path: Path, tables: FakeTables, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_matchmaking.tables.CALL_SECONDS", 0.2)
    tables.before_answer = asyncio.Event().wait
    async with tables.serve() as address, matchmaking(path, address, keys) as (client, running):
        ann = await client.enqueue("ann")
        ben = await client.enqueue("ben")
        await until(lambda: sample(running, "proposal_failures_total", reason="late") > 0)
        assert sample(running, "table_service_up") == 0
        tables.before_answer = None

        matched = [await client.follow(one.player_id, one.ticket_id) for one in (ann, ben)]

        # The table that was given up is none that anybody was told of.
        (table_id,) = {one.table_id for one in matched}
        assert table_id == table_of(list(tables.opened)[-1])
        assert len(tables.opened) > 1


async def test_a_match_that_could_not_be_written_is_written_later_with_the_same_table(
    path: Path, table_address: str, tables: FakeTables, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, failures = TicketStore.match, iter([LogUnavailable("full"), LogUnavailable("full")])

    async def sometimes(self: TicketStore, *given: Any) -> Any:
        for failure in failures:
            raise failure
        return await write(self, *given)

    monkeypatch.setattr(TicketStore, "match", sometimes)
    async with matchmaking(path, table_address, keys) as (client, _):
        ann = await client.enqueue("ann")
        ben = await client.enqueue("ben")
        matched = [await client.follow(one.player_id, one.ticket_id) for one in (ann, ben)]

    assert len(tables.calls) == 3
    assert {one.table_id for one in matched} == {table_of(tables.calls[0])}
    assert tables.seatings() == [["ann", "ben"]]


async def test_news_that_nobody_told_are_found_by_reading(
    path: Path, table_address: str, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("meldhall_matchmaking.api.RECHECK_SECONDS", 0.05)
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, _):
        ann = await client.enqueue("ann")
        call = client.watch("ann", ann.ticket_id)
        await call.read()
        elsewhere = TicketStore(open_database(f"sqlite:///{path}"))
        await elsewhere.cancel(ann.ticket_id, "ann", ann.enqueued_at_unix_ms + 1)
        await elsewhere.close()

        assert (await asyncio.wait_for(call.read(), 5)).ticket.state == pb.TICKET_STATE_CANCELLED


async def race(client: Client, turn: int) -> tuple[str, str]:
    """Let a partner come while a player cancels; return how both calls of the player were told it went."""
    name, partner = f"{turn}-ben", f"{turn}-ann"
    ticket = await client.enqueue(name)
    following = asyncio.create_task(client.follow(name, ticket.ticket_id))
    # From well before the partner comes to well after, however fast the machine is today.
    head_start = 0.01 * (turn % 10 - 4)
    await asyncio.sleep(0.02)

    async def come() -> pb.Ticket:
        await asyncio.sleep(max(0.0, -head_start))
        return await client.enqueue(partner)

    async def cancel() -> str:
        await asyncio.sleep(max(0.0, head_start))
        try:
            cancelled = await client.cancel(name, ticket.ticket_id)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise
            return "MATCHED"
        assert cancelled.state == pb.TICKET_STATE_CANCELLED
        return "CANCELLED"

    other, told = await asyncio.gather(come(), cancel())
    if told == "CANCELLED":
        await client.cancel(partner, other.ticket_id)
    return told, pb.TicketState.Name((await following).state).removeprefix("TICKET_STATE_")


async def test_of_a_cancellation_and_a_match_exactly_one_wins_and_both_are_told(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, running):
        outcomes = [await race(client, turn) for turn in range(40)]

        seated = {name for seats in tables.seatings() for name in seats}
        for turn, (told, followed) in enumerate(outcomes):
            assert told == followed
            assert (f"{turn}-ben" in seated) == (told == "MATCHED")
        matched = sum(told == "MATCHED" for told, _ in outcomes)
        assert {told for told, _ in outcomes} == {"MATCHED", "CANCELLED"}
        assert sample(running, "tickets_ended_total", outcome="cancelled") == 2 * (40 - matched)


async def test_many_players_at_once_are_each_seated_once(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    names = [f"player-{number:03}" for number in range(120)]
    async with matchmaking(path, table_address, keys, bots_after_seconds=3) as (client, _):

        async def come(number: int, name: str) -> str:
            ticket = await client.enqueue(name, seats=2 + number % 3)
            return (await client.follow(name, ticket.ticket_id)).table_id

        found = await asyncio.gather(*(come(number, name) for number, name in enumerate(names)))

    assert sorted(name for seats in tables.seatings() for name in seats if name != "bot") == names
    for name, table_id in zip(names, found, strict=True):
        request = tables.opened[table_id.removeprefix("table-")]
        assert name in {seat.reserved_for for seat in request.seats}
