"""Arena tables: every stake is held before a table opens, all or none, and none stays held for nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from tests.fixtures.fake_ledger import FakeLedger
from tests.fixtures.matchmaking import Client, FakeTables, matchmaking, refusal
from tests.fixtures.matchmaking_processes import Processes, enqueue, file_keys
from tests.fixtures.waiting import until

from meldhall.common.v1.game_pb2 import MODE_ARENA
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_contracts.ids import table_id_of
from meldhall_matchmaking import matcher
from meldhall_matchmaking.tables import AFTER_HOLD
from meldhall_runtime.auth import generate_keypair
from meldhall_runtime.failpoints import KILLED, VARIABLE
from meldhall_runtime.testing import Keys

STAKE = 50
MATCHED = pb.TICKET_STATE_MATCHED


@asynccontextmanager
async def arena(path: Path, tables: str, keys: Keys, ledger: FakeLedger) -> AsyncIterator[Client]:
    async with (
        ledger.serve() as address,
        matchmaking(path, tables, keys, ledger_address=address, bots_after_seconds=0) as (client, _),
    ):
        yield client


async def come(client: Client, *names: str, stake: int = STAKE) -> list[pb.Ticket]:
    return [await client.enqueue(name, play=pb.PLAY_ARENA, stake=stake) for name in names]


async def follow(client: Client, tickets: list[pb.Ticket]) -> list[pb.Ticket]:
    return list(await asyncio.gather(*(client.follow(one.player_id, one.ticket_id) for one in tickets)))


def table_of(command_id: str) -> str:
    return table_id_of("matchmaking", command_id)


async def test_every_stake_is_held_before_the_table_opens(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    ledger = FakeLedger(ann=100, ben=50)
    async with arena(path, table_address, keys, ledger) as client:

        async def all_held() -> None:
            assert ledger.held == {table_of(tables.calls[-1]): {"ann": STAKE, "ben": STAKE}}

        tables.before_answer = all_held
        told = await follow(client, await come(client, "ann", "ben"))

    ((command_id, request),) = tables.opened.items()
    assert [one.state for one in told] == [MATCHED] * 2
    assert [(one.play, one.stake, one.bots_at_unix_ms) for one in told] == [(pb.PLAY_ARENA, STAKE, 0)] * 2
    assert (request.format.mode, request.format.stake, request.format.rake_bps) == (MODE_ARENA, STAKE, 500)
    assert ledger.held == {table_of(command_id): {"ann": STAKE, "ben": STAKE}}


async def test_only_equal_stakes_meet_and_never_a_bot(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    ledger = FakeLedger(ann=1_000, ben=1_000, cid=1_000)
    async with arena(path, table_address, keys, ledger) as client:
        await come(client, "ann", stake=10)
        pair = await come(client, "ben", "cid", stake=250)
        await follow(client, pair)

    assert tables.seatings() == [["ben", "cid"]]
    assert sum(len(held) for held in ledger.held.values()) == 2


async def test_who_cannot_pay_or_names_no_stake_on_offer_is_refused(
    path: Path, table_address: str, keys: Keys
) -> None:
    ledger = FakeLedger(ann=49)
    async with arena(path, table_address, keys, ledger) as client:
        for more, expected in (
            ({"play": pb.PLAY_ARENA, "stake": STAKE}, "NOT_ENOUGH_COINS"),
            ({"play": pb.PLAY_ARENA, "stake": 51}, "INVALID_FIELD"),
            ({"play": pb.PLAY_ARENA}, "INVALID_FIELD"),
            ({"stake": STAKE}, "INVALID_FIELD"),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await client.enqueue("ann", **more)
            assert refusal(refused.value)[1] == expected
        ledger.away.add("GetBalances")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await come(client, "ann")
        assert refusal(refused.value)[:2] == (grpc.StatusCode.UNAVAILABLE, "LEDGER_UNAVAILABLE")


async def test_who_has_spent_the_stake_meanwhile_is_told_and_the_other_waits_on(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    ledger = FakeLedger(ann=50, ben=50, cid=50)
    async with arena(path, table_address, keys, ledger) as client:
        (ann,) = await come(client, "ann")
        ledger.away.add("HoldStakes")
        (ben,) = await come(client, "ben")
        ledger.coins["ben"] = 20
        ledger.away.clear()

        gone = await client.follow("ben", ben.ticket_id)
        assert (gone.state, gone.end_reason) == (pb.TICKET_STATE_CANCELLED, pb.END_REASON_NO_COINS)
        assert ledger.held == {}
        cid = (await come(client, "cid"))[0]
        told = await follow(client, [ann, cid])

    assert [one.state for one in told] == [MATCHED] * 2
    assert told[0].enqueued_at_unix_ms == ann.enqueued_at_unix_ms
    assert tables.seatings() == [["ann", "cid"]]


async def test_where_no_table_opens_stakes_are_given_back_and_all_wait_on(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    ledger = FakeLedger(ann=50, ben=50)
    tables.fault = grpc.StatusCode.RESOURCE_EXHAUSTED
    async with arena(path, table_address, keys, ledger) as client:
        pair = await come(client, "ann", "ben")
        following = asyncio.create_task(follow(client, pair))
        await until(
            lambda: ("ReturnStakes", table_of(tables.calls[0])) in ledger.calls if tables.calls else False
        )
        tables.fault = None
        told = await following

    # Each had coins for one stake: the second table could be opened because the first stake was free again.
    ((command_id, _),) = tables.opened.items()
    assert command_id != tables.calls[0]
    assert ledger.held == {table_of(command_id): {"ann": STAKE, "ben": STAKE}}
    assert [one.enqueued_at_unix_ms for one in told] == [one.enqueued_at_unix_ms for one in pair]


async def test_stakes_that_could_not_be_given_back_are_given_back_later(
    path: Path, table_address: str, tables: FakeTables, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matcher, "OWED_SECONDS", 0.05)
    ledger = FakeLedger(ann=100, ben=100)
    ledger.away.add("ReturnStakes")
    tables.fault = grpc.StatusCode.RESOURCE_EXHAUSTED
    async with arena(path, table_address, keys, ledger) as client:
        pair = await come(client, "ann", "ben")
        await until(lambda: bool(ledger.held))
        for one in pair:
            await client.cancel(one.player_id, one.ticket_id)
        assert ledger.held
        ledger.away.clear()
        await until(lambda: not ledger.held)


async def test_a_process_that_dies_with_stakes_held_opens_that_table_after_its_start(tmp_path: Path) -> None:
    generate_keypair(tmp_path)
    ledger, tables = FakeLedger(ann=50, ben=50), FakeTables(file_keys(tmp_path))
    async with tables.serve() as table_address, ledger.serve() as ledger_address:
        processes = Processes(tmp_path, tables, table_address)
        processes.ledger_address = ledger_address
        async with processes.players() as client:
            with processes.run(**{VARIABLE: AFTER_HOLD}) as process:
                coming = [
                    asyncio.create_task(enqueue(client, name, play=pb.PLAY_ARENA, stake=STAKE))
                    for name in ("ann", "ben")
                ]
                assert await asyncio.wait_for(asyncio.to_thread(process.wait), 20) == KILLED
            assert len(ledger.held) == 1
            assert tables.calls == []
            with processes.run():
                told = await follow(client, [await one for one in coming])
        processes.close()

    ((command_id, _),) = tables.opened.items()
    assert [one.state for one in told] == [MATCHED] * 2
    assert ledger.held == {table_of(command_id): {"ann": STAKE, "ben": STAKE}}
    assert [name for name, _ in ledger.calls].count("ReturnStakes") == 0
