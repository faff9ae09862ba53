"""`meldhall demo`: bots play a match over the public API; then it is replayed, checked and added up."""

import asyncio
import json
import secrets
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import structlog
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from meldhall.common.v1 import game_pb2
from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as table_pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub
from meldhall_cli.client.player import Player
from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_log
from meldhall_cli.stack import Ports, Stack, data_dir, stack_keys
from meldhall_cli.verify import Verdict, check
from meldhall_embedded import DataDir
from meldhall_rules.bots.rummy101 import choose
from meldhall_runtime import Role, SystemClock, TokenIssuer, configure_logging, open_channel

NAMES: Final = ("ann", "ben", "cleo", "dan")
JOKERS_EACH: Final = 2
SETTLED_WITHIN: Final = 60.0
"""Seconds that the ledger has for the rounds after the last move."""

_UNIT_NAMES: Final = {
    ledger_pb.UNIT_POINTS: "points",
    ledger_pb.UNIT_JOKERS: "jokers",
    ledger_pb.UNIT_COINS: "coins",
}


@dataclass
class Outcome:
    """What the demo found; ``good`` when every number is what it has to be."""

    rounds: int
    asked: int
    moves: int
    verdict: Verdict
    ledger_sum: int
    settled_rounds: int
    seconds: float
    view: view_pb.TableView
    balances: dict[str, dict[str, int]]

    @property
    def good(self) -> bool:
        """Tell whether every round was played, replays and is settled, and the accounts add up to zero."""
        return (
            self.rounds >= self.asked
            and self.verdict.rounds == self.rounds
            and not self.verdict.bad
            and self.ledger_sum == 0
            and self.settled_rounds == self.rounds
            and self._points_are_totals()
        )

    def _points_are_totals(self) -> bool:
        return all(
            self.balances[seat.player_id]["points"] == total
            for seat, total in zip(self.view.seats, self.view.totals, strict=True)
        )

    def as_json(self) -> str:
        """Return the summary of the command's last line."""
        return json.dumps({
            "rounds": self.rounds,
            "moves": self.moves,
            "verified_rounds": self.verdict.rounds,
            "replay_mismatches": len(self.verdict.bad),
            "ledger_sum": self.ledger_sum,
            "settled_rounds": self.settled_rounds,
            "seconds": round(self.seconds, 3),
        })  # fmt: skip


async def demo(
    *, rounds: int, players: int, running: bool, data: Path | None, as_json: bool, console: Console
) -> bool:
    """Play, check, print; True when everything holds.

    Args:
        rounds: rounds of the match.
        players: seats of the table, 2 to 4.
        running: play on the stack that runs on the data folder instead of starting one.
        data: the data folder; None: one that is thrown away, or with ``running`` the usual one.
        as_json: print one object instead of tables.
        console: where people read.

    Raises:
        CommandFault: no stack runs on the folder.
        EmbeddedError: the stack did not start.
    """
    configure_logging("console", "warning")
    started = asyncio.get_running_loop().time()
    async with _backend(data, running=running, console=console) as (folder, addresses):
        demo_table = _DemoTable(folder, addresses, rounds=rounds, players=players)
        async with demo_table:
            await demo_table.play(console)
            console.print("Waiting until the ledger has settled every round …")
            settled = await demo_table.settled_rounds()
            ledger_sum, balances = await demo_table.accounts()
        console.print("Replaying the log …")
        async with open_log(folder.path, None) as log:
            verdict = await check(log, demo_table.table_id, lambda _: None)
    outcome = Outcome(
        rounds=len(demo_table.results),
        asked=rounds,
        moves=sum(player.played.moves for player in demo_table.clients),
        verdict=verdict,
        ledger_sum=ledger_sum,
        settled_rounds=settled,
        seconds=asyncio.get_running_loop().time() - started,
        view=demo_table.clients[0].view,
        balances=balances,
    )
    if as_json:
        print(outcome.as_json())
    else:
        _print(outcome, demo_table.table_id, console)
    return outcome.good


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


class _DemoTable:
    """A table, the players at it, and their accounts."""

    def __init__(self, folder: DataDir, addresses: dict[str, str], *, rounds: int, players: int) -> None:
        self._issuer = TokenIssuer.from_file(stack_keys(folder).signing_key_file, SystemClock())
        self._addresses = addresses
        self._rounds = rounds
        tag = uuid.uuid4().hex[:6]
        self._players = [f"{name}-{tag}" for name in NAMES[:players]]
        self.table_id = ""
        self.clients: list[Player] = []
        self.results: dict[int, events_pb.RoundResult] = {}

    async def __aenter__(self) -> Self:
        self._channels = AsyncExitStack()
        table = await self._channels.enter_async_context(open_channel(self._addresses["table"]))
        ledger = await self._channels.enter_async_context(open_channel(self._addresses["ledger"]))
        self._table = TableServiceStub(table)
        self._ledger = LedgerServiceStub(ledger)
        await self._give_jokers()
        await self._open_table()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self._channels.aclose()

    async def play(self, console: Console) -> None:
        """Let every player play the match to its end, and show how far it is."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console) as progress:
            bar = progress.add_task(f"{len(self._players)} bots play", total=self._rounds)

            def changed(view: view_pb.TableView) -> None:
                if view.last_result.round and view.last_result.round not in self.results:
                    result = events_pb.RoundResult()
                    result.CopyFrom(view.last_result)
                    self.results[result.round] = result
                    progress.update(bar, completed=len(self.results))

            self.clients = [
                self._client(name, changed if seat == 0 else None) for seat, name in enumerate(self._players)
            ]
            async with asyncio.TaskGroup() as group:
                for client in self.clients:
                    group.create_task(client.play(secrets.token_bytes(16)))

    async def settled_rounds(self) -> int:
        """Wait for the ledger and return how many rounds it has settled."""
        deadline = asyncio.get_running_loop().time() + SETTLED_WITHIN
        while True:
            settled = 0
            for number in self.results:
                request = ledger_pb.GetSettlementRequest(table_id=self.table_id, round=number)
                answer = await self._ledger.GetSettlement(
                    request, metadata=self._as("demo", Role.OPERATOR), timeout=10
                )
                settled += answer.settled
            if settled == len(self.results) or asyncio.get_running_loop().time() > deadline:
                return settled
            await asyncio.sleep(0.1)

    async def accounts(self) -> tuple[int, dict[str, dict[str, int]]]:
        """Return the largest sum over a unit, which has to be zero, and the players' balances."""
        operator = self._as("demo", Role.OPERATOR)
        sums = await self._ledger.CheckSums(ledger_pb.CheckSumsRequest(), metadata=operator, timeout=10)
        worst = max((line.sum for line in sums.sums), key=abs, default=0)
        balances = {name: dict.fromkeys(_UNIT_NAMES.values(), 0) for name in self._players}
        for name in self._players:
            answer = await self._ledger.GetBalances(
                ledger_pb.GetBalancesRequest(), metadata=self._as(name, Role.PLAYER), timeout=10
            )
            balances[name].update({_UNIT_NAMES[line.unit]: line.posted for line in answer.balances})
        return worst, balances

    def _client(self, name: str, changed: object) -> Player:
        return Player(
            self._table,
            token=self._issuer.issue(name, Role.PLAYER, ttl_seconds=6 * 3600),
            table_id=self.table_id,
            policy=choose,
            session=secrets.token_hex(4),
            on_change=changed if callable(changed) else None,
        )

    def _as(self, subject: str, role: Role) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._issuer.issue(subject, role, ttl_seconds=600)}"),)

    async def _give_jokers(self) -> None:
        for name in self._players:
            request = ledger_pb.GrantRequest(
                transfer_id=str(uuid.uuid4()),
                player_id=name,
                unit=ledger_pb.UNIT_JOKERS,
                amount=JOKERS_EACH,
                reason="for the demo",
            )
            await self._ledger.Grant(request, metadata=self._as("demo", Role.OPERATOR), timeout=10)

    async def _open_table(self) -> None:
        request = table_pb.CreateTableRequest(
            command_id=uuid.uuid4().hex,
            options=game_pb2.GameOptions(rummy101=game_pb2.Rummy101Options()),
            format=game_pb2.MatchFormat(mode=game_pb2.MODE_FRIENDS, rounds=self._rounds),
            seats=[table_pb.SeatPlan(reserved_for=name) for name in self._players],
            limits=events_pb.TimeLimits(break_ms=100),
        )
        answer = await self._table.CreateTable(
            request, metadata=self._as(self._players[0], Role.PLAYER), timeout=10
        )
        self.table_id = answer.table_id


def _print(outcome: Outcome, table_id: str, console: Console) -> None:
    grid = Grid(title=f"table {table_id}", title_justify="left", title_style="bold")
    for heading in ("seat", "player", "total", "points", "jokers"):
        grid.add_column(heading, justify="left" if heading in {"seat", "player"} else "right")
    for seat, total in zip(outcome.view.seats, outcome.view.totals, strict=True):
        balance = outcome.balances[seat.player_id]
        grid.add_row(
            str(seat.seat), seat.player_id, f"{total:+d}", f"{balance['points']:+d}", str(balance["jokers"])
        )
    console.print(grid)
    for audit in outcome.verdict.bad:
        console.print(f"[red]version {audit.at_version}:[/] {audit.difference}")
    console.print(
        f"{outcome.rounds} rounds, {outcome.moves} moves in {outcome.seconds:.1f} s; "
        f"{outcome.verdict.rounds} rounds replayed and verified, {outcome.settled_rounds} settled, "
        f"all accounts add up to {outcome.ledger_sum}"
    )
    console.print("[green]Everything holds.[/]" if outcome.good else "[red]Something does not hold.[/]")
