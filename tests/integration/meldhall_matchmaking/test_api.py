import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.matchmaking import FIXED, Client, FakeTables, complete, matchmaking, refusal, table_of

from meldhall.common.v1 import game_pb2
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from meldhall_eventlog import LogUnavailable
from meldhall_matchmaking.api import ACCESS
from meldhall_matchmaking.store import TicketStore
from meldhall_runtime.auth import Principal, Role
from meldhall_runtime.testing import Keys, RunningService, operator, service

Served = tuple[Client, RunningService]
CANASTA = game_pb2.GameOptions(canasta=game_pb2.CanastaOptions())
THIRTEEN = game_pb2.GameOptions(three_thirteen=game_pb2.ThreeThirteenOptions())
RISING = game_pb2.GameOptions(rummy101=game_pb2.Rummy101Options(opening=game_pb2.OPENING_MODE_RISING))


@pytest_asyncio.fixture
async def served(path: Path, table_address: str, keys: Keys) -> AsyncIterator[Served]:
    async with matchmaking(
        path, table_address, keys, bots_after_seconds=3600, table_public_address="play.example:443"
    ) as both:
        yield both


@pytest.fixture
def client(served: Served) -> Client:
    return served[0]


async def refused(call: Any) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return refusal(caught.value)


async def test_a_ticket_says_what_was_asked_for(client: Client) -> None:
    made = await client.enqueue("ann", seats=3, rounds=3, options=RISING)

    assert made.state == pb.TICKET_STATE_WAITING
    assert (made.player_id, made.seats, made.rounds, made.options) == (
        "ann",
        3,
        3,
        complete(RISING),
    )
    assert made.bots_at_unix_ms - made.enqueued_at_unix_ms == 3_600_000
    assert (made.table_id, made.table_address) == ("", "")


async def test_what_is_left_out_is_the_default(client: Client) -> None:
    made = await client.enqueue("ann", options=game_pb2.GameOptions(rummy101=game_pb2.Rummy101Options()))

    assert (made.options, made.rounds) == (complete(FIXED), 1)


async def test_enough_people_get_a_table_and_are_told_where_it_is(client: Client, tables: FakeTables) -> None:
    ann = await client.enqueue("ann")
    following = asyncio.create_task(client.follow("ann", ann.ticket_id))
    ben = await client.enqueue("ben")

    told = [await following, await client.follow("ben", ben.ticket_id)]

    (command_id,) = tables.opened
    assert {one.table_id for one in told} == {table_of(command_id)}
    assert {one.table_address for one in told} == {"play.example:443"}
    assert tables.seatings() == [["ann", "ben"]]


async def test_players_with_other_wishes_do_not_meet(client: Client, tables: FakeTables) -> None:
    await client.enqueue("ann")
    await client.enqueue("ben", options=RISING)
    await client.enqueue("cid", rounds=3)
    await client.enqueue("dan", seats=3)
    last = await client.enqueue("eve")

    await client.follow("eve", last.ticket_id)

    assert tables.seatings() == [["ann", "eve"]]


async def test_following_tells_how_many_wait(client: Client) -> None:
    ann = await client.enqueue("ann", seats=3)
    counts = []
    call = client.watch("ann", ann.ticket_id)
    async with asyncio.timeout(5):
        async for answer in call:
            counts.append(answer.waiting)
            if answer.waiting == 2:
                break
            await client.enqueue("ben", seats=3)
    call.cancel()

    assert counts == [1, 2]


async def test_a_ticket_that_has_ended_is_shown_once(client: Client) -> None:
    ann = await client.enqueue("ann")
    await client.cancel("ann", ann.ticket_id)

    async with asyncio.timeout(5):
        seen = [answer.ticket.state async for answer in client.watch("ann", ann.ticket_id)]

    assert seen == [pb.TICKET_STATE_CANCELLED]


async def test_a_follower_hears_of_a_cancellation_elsewhere(client: Client) -> None:
    ann = await client.enqueue("ann")
    following = asyncio.create_task(client.follow("ann", ann.ticket_id))
    await asyncio.sleep(0.05)
    await client.cancel("ann", ann.ticket_id)

    assert (await following).state == pb.TICKET_STATE_CANCELLED


async def test_the_same_command_gets_the_same_ticket_whatever_became_of_it(client: Client) -> None:
    first = await client.enqueue("ann")
    assert await client.enqueue("ann") == first
    cancelled = await client.cancel("ann", first.ticket_id)

    assert await client.enqueue("ann") == cancelled
    assert (await client.enqueue("ann", command="d")).ticket_id != first.ticket_id


async def test_another_wish_while_one_waits_is_refused_and_names_the_ticket(client: Client) -> None:
    first = await client.enqueue("ann")

    assert (await client.enqueue("ann", command="d")).ticket_id == first.ticket_id
    assert await refused(client.enqueue("ann", command="e", seats=4)) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "TICKET_ACTIVE",
        {"ticket_id": first.ticket_id},
    )


async def test_a_command_id_is_for_one_wish(client: Client) -> None:
    first = await client.enqueue("ann")

    assert await refused(client.enqueue("ann", seats=4)) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "COMMAND_ID_REUSED",
        {"ticket_id": first.ticket_id},
    )


async def test_a_matched_player_can_ask_again(client: Client, tables: FakeTables) -> None:
    ann = await client.enqueue("ann")
    await client.enqueue("ben")
    await client.follow("ann", ann.ticket_id)

    again = await client.enqueue("ann", command="d", seats=3)

    assert again.ticket_id != ann.ticket_id
    assert again.state == pb.TICKET_STATE_WAITING


async def test_cancelling_twice_is_no_different(client: Client) -> None:
    ann = await client.enqueue("ann")

    first = await client.cancel("ann", ann.ticket_id)

    assert first.state == pb.TICKET_STATE_CANCELLED
    assert await client.cancel("ann", ann.ticket_id) == first


async def test_cancelling_after_the_match_names_the_table(client: Client, tables: FakeTables) -> None:
    ann = await client.enqueue("ann")
    await client.enqueue("ben")
    matched = await client.follow("ann", ann.ticket_id)

    assert await refused(client.cancel("ann", ann.ticket_id)) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "ALREADY_MATCHED",
        {
            "ticket_id": ann.ticket_id,
            "table_id": matched.table_id,
            "table_address": "play.example:443",
        },
    )


async def test_cancelling_while_a_table_is_opened_waits_for_it(client: Client, tables: FakeTables) -> None:
    reached, proceed = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        reached.set()
        await proceed.wait()

    tables.before_answer = hold
    ann = await client.enqueue("ann")
    await client.enqueue("ben")
    await asyncio.wait_for(reached.wait(), 5)
    cancelling = asyncio.create_task(client.cancel("ann", ann.ticket_id))
    await asyncio.sleep(0.1)
    assert not cancelling.done()
    proceed.set()

    code, reason, _ = await refused(cancelling)

    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ALREADY_MATCHED")


async def test_cancelling_while_a_table_cannot_be_opened_succeeds(client: Client, tables: FakeTables) -> None:
    tables.fault = grpc.StatusCode.UNAVAILABLE
    ann = await client.enqueue("ann")
    ben = await client.enqueue("ben")
    await client.follow("ann", ann.ticket_id, frozenset({pb.TICKET_STATE_PROPOSED}))

    assert (await client.cancel("ann", ann.ticket_id)).state == pb.TICKET_STATE_CANCELLED
    waits = await client.follow("ben", ben.ticket_id, frozenset({pb.TICKET_STATE_WAITING}))
    assert waits.enqueued_at_unix_ms == ben.enqueued_at_unix_ms


async def test_anothers_ticket_is_as_one_that_does_not_exist(client: Client) -> None:
    ann = await client.enqueue("ann")
    not_found: tuple[grpc.StatusCode, str, dict[str, str]] = (
        grpc.StatusCode.NOT_FOUND,
        "TICKET_NOT_FOUND",
        {},
    )

    for ticket_id in (ann.ticket_id, "nosuchticket"):
        assert await refused(client.cancel("ben", ticket_id)) == not_found
        assert await refused(client.watch("ben", ticket_id).read()) == not_found
    assert (await client.enqueue("ann")).state == pb.TICKET_STATE_WAITING


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"command": ""}, "command_id", "INVALID_FIELD"),
        ({"command": "x" * 65}, "command_id", "INVALID_FIELD"),
        ({"command": "a\nb"}, "command_id", "INVALID_FIELD"),
        ({"options": None}, "options", "INVALID_FIELD"),
        ({"options": game_pb2.GameOptions()}, "options", "INVALID_FIELD"),
        ({"options": CANASTA}, "seats", "INVALID_FIELD"),
        ({"options": THIRTEEN, "rounds": 1}, "rounds", "INVALID_FIELD"),
        ({"options": game_pb2.GameOptions.FromString(bytes.fromhex("0a020863"))}, "options", "INVALID_FIELD"),
        ({"seats": 0}, "seats", "INVALID_FIELD"),
        ({"seats": 1}, "seats", "INVALID_FIELD"),
        ({"seats": 5}, "seats", "INVALID_FIELD"),
        ({"rounds": 2}, "rounds", "INVALID_FIELD"),
        ({"rounds": 4}, "rounds", "INVALID_FIELD"),
    ],
)
async def test_a_wrong_wish_names_its_field(
    client: Client, changes: dict[str, Any], field: str, reason: str
) -> None:
    assert await refused(client.enqueue("ann", **changes)) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        reason,
        {"field": field},
    )


@pytest.mark.parametrize("ticket_id", ["", "x" * 65, "a\nb"])
async def test_a_ticket_id_that_is_none_is_refused(client: Client, ticket_id: str) -> None:
    wrong = (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", {"field": "ticket_id"})

    assert await refused(client.cancel("ann", ticket_id)) == wrong
    assert await refused(client.watch("ann", ticket_id).read()) == wrong


async def test_a_name_that_no_table_takes_is_refused(client: Client) -> None:
    code, _, metadata = await refused(client.enqueue("a\x00b"))

    assert (code, metadata) == (grpc.StatusCode.INVALID_ARGUMENT, {"field": "player_id"})


PLAYERS_ONLY = sorted(name.rpartition("/")[2] for name in ACCESS if ACCESS[name] == {Role.PLAYER})


def test_only_ratings_are_for_others_than_players() -> None:
    assert {name.rpartition("/")[2] for name in ACCESS} - set(PLAYERS_ONLY) == {"GetRatings"}


@pytest.mark.parametrize("method", PLAYERS_ONLY)
@pytest.mark.parametrize(
    ("caller", "code"),
    [
        (None, grpc.StatusCode.UNAUTHENTICATED),
        (service(), grpc.StatusCode.PERMISSION_DENIED),
        (operator(), grpc.StatusCode.PERMISSION_DENIED),
    ],
)
async def test_only_players_call(
    served: Served, method: str, caller: Principal | None, code: grpc.StatusCode
) -> None:
    stub = MatchmakingServiceStub(await served[1].channel(caller))
    call = getattr(stub, method)(getattr(pb, f"{method}Request")())

    found, _, _ = await refused(call.read() if method == "WatchTicket" else call)

    assert found is code


async def test_a_database_that_is_away_is_unavailable(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise LogUnavailable("database is locked")

    monkeypatch.setattr(TicketStore, "enqueue", fail)

    code, reason, _ = await refused(client.enqueue("ann"))

    assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "DATABASE_UNAVAILABLE")


async def test_who_follows_is_told_of_a_stop_and_finds_the_ticket_again(
    path: Path, table_address: str, keys: Keys
) -> None:
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, running):
        ann = await client.enqueue("ann")
        call = client.watch("ann", ann.ticket_id)
        await call.read()
        stopping = asyncio.create_task(running.runtime.stop())

        code, reason, _ = await refused(call.read())

        assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert await stopping
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, _):
        assert (await client.enqueue("ann")).ticket_id == ann.ticket_id
