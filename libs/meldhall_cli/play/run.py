"""`meldhall play`: finding or starting a stack, opening the table, and leaving nothing behind."""

import asyncio
import os
import signal
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from rich.console import Console

from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from meldhall_cli.client.router import open_router
from meldhall_cli.faults import CommandFault
from meldhall_cli.play.client import Connection, TableWish
from meldhall_cli.play.keyboard import Keyboard
from meldhall_cli.play.screen import TITLES
from meldhall_cli.play.session import Session
from meldhall_cli.stack import Stack, data_dir, stack_keys
from meldhall_cli.stack_ports import Ports
from meldhall_embedded import DataDir
from meldhall_rules import registry
from meldhall_rules.bots.registry import LEVELS
from meldhall_rules.rejections import Rejection
from meldhall_runtime import Role, SystemClock, TokenIssuer, configure_logging, open_channel

DEFAULT_PLAYERS: Final = 3
JOKERS: Final = 2
"""Jokers for the Joker button that a person gets on a stack of his own."""

LONGEST_NAME: Final = 24
WIDTH: Final = 100
"""Columns where the output is no terminal."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants to play; None is the usual number for the game."""

    game: str
    players: int | None
    bots: str
    rounds: int | None
    name: str


def play(wish: Wish, *, data: Path | None) -> None:
    """Play a match in the terminal. Ctrl-C and the end of the input leave it.

    Raises:
        CommandFault: there is no such game, level, number of players or rounds.
        EmbeddedError: the stack did not start.
    """
    checked = _checked(wish, terminal=os.isatty(sys.stdin.fileno()))
    # A reader that went away must not kill this process before it has stopped what it started.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    configure_logging("console", "error")
    console = Console(width=None if sys.stdout.isatty() or os.environ.get("COLUMNS") else WIDTH)
    with suppress(BrokenPipeError):
        try:
            asyncio.run(_play(checked, wish.name, data, console))
        except (KeyboardInterrupt, asyncio.CancelledError):
            console.print("\nStopped; nothing is left running.")


def _checked(wish: Wish, *, terminal: bool) -> TableWish:
    try:
        game = registry.game(wish.game)
    except registry.UnknownGameError as error:
        raise CommandFault(str(error)) from None
    options = game.parse_options({})
    length = 0 if isinstance(options, Rejection) else game.match_rules(options).length
    players = wish.players or min(max(DEFAULT_PLAYERS, game.min_seats), game.max_seats)
    if not game.min_seats <= players <= game.max_seats:
        raise CommandFault(f"{game.name} is played by {game.min_seats} to {game.max_seats}, not by {players}")
    if wish.bots not in LEVELS:
        raise CommandFault(f"there is no bot {wish.bots!r}, only {', '.join(LEVELS)}")
    if length and wish.rounds not in {None, length}:
        raise CommandFault(f"a match of {game.name} has {length} rounds, not {wish.rounds}")
    if not 0 < len(wish.name) <= LONGEST_NAME or not wish.name.isprintable():
        raise CommandFault(f"a name has 1 to {LONGEST_NAME} printable characters")
    return TableWish(
        game=game.name,
        players=players,
        rounds=length or wish.rounds or 1,
        bots=wish.bots,
        # A script does not read along.
        break_ms=10_000 if terminal else 100,
        bot_move_ms=900 if terminal else 1,
    )


async def _play(wish: TableWish, name: str, data: Path | None, console: Console) -> None:
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if task is not None:
            loop.add_signal_handler(number, task.cancel)
    async with AsyncExitStack() as stack:
        folder, addresses, own = await stack.enter_async_context(_backend(data, console))
        issuer = TokenIssuer.from_file(stack_keys(folder).signing_key_file, SystemClock())
        if own:
            await _give_jokers(addresses["ledger"], issuer, name)
        router = await stack.enter_async_context(open_router(addresses["table"], issuer))
        connection = Connection(router, issuer, name)
        await _match(connection, wish, console, keeps=not own)


async def _match(connection: Connection, wish: TableWish, console: Console, *, keeps: bool) -> None:
    view = await connection.open(wish)
    others = wish.players - 1
    bots = f"{others} {wish.bots} bot{'s' if others > 1 else ''}"
    console.print(f"{TITLES[wish.game]}: you and {bots}. Type `help` whenever you like.", highlight=False)
    try:
        async with Keyboard() as keyboard:
            while next_table_id := await Session(connection, view, keyboard, console).run():
                view = await connection.sit_down(next_table_id)
                console.print("Another match begins.")
    finally:
        await asyncio.shield(connection.leave())
    if keeps:
        console.print(f"See it again: meldhall replay {connection.table_id} --hands", soft_wrap=True)
    console.print("Good-bye.")


@asynccontextmanager
async def _backend(
    data: Path | None, console: Console
) -> AsyncIterator[tuple[DataDir, dict[str, str], bool]]:
    """Give a stack: its folder, its addresses, and whether it was started here, to be thrown away."""
    running = data_dir(data)
    state = running.running()
    if state is not None:
        console.print(f"Playing on the stack that runs on {running.path}.", soft_wrap=True)
        yield running, dict(state.addresses), False
        return
    async with AsyncExitStack() as stack:
        path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="meldhall-play-")))
        console.print("Setting up a table of your own; it takes some seconds …")
        started = await stack.enter_async_context(
            Stack(DataDir(path), Ports.free(), structlog.get_logger("meldhall.play"), SystemClock())
        )
        yield started.data, started.addresses(), True


async def _give_jokers(address: str, issuer: TokenIssuer, name: str) -> None:
    """Put jokers for the Joker button into an account on a stack that is thrown away afterwards."""
    operator = (("authorization", f"Bearer {issuer.issue('play', Role.OPERATOR, ttl_seconds=60)}"),)
    request = ledger_pb.GrantRequest(
        transfer_id=str(uuid.uuid4()),
        player_id=name,
        unit=ledger_pb.UNIT_JOKERS,
        amount=JOKERS,
        reason="to play with",
    )
    async with open_channel(address) as channel:
        await LedgerServiceStub(channel).Grant(request, metadata=operator, timeout=10)
