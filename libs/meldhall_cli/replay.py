"""`meldhall replay TABLE[/ROUND]`: a round from the log again, step by step, all hands open."""

import json
from pathlib import Path
from typing import Final, Protocol, get_args

from rich.console import Console
from rich.table import Table as Grid

from meldhall_cli.faults import CommandFault
from meldhall_cli.logfile import open_reader
from meldhall_eventlog import LogReader, StreamArchived
from meldhall_rules import events as rules
from meldhall_rules.alphabet import Alphabet
from meldhall_rules.notation import describe, write_tiles
from meldhall_table.domain import events
from meldhall_table.domain.state import Table
from meldhall_table.store.stream import Step, read_steps

ROUND_MOVES: Final = get_args(events.RoundMove)


async def replay(
    target: str,
    *,
    data: Path | None,
    database: str | None,
    archive: Path | None,
    hands: bool,
    as_json: bool,
    console: Console,
) -> None:
    """Print a table, or one round of it.

    Raises:
        CommandFault: the table or the round is not in the log, or only in an archive.
        ArchiveDamaged: the archive is damaged.
    """
    table_id, _, number = target.partition("/")
    if number and not number.isdecimal():
        raise CommandFault(f"{target!r}: a round is a number, as in {table_id}/1")
    wanted = int(number) if number else None
    printer: _Printer = _JsonLines() if as_json else _Pages(console, hands=hands)
    async with open_reader(data, database, archive) as log:
        try:
            shown = await _walk(log, table_id, wanted, printer)
        except StreamArchived as error:
            raise CommandFault(f"{error}; name its folder with --archive") from error
    if not shown:
        what = f"round {wanted} of table {table_id}" if wanted else f"table {table_id}"
        raise CommandFault(f"{what} is not in this log")


async def _walk(log: LogReader, table_id: str, wanted: int | None, printer: "_Printer") -> bool:
    shown = False
    current = 0
    async for step in read_steps(log, table_id):
        if isinstance(step.event, events.RoundStarted):
            current = step.event.round
        if wanted is None or current == wanted:
            printer.step(step)
            shown = shown or wanted is None or current == wanted
        if wanted is not None and current == wanted and isinstance(step.event, events.RoundEnded):
            break
    return shown


def move_text(event: events.Event, alphabet: Alphabet) -> str | None:
    """Return the notation of what happened in a round; None for what is not of a round."""
    match event:
        case events.SeatOpened(laid, _):
            return describe(laid, alphabet=alphabet)
        case events.RoundEnded():
            return describe(event.ending, alphabet=alphabet)
        case events.AutomaticTurn(seat, reason):
            return f"{seat} auto ({reason.value.replace('_', ' ')})"
        case events.LimitReached(limit):
            return f"the time for the {limit.value} is up"
        case rules.RoundDealt():
            return describe(event, alphabet=alphabet)
        case _ if isinstance(event, ROUND_MOVES):
            return describe(event, alphabet=alphabet)
        case _:
            return None


def open_hands(table: Table) -> list[str]:
    """Return every hand of the round in notation, by seat."""
    if table.round is None:
        return []
    game, state = table.rules(), table.round.state
    return [write_tiles(game.view(state, seat).hand or (), game.alphabet) for seat in range(len(table.seats))]


class _Printer(Protocol):
    def step(self, step: Step) -> None:
        """Print an event."""


class _JsonLines:
    """One object a line: version, time, kind, notation and, in a round, the open hands."""

    def step(self, step: Step) -> None:
        line: dict[str, object] = {
            "version": step.version,
            "at_ms": step.at_ms,
            "event": type(step.event).__name__,
        }
        text = move_text(step.event, step.table.rules().alphabet)
        if text is not None:
            line["move"] = text
            line["hands"] = open_hands(step.table)
        print(json.dumps(line))


class _Pages:
    """For people: a heading a round, the hands dealt, a line a move, the result."""

    def __init__(self, console: Console, *, hands: bool) -> None:
        self.console = console
        self._hands = hands

    def step(self, step: Step) -> None:
        match step.event:
            case events.TableCreated():
                self._line(step, f"table opened: {step.event.game}, {len(step.table.seats)} seats")
            case events.SeatTaken(seat, player, _, bot):
                self._line(step, f"{seat} sits down: {player}{f' (bot {bot})' if bot else ''}")
            case events.SeatLeft(seat, player):
                self._line(step, f"{seat} leaves: {player}")
            case rules.RoundDealt():
                self.console.rule(f"[bold]round {step.event.round}")
                self._move(step, hands=True)
            case events.RoundEnded():
                self._move(step, hands=False)
                self._result(step.event, step.table.rules().alphabet)
            case events.MatchEnded(players=players, totals=totals):
                won = set(step.event.winners)
                winners = ", ".join(name for seat, name in enumerate(players) if seat % len(totals) in won)
                self._line(step, f"match over after {step.event.rounds} rounds, won by {winners}")
            case events.RematchBegan(next_table_id):
                self._line(step, f"played again at table {next_table_id}")
            case events.DeadlineMoved():
                self._line(step, f"the engine was away for {step.event.outage_ms / 1000:.1f} s")
            case _:
                self._move(step, hands=self._hands)

    def _move(self, step: Step, *, hands: bool) -> None:
        text = move_text(step.event, step.table.rules().alphabet)
        if text is None:
            return
        self._line(step, text)
        if hands:
            self._show_hands(step.table)

    def _line(self, step: Step, text: str) -> None:
        self.console.print(f"{step.version:>5}  {text}", markup=False, highlight=False, soft_wrap=True)

    def _show_hands(self, table: Table) -> None:
        for seat, hand in enumerate(open_hands(table)):
            self.console.print(f"         {seat}: {hand}", style="dim", markup=False, soft_wrap=True)

    def _result(self, ended: events.RoundEnded, alphabet: Alphabet) -> None:
        grid = Grid(title=f"round {ended.round}: {ended.ending.finish.value}", title_justify="left")
        for heading in ("seat", "player", "left in hand", "score", "total"):
            grid.add_column(heading, justify="right" if heading in {"score", "total"} else "left")
        for seat, player in enumerate(ended.players):
            # Scores are by side: by seat, or in Canasta by team.
            side = seat % len(ended.totals)
            left = write_tiles(ended.left[seat], alphabet)
            score, total = ended.ending.scores[side], ended.totals[side]
            grid.add_row(str(seat), player, left, f"{score:+d}", f"{total:+d}")
        self.console.print(grid)
