"""`meldhall demo --tournament`: bots play one of each format to the prizes, and everything is added up.

What is checked of each: the standings that players are told are those that the facts in the database give; a
second way of adding up, from the results that everybody can read, gives the same points; every coin is where
prizes and fees say; nothing is held, nothing left in the pot.
"""

import asyncio
import json
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from rich.console import Console
from rich.table import Table as Grid

from meldhall.common.v1 import game_pb2
from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from meldhall_cli.client.router import open_router
from meldhall_cli.demo_table import Services
from meldhall_cli.faults import CommandFault
from meldhall_cli.stack import Stack, data_dir, stack_keys
from meldhall_cli.stack_ports import Ports
from meldhall_cli.tournament_bots import COINS, TournamentBots
from meldhall_embedded import DataDir
from meldhall_rules.commands import Command
from meldhall_rules.view import View
from meldhall_runtime import Role, SystemClock, TokenIssuer, configure_logging, open_channel
from meldhall_table.domain import bots
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import fold
from meldhall_tournament.store import TournamentStore, open_database

if TYPE_CHECKING:
    from meldhall.tournament.v1.tournament_service_pb2_grpc import TournamentServiceAsyncStub

ENTER_SECONDS: Final = 2.0
"""Time between the announcement and the start."""

TIME_LIMIT: Final = 600.0
FEE: Final = 10
SHOWN: Final = ("wins", "own", "opponents")
"""Values of the standings that people are shown; there are more."""

_SHARES: Final = pb.PrizeTable(shares_bps=[5000, 3000])


@dataclass(frozen=True, slots=True)
class Show:
    """A tournament of the demo, and how many play it."""

    tournament: pb.Tournament
    players: int


def shows() -> list[Show]:
    """Return one tournament of each format."""
    return [
        Show(
            pb.Tournament(
                title="Swiss",
                format=pb.TOURNAMENT_FORMAT_SWISS,
                options=game_pb2.GameOptions(rummy101={}),
                seats=2,
                rounds=3,
                entry_fee=FEE,
                prizes=_SHARES,
            ),
            5,
        ),
        Show(
            pb.Tournament(
                title="Fixed rounds",
                format=pb.TOURNAMENT_FORMAT_FIXED_ROUNDS,
                options=game_pb2.GameOptions(rummy={}),
                seats=3,
                rounds=2,
                entry_fee=FEE,
                prizes=pb.PrizeTable(amounts=[40, 25, 15], guaranteed=80),
            ),
            6,
        ),
        Show(
            pb.Tournament(
                title="Single elimination",
                format=pb.TOURNAMENT_FORMAT_SINGLE_ELIMINATION,
                options=game_pb2.GameOptions(rummy101={}),
                seats=2,
                entry_fee=FEE,
                prizes=_SHARES,
            ),
            3,
        ),
        Show(
            pb.Tournament(
                title="Sit-and-go of teams",
                format=pb.TOURNAMENT_FORMAT_SWISS,
                options=game_pb2.GameOptions(canasta={}),
                seats=4,
                rounds=1,
                sit_and_go=True,
                maximum=4,
                drawn_partners=True,
                entry_fee=FEE,
                prizes=pb.PrizeTable(shares_bps=[9000]),
            ),
            4,
        ),
    ]


@dataclass(frozen=True, slots=True)
class Shown:
    """A tournament that was played, and what does not hold; nothing, if all is well."""

    tournament: pb.Tournament
    standings: list[pb.Standing]
    tables: int
    faults: list[str]


async def demo_tournament(
    *, running: bool, data: Path | None, as_json: bool, console: Console, only: Sequence[str] = ()
) -> bool:
    """Play, check, print; True when everything holds.

    Args:
        running: play on the stack that runs on the data folder instead of starting one.
        data: the data folder; None: one that is thrown away, or with ``running`` the usual one.
        as_json: print one object instead of tables.
        console: where people read.
        only: titles of the tournaments to play; all where empty.

    Raises:
        CommandFault: no stack with tournaments runs on the folder.
        EmbeddedError: the stack did not start.
    """
    configure_logging("console", "warning")
    began = time.monotonic()
    async with (
        _backend(data, running=running, console=console) as (folder, addresses),
        AsyncExitStack() as open_,
    ):
        issuer = TokenIssuer.from_file(stack_keys(folder).signing_key_file, SystemClock())
        router = await open_.enter_async_context(open_router(addresses["table"], issuer))
        ledger = await open_.enter_async_context(open_channel(addresses["ledger"]))
        channel = await open_.enter_async_context(open_channel(addresses["tournament"]))
        services = Services(router.stub(), LedgerServiceStub(ledger), issuer)
        shown = []
        for show in shows():
            if not only or show.tournament.title in only:
                console.print(f"{show.tournament.title}: {show.players} bots …")
                shown.append(await _show(show, services, TournamentServiceStub(channel), folder))
        sums = await services.ledger.CheckSums(
            ledger_pb.CheckSumsRequest(), metadata=services.by("demo", Role.OPERATOR), timeout=10
        )
    ledger_sum = max((line.sum for line in sums.sums), key=abs, default=0)
    good = ledger_sum == 0 and not any(one.faults for one in shown)
    if as_json:
        print(json.dumps(_summary(shown, ledger_sum, time.monotonic() - began)))
    else:
        _print(shown, ledger_sum, console)
    return good


@asynccontextmanager
async def _backend(
    data: Path | None, *, running: bool, console: Console
) -> AsyncIterator[tuple[DataDir, dict[str, str]]]:
    if running:
        folder = data_dir(data)
        state = folder.running()
        if state is None or "tournament" not in state.addresses:
            raise CommandFault(f"no stack with tournaments runs on {folder.path}; start one: meldhall up")
        yield folder, dict(state.addresses)
        return
    async with AsyncExitStack() as stack:
        path = data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="meldhall-demo-")))
        console.print("Starting nats-server, ledger, table and tournament on free ports …")
        ports, log = Ports.free(tournaments=True), structlog.get_logger("meldhall.demo")
        started = await stack.enter_async_context(Stack(DataDir(path), ports, log, SystemClock()))
        yield started.data, started.addresses()


async def _show(
    show: Show, services: Services, tournaments: "TournamentServiceAsyncStub", folder: DataDir
) -> Shown:
    game = show.tournament.options.WhichOneof("game") or ""
    policy = bots.policy(game, "normal")
    if policy is None:
        raise CommandFault(f"there is no bot for {game}")

    def choose(view: View) -> Command:
        return policy(view, 0)

    tag = uuid.uuid4().hex[:6]
    players = [f"{name}-{tag}" for name in "abcdefgh"[: show.players]]
    wanted = pb.Tournament()
    wanted.CopyFrom(show.tournament)
    if not wanted.sit_and_go:
        wanted.starts_at_unix_ms = round((time.time() + ENTER_SECONDS) * 1000)
    played = TournamentBots(services, tournaments, choose, players)
    await played.announce(wanted)
    await played.enter()
    async with asyncio.timeout(TIME_LIMIT):
        tournament = await played.play()
    told = await played.standings()
    faults = [
        *await faults_of_facts(folder, played.tournament_id, told),
        *await _faults_of_results(played, told, tournament.status.round),
        *_faults_of_coins(await played.coins(), told, tournament),
    ]
    if tournament.status.state != pb.TOURNAMENT_STATE_CLOSED:
        faults.append(f"it is not closed: {tournament.status}")
    return Shown(tournament, told, len(played.tables), faults)


async def faults_of_facts(folder: DataDir, tournament_id: str, told: Sequence[pb.Standing]) -> list[str]:
    """Rebuild a tournament from its events and say where its standings are not those that were told."""
    store = TournamentStore(open_database(f"sqlite+aiosqlite:///{folder.database('tournament')}"))
    try:
        state = fold(await store.read(tournament_id, 0))
    finally:
        await store.close()
    if state is None:
        return ["it has no events"]
    rows = [(row.place, row.players, row.points, row.own, row.lot) for row in standings(state)]
    seen = [
        (one.place, tuple(one.players), one.score, _value(one, "own"), _value(one, "lot")) for one in told
    ]
    return [] if rows == seen else [f"standings from the events differ: {rows} and {seen}"]


def _value(standing: pb.Standing, name: str) -> int:
    return next(value.value for value in standing.tie_breaks if value.name == name)


async def _faults_of_results(played: TournamentBots, told: Sequence[pb.Standing], rounds: int) -> list[str]:
    """Add points up again from the pairings, not by the code of the service."""
    points: Counter[int] = Counter()
    for number in range(1, rounds + 1):
        request = pb.ListPairingsRequest(tournament_id=played.tournament_id, round=number)
        request.page.size = 1000
        answer = await played.tournaments.ListPairings(
            request, metadata=played.by(played.players[0]), timeout=10
        )
        for pairing in answer.pairings:
            if len(pairing.sides) == 1:
                points[pairing.sides[0].entrant] += 12
            for side in pairing.sides if len(pairing.sides) > 1 else ():
                others = [other for other in pairing.sides if other is not side]
                beaten = sum(other.result.place > side.result.place for other in others)
                tied = sum(other.result.place == side.result.place for other in others)
                points[side.entrant] += (2 * beaten + tied) * 6 // len(others)
    return [
        f"entrant {one.entrant} has {one.score} points, by the results {points[one.entrant]}"
        for one in told
        if points[one.entrant] != one.score
    ]


def _faults_of_coins(
    coins: dict[str, tuple[int, int]], told: Sequence[pb.Standing], tournament: pb.Tournament
) -> list[str]:
    faults = [f"{player} has coins held" for player, (_, held) in coins.items() if held]
    for one in told:
        expected = len(one.players) * (COINS - tournament.entry_fee) + one.prize
        found = sum(coins[player][0] for player in one.players)
        if found != expected:
            faults.append(f"{', '.join(one.players)} have {found} coins and not {expected}")
    return faults


def _summary(shown: Sequence[Shown], ledger_sum: int, seconds: float) -> dict[str, object]:
    return {
        "tournaments": len(shown),
        "closed": sum(one.tournament.status.state == pb.TOURNAMENT_STATE_CLOSED for one in shown),
        "tables": sum(one.tables for one in shown),
        "prizes": sum(standing.prize for one in shown for standing in one.standings),
        "ledger_sum": ledger_sum,
        "faults": [fault for one in shown for fault in one.faults],
        "seconds": round(seconds, 3),
    }


def _print(shown: Sequence[Shown], ledger_sum: int, console: Console) -> None:
    for one in shown:
        title = f"{one.tournament.title}, {one.tournament.status.round} rounds, {one.tables} tables"
        grid = Grid(title=title, title_justify="left", title_style="bold")
        for heading in ("place", "players", "points", *SHOWN, "prize"):
            grid.add_column(heading, justify="left" if heading == "players" else "right")
        for line in one.standings:
            values = [str(_value(line, name)) for name in SHOWN]
            grid.add_row(str(line.place), ", ".join(line.players), str(line.score), *values, str(line.prize))
        console.print(grid)
        for fault in one.faults:
            console.print(f"[red]{fault}[/]", soft_wrap=True)
    console.print(f"All accounts add up to {ledger_sum}.")
    good = ledger_sum == 0 and not any(one.faults for one in shown)
    console.print("[green]Everything holds.[/]" if good else "[red]Something does not hold.[/]")
