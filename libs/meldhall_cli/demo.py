"""`meldhall demo`: bots play over the public API; then it is replayed, checked and added up."""

import asyncio
import json
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from meldhall_cli.client.router import open_router
from meldhall_cli.demo_table import DemoTable, Services
from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_log
from meldhall_cli.stack import Stack, data_dir, stack_keys
from meldhall_cli.stack_ports import Ports
from meldhall_embedded import DataDir
from meldhall_rules import registry
from meldhall_rules.commands import Command
from meldhall_rules.view import View
from meldhall_runtime import Role, SystemClock, TokenIssuer, configure_logging, open_channel
from meldhall_table.domain import bots
from meldhall_table.store.audit import Audit, audit_table

NAMES: Final = ("ann", "ben", "cleo", "dan", "eva", "fred")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be played: at least so many rounds of a game by so many players."""

    game: str
    rounds: int
    players: int

    def matches(self) -> list[int]:
        """Return the lengths of the matches; some games have matches of one length only."""
        rules = registry.game(self.game)
        options = rules.parse_options({})
        length = rules.match_rules(options).length if isinstance(options, dict) else 0
        return [length] * -(-self.rounds // length) if length else [self.rounds]


@dataclass(frozen=True, slots=True)
class Match:
    """A finished match and what was found about it."""

    table: DemoTable
    audit: Audit
    settled: int
    balances: dict[str, dict[str, int]]

    @property
    def good(self) -> bool:
        """Tell whether it replays, every round is settled, and the accounts have what the log says."""
        points = [self.balances[name]["points"] for name in self.table.players]
        return (
            self.audit.difference is None
            and self.audit.rounds == self.settled == len(self.table.results)
            and points == list(self.audit.points)
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demo found; ``good`` when every number is what it has to be."""

    wish: Wish
    matches: list[Match]
    ledger_sum: int
    seconds: float

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return sum(len(match.table.results) for match in self.matches)

    @property
    def good(self) -> bool:
        """Tell whether every match is good, enough was played, and the accounts add up to zero."""
        return (
            all(match.good for match in self.matches)
            and self.rounds >= self.wish.rounds
            and self.ledger_sum == 0
        )

    def summary(self) -> dict[str, object]:
        """Return the object of the command's last line."""
        return {
            "rounds": self.rounds,
            "moves": sum(match.table.moves for match in self.matches),
            "verified_rounds": sum(m.audit.rounds for m in self.matches if m.audit.difference is None),
            "replay_mismatches": sum(m.audit.difference is not None for m in self.matches),
            "ledger_sum": self.ledger_sum,
            "settled_rounds": sum(match.settled for match in self.matches),
            "seconds": round(self.seconds, 3),
        }


async def demo(wish: Wish, *, running: bool, data: Path | None, as_json: bool, console: Console) -> bool:
    """Play, check, print; True when everything holds.

    Args:
        wish: what is to be played.
        running: play on the stack that runs on the data folder instead of starting one.
        data: the data folder; None: one that is thrown away, or with ``running`` the usual one.
        as_json: print one object instead of tables.
        console: where people read.

    Raises:
        CommandFault: there is no such game or number of players, or no stack runs on the folder.
        EmbeddedError: the stack did not start.
    """
    _check(wish)
    configure_logging("console", "warning")
    started = asyncio.get_running_loop().time()
    async with (
        _backend(data, running=running, console=console) as (folder, addresses),
        AsyncExitStack() as open_,
    ):
        issuer = TokenIssuer.from_file(stack_keys(folder).signing_key_file, SystemClock())
        router = await open_.enter_async_context(open_router(addresses["table"], issuer))
        ledger = await open_.enter_async_context(open_channel(addresses["ledger"]))
        services = Services(router.stub(), LedgerServiceStub(ledger), issuer)
        tables = await _play(wish, services, console)
        console.print("Replaying the log, and waiting until the ledger has settled every round …")
        matches = [await _checked(table, folder) for table in tables]
        ledger_sum = await _ledger_sum(services)
    outcome = Outcome(wish, matches, ledger_sum, asyncio.get_running_loop().time() - started)
    if as_json:
        print(json.dumps(outcome.summary()))
    else:
        _print(outcome, console)
    return outcome.good


def _check(wish: Wish) -> None:
    try:
        rules = registry.game(wish.game)
    except registry.UnknownGameError as error:
        raise CommandFault(str(error)) from None
    if not rules.min_seats <= wish.players <= rules.max_seats:
        raise CommandFault(
            f"{wish.game} is played by {rules.min_seats} to {rules.max_seats}, not by {wish.players}"
        )


@asynccontextmanager
async def _backend(
    data: Path | None, *, running: bool, console: Console
) -> AsyncIterator[tuple[DataDir, dict[str, str]]]:
    """Give a running stack: its data folder and its addresses."""
    if running:
        folder = data_dir(data)
        state = folder.running()
        if state is None:
            raise CommandFault(f"no stack runs on {folder.path}; start one with `meldhall up`")
        yield folder, dict(state.addresses)
        return
    async with AsyncExitStack() as stack:
        path = data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="meldhall-demo-")))
        console.print("Starting nats-server, ledger, table and matchmaking on free ports …")
        started = await stack.enter_async_context(
            Stack(DataDir(path), Ports.free(), structlog.get_logger("meldhall.demo"), SystemClock())
        )
        yield started.data, started.addresses()


async def _play(wish: Wish, services: Services, console: Console) -> list[DemoTable]:
    policy = bots.policy(wish.game, "normal")
    if policy is None:
        raise CommandFault(f"there is no bot for {wish.game}")

    def choose(view: View) -> Command:
        return policy(view, 0)

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    lengths = wish.matches()
    tables: list[DemoTable] = []
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task(f"{wish.players} bots play {wish.game}", total=sum(lengths))
        for length in lengths:
            tag = uuid.uuid4().hex[:6]
            names = [f"{name}-{tag}" for name in NAMES[: wish.players]]
            before = sum(len(table.results) for table in tables)
            table = DemoTable(services, game=wish.game, rounds=length, players=names, policy=choose)
            await table.play(partial(_advance, progress, bar, before))
            tables.append(table)
    return tables


def _advance(progress: Progress, bar: TaskID, before: int, done: int) -> None:
    progress.update(bar, completed=before + done)


async def _checked(table: DemoTable, folder: DataDir) -> Match:
    async with open_log(folder.path, None) as log:
        audit = await audit_table(log, table.table_id)
    return Match(table, audit, await table.settled_rounds(), await table.balances(audit.points))


async def _ledger_sum(services: Services) -> int:
    """Return the largest sum over a unit, which has to be zero."""
    operator = services.by("demo", Role.OPERATOR)
    sums = await services.ledger.CheckSums(ledger_pb.CheckSumsRequest(), metadata=operator, timeout=10)
    return max((line.sum for line in sums.sums), key=abs, default=0)


def _print(outcome: Outcome, console: Console) -> None:
    for match in outcome.matches:
        _print_match(match, console)
    found = outcome.summary()
    console.print(
        f"{found['rounds']} rounds, {found['moves']} moves in {outcome.seconds:.1f} s; "
        f"{found['verified_rounds']} rounds replayed and verified, {found['settled_rounds']} settled, "
        f"all accounts add up to {found['ledger_sum']}"
    )
    console.print("[green]Everything holds.[/]" if outcome.good else "[red]Something does not hold.[/]")


def _print_match(match: Match, console: Console) -> None:
    table, view = match.table, match.table.view
    grid = Grid(title=f"table {table.table_id}", title_justify="left", title_style="bold")
    for heading in ("seat", "player", "total", "points", "jokers"):
        grid.add_column(heading, justify="left" if heading in {"seat", "player"} else "right")
    for seat in view.seats:
        total = view.totals[seat.seat % len(view.totals)]
        balance = match.balances[seat.player_id]
        grid.add_row(
            str(seat.seat), seat.player_id, f"{total:+d}", f"{balance['points']:+d}", str(balance["jokers"])
        )
    console.print(grid)
    if match.audit.difference is not None:
        console.print(f"[red]version {match.audit.at_version}:[/] {match.audit.difference}")
