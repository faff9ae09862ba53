"""Tournaments over the public API, with services killed wherever it hurts.

A short form runs with every other test; with MELDHALL_CHAOS=long there are more kills and more seeds.
"""

import asyncio
import json
import os
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - seeded by the test

import pytest
from rich.console import Console
from tests.fixtures.stack import OwnBackend, backend
from tests.fixtures.waiting import until

from meldhall.common.v1 import game_pb2
from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from meldhall_cli.demo_table import Services
from meldhall_cli.demo_tournament import demo_tournament, faults_of_facts
from meldhall_cli.tournament import decide, export, show_all
from meldhall_cli.tournament_bots import COINS, TournamentBots
from meldhall_rules.bots.rummy101 import choose
from meldhall_runtime import Role, open_channel

LONG = os.environ.get("MELDHALL_CHAOS") == "long"
SEEDS = range(5) if LONG else range(1)
KILLS = 8 if LONG else 1
JOIN_MS = 8000 if LONG else 2000
VICTIMS = ("tournament", "ledger", "table", "nats")

QUIET = Console(stderr=True)
FEE = 10
FAILPOINTS = ("tournament.after_ledger", "tournament.after_table", "")
"""Where the service dies, one after another; at last it lives."""


def swiss(players: int) -> pb.Tournament:
    return pb.Tournament(
        title="Killed",
        format=pb.TOURNAMENT_FORMAT_SWISS,
        options=game_pb2.GameOptions(rummy101={}),
        seats=2,
        rounds=2,
        entry_fee=FEE,
        sit_and_go=True,
        maximum=players,
        join_ms=JOIN_MS,
        prizes=pb.PrizeTable(shares_bps=[7000, 3000]),
    )


def _has_restarted(made: OwnBackend, times: int) -> bool:
    return made.supervisor.restarts["tournament"] >= times


async def die_everywhere(made: OwnBackend, chance: Random) -> None:
    """Have the service die at each of its places, let it live, and kill this or that now and then."""
    restarts = made.supervisor.restarts
    for failpoint in FAILPOINTS:
        made.set_environment("tournament", MELDHALL_FAILPOINT=failpoint)
        made.kill("tournament")
        wanted = restarts["tournament"] + (2 if failpoint else 1)
        await until(partial(_has_restarted, made, wanted), 60)
    for _ in range(KILLS):
        await asyncio.sleep(chance.uniform(0, 1))
        await made.killed(chance.choice(VICTIMS))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.timeout(240)
async def test_killed_wherever_it_hurts_and_with_half_the_players_absent_it_ends_with_every_coin_in_place(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = Random(seed)  # noqa: S311 - the same kills in every run
    players = [f"player-{number}" for number in range(6)]
    env = {"MELDHALL_TOURNAMENT_CHECK_SECONDS": "1", "MELDHALL_TOURNAMENT_ACK_WAIT_SECONDS": "1"}
    async with (
        backend(tmp_path, env, tournaments=True) as made,
        open_channel(made.ports.address("tournament")) as channel,
    ):
        services = Services(made.table, made.ledger, made.issuer)
        tournaments = TournamentServiceStub(channel)
        bots = TournamentBots(services, tournaments, choose, players, absent=frozenset(players[3:]))
        await bots.announce(swiss(len(players)))
        async with asyncio.TaskGroup() as group:
            group.create_task(die_everywhere(made, chance))
            await bots.enter()
            ended = await bots.play()

        assert ended.status.state == pb.TOURNAMENT_STATE_CLOSED
        standings = await bots.standings()
        assert await faults_of_facts(made.data, bots.tournament_id, standings) == []
        assert {one.player_id for one in standings[:3]} == set(players[:3])
        assert [one.prize for one in standings[:3]] == [42, 18, 0]
        won = {one.player_id: one.prize for one in standings}
        assert await bots.coins() == {player: (COINS - FEE + won[player], 0) for player in players}
        pot = made.sql("ledger", "SELECT posted, held FROM accounts WHERE account_id LIKE 'prize:%'")
        assert pot == [(0, 0)]
        assert set((await made.sums()).values()) == {0}
        tables = made.sql("tournament", "SELECT payload FROM events WHERE type = 'TableOpened'")
        assert len({table for (table,) in tables}) == len(tables)

        found = await made.ledger.Reconcile(
            ledger_pb.ReconcileRequest(), metadata=made.by("auditor", Role.OPERATOR), timeout=10
        )
        assert list(found.findings) == []
        assert await demo_tournament(
            running=True, data=tmp_path, as_json=False, console=QUIET, only=("Sit-and-go of teams",)
        )
        await check_commands(tmp_path, bots, capsys)


async def check_commands(folder: Path, bots: TournamentBots, capsys: pytest.CaptureFixture[str]) -> None:
    """What operators have: an export that adds up, and decisions over the API."""
    capsys.readouterr()
    assert await export(bots.tournament_id, data=folder, database=None, console=QUIET)
    exported = json.loads(capsys.readouterr().out)
    assert exported["faults"] == []
    assert [row["place"] for row in exported["standings"]] == [1, 2, 3, 4, 5, 6]
    played = [table for tables in exported["rounds"] for table in tables if table["sides"]]
    assert {table["source"] for table in played} <= {"match", "forfeit"}

    await bots.announce(swiss(6))
    which = {"tournament_id": bots.tournament_id}
    pause = pb.PauseTournamentRequest(reason="a look", **which)
    await decide("PauseTournament", pause, data=folder, console=QUIET)
    assert not await show_all(data=folder, as_json=True, console=QUIET)
    listed = json.loads(capsys.readouterr().out)
    assert [one["status"].get("paused", "") for one in listed] == ["a look", "", ""]
    await decide("ResumeTournament", pb.ResumeTournamentRequest(**which), data=folder, console=QUIET)
    cancel = pb.CancelTournamentRequest(reason="rain", **which)
    await decide("CancelTournament", cancel, data=folder, console=QUIET)
    assert await show_all(data=folder, as_json=False, console=QUIET)
