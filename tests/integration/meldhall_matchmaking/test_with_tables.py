"""Matchmaking with the real table service: from a wish to a hand of tiles."""

import asyncio
from pathlib import Path
from uuid import UUID

import pytest
from tests.fixtures.matchmaking import matchmaking

from meldhall.common.v1 import game_pb2
from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as matchmaking_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as views
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub
from meldhall_embedded import NatsServer
from meldhall_ledger.app import bind as bind_ledger
from meldhall_ledger.config import LedgerSettings
from meldhall_matchmaking.domain.offers import ROUNDS
from meldhall_rules import registry
from meldhall_runtime import load_settings
from meldhall_runtime.testing import Keys, RunningService, operator, player, running_service, service
from meldhall_table.app import bind as bind_tables
from meldhall_table.config import TableSettings


async def sit_down(tables: RunningService, name: str, table_id: str) -> views.TableView:
    """Join as a player and watch until the round has begun."""
    stub = TableServiceStub(await tables.channel(player(name)))
    await stub.Join(pb.JoinRequest(table_id=table_id, command_id=f"join-{name}", client_seed=b"seed"))
    async with asyncio.timeout(10):
        while True:
            call = stub.Watch(pb.WatchRequest(table_id=table_id))
            async for message in call:
                if message.snapshot.status == views.TABLE_STATUS_PLAYING:
                    call.cancel()
                    return message.snapshot
                if message.event.HasField("own_hand_dealt"):
                    call.cancel()
                    break


async def test_two_people_get_a_table_with_bots_and_the_round_begins(path: Path, keys: Keys) -> None:
    settings = load_settings(
        TableSettings, database_url=f"sqlite:///{path.parent / 'table.sqlite'}", relay=False
    )
    async with (
        running_service(bind_tables, settings, keys=keys) as tables,
        matchmaking(path, tables.address, keys, bots_after_seconds=0.3) as (client, _),
    ):
        asked = [await client.enqueue(name, seats=4, rounds=3) for name in ("ann", "ben")]
        told = await asyncio.gather(*(client.follow(one.player_id, one.ticket_id) for one in asked))
        assert {one.table_address for one in told} == {tables.address}
        (table_id,) = {one.table_id for one in told}

        seen = await asyncio.gather(*(sit_down(tables, name, table_id) for name in ("ann", "ben")))

    for view, seat in zip(seen, (0, 1), strict=True):
        assert view.own_seat == seat
        assert (view.format.mode, view.format.rounds) == (game_pb2.MODE_QUICK, 3)
        assert [bool(one.bot) for one in view.seats] == [False, False, True, True]
        assert len(view.round.own_hand) >= 20


HANDS = {"canasta": 14, "rummy": 10, "rummy101": 20, "three_thirteen": 3}
"""Tiles of a hand after the deal, at least, at the smallest table."""


@pytest.mark.parametrize("game", registry.names())
async def test_one_person_gets_a_table_of_any_game_with_bots_and_a_hand(
    path: Path, keys: Keys, game: str
) -> None:
    rules, asked = registry.game(game), game_pb2.GameOptions()
    getattr(asked, game).SetInParent()
    settings = load_settings(
        TableSettings, database_url=f"sqlite:///{path.parent / 'table.sqlite'}", relay=False
    )
    async with (
        running_service(bind_tables, settings, keys=keys) as tables,
        matchmaking(path, tables.address, keys, bots_after_seconds=0) as (client, _),
    ):
        ticket = await client.enqueue("ann", options=asked, seats=rules.min_seats)
        told = await client.follow("ann", ticket.ticket_id)
        view = await sit_down(tables, "ann", told.table_id)

    assert view.options.WhichOneof("game") == game
    assert (view.format.mode, view.format.rounds) == (game_pb2.MODE_QUICK, ROUNDS[game][0])
    assert [bool(one.bot) for one in view.seats] == [False] + [True] * (rules.min_seats - 1)
    assert (view.own_seat, view.round.round) == (0, 1)
    assert len(view.round.own_hand) >= HANDS[game]


async def test_an_arena_table_opens_under_the_id_that_its_stakes_are_held_for(
    path: Path, keys: Keys, nats: NatsServer
) -> None:
    folder = path.parent
    tables_at = load_settings(TableSettings, database_url=f"sqlite:///{folder / 'table.sqlite'}", relay=False)
    ledger_at = load_settings(
        LedgerSettings, database_url=f"sqlite:///{folder / 'ledger.sqlite'}", nats_url=nats.url
    )
    async with (
        running_service(bind_tables, tables_at, keys=keys) as tables,
        running_service(bind_ledger, ledger_at, keys=keys) as ledger,
        matchmaking(path, tables.address, keys, ledger_address=ledger.address) as (client, _),
    ):
        books = LedgerServiceStub(await ledger.channel(operator()))
        for number, name in enumerate(("ann", "ben")):
            grant = ledger_pb.GrantRequest(
                transfer_id=str(UUID(int=number + 1)),
                player_id=name,
                unit=ledger_pb.UNIT_COINS,
                amount=60,
                reason="for a test",
            )
            await books.Grant(grant)
        asked = [
            await client.enqueue(name, play=matchmaking_pb.PLAY_ARENA, stake=50) for name in ("ann", "ben")
        ]
        told = await asyncio.gather(*(client.follow(one.player_id, one.ticket_id) for one in asked))
        (table_id,) = {one.table_id for one in told}

        view = (await asyncio.gather(*(sit_down(tables, name, table_id) for name in ("ann", "ben"))))[0]
        assert (view.format.mode, view.format.stake) == (game_pb2.MODE_ARENA, 50)
        for name in ("ann", "ben"):
            found = await books.GetBalances(ledger_pb.GetBalancesRequest(player_id=name))
            coins = {one.unit: (one.posted, one.held) for one in found.balances}[ledger_pb.UNIT_COINS]
            assert coins == (60, 50)
        returned = LedgerServiceStub(await ledger.channel(service("matchmaking")))
        answer = await returned.ReturnStakes(ledger_pb.ReturnStakesRequest(table_id=table_id))
        assert answer.returned == 2
