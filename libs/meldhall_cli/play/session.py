"""A match in the terminal: what happens is told, and what is typed is done."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.rule import Rule
from rich.text import Text

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.client.mirror import TableMirror
from meldhall_cli.play import texts
from meldhall_cli.play.choices import Choices
from meldhall_cli.play.client import Connection, Refused
from meldhall_cli.play.keyboard import Keyboard
from meldhall_cli.play.names import Names
from meldhall_cli.play.pieces import Order, Pieces
from meldhall_cli.play.reading import Typed, Unclear, move_of, understand
from meldhall_cli.play.refusals import explain
from meldhall_cli.play.result import Explainer
from meldhall_cli.play.screen import Screen
from meldhall_cli.play.words import Narrator
from meldhall_contracts.moves import move_of as message_of
from meldhall_rules import registry

LEAVE: Final = "Leave the match? Your seat is played automatically then. (y/n)"
REMATCH: Final = "Another match? (y/n)"


class Session:
    """One person at one table, from the first deal to the end of the match.

    Args:
        connection: the table.
        view: the table when the person sat down.
        keyboard: what is typed.
        console: where it is told.
    """

    def __init__(
        self, connection: Connection, view: views.TableView, keyboard: Keyboard, console: Console
    ) -> None:
        self._connection = connection
        self._mirror = TableMirror(view)
        self._keyboard = keyboard
        self._console = console
        self._order = Order.NUMBER if _game_of(view) == "canasta" else Order.COLOUR
        self._news: asyncio.Queue[pb.WatchResponse] = asyncio.Queue()
        self._fresh: set[int] = set()
        self._asking = ""
        self._prompted = False

    @property
    def _view(self) -> views.TableView:
        return self._mirror.view

    @property
    def _on_turn(self) -> bool:
        view = self._view
        playing = view.status == views.TABLE_STATUS_PLAYING and view.round.turn == view.own_seat
        return playing and view.round.phase in {views.PHASE_DRAW, views.PHASE_PLAY}

    async def run(self) -> str:
        """Play until the match is over or the person leaves; return the table of the rematch, or nothing."""
        if self._view.round.round:
            self._print(Text(f"Round {self._view.round.round} is dealt."))
        await self._begin_if_on_turn()
        watching = asyncio.create_task(self._connection.watch(self._mirror.version, self._news))
        try:
            await self._until_over(watching)
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        return self._view.next_table_id

    async def _until_over(self, watching: "asyncio.Task[None]") -> None:
        news: asyncio.Task[pb.WatchResponse] | None = None
        typed: asyncio.Task[str | None] | None = None
        try:
            while self._view.status != views.TABLE_STATUS_CLOSED:
                news = news or asyncio.create_task(self._news.get())
                if self._listens():
                    self._prompt()
                    typed = typed or asyncio.create_task(self._keyboard.line())
                waiting = [task for task in (news, typed, watching) if task is not None]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if news.done():
                    message, news = news.result(), None
                    if message.HasField("event"):
                        await self._see([message.event])
                elif typed is not None and typed.done():
                    line, typed = typed.result(), None
                    if not await self._hear(line):
                        return
                elif watching.done():
                    watching.result()
                    return
        finally:
            for task in (news, typed):
                if task is not None:
                    task.cancel()

    def _listens(self) -> bool:
        """Tell whether a line is wanted: through a pipe only when it can be meant for this moment."""
        return self._on_turn or bool(self._asking) or self._keyboard.is_terminal

    def _prompt(self) -> None:
        if self._prompted:
            return
        if self._asking:
            sign = "y/n> "
        elif self._on_turn:
            sign = "draw or take> " if self._view.round.phase == views.PHASE_DRAW else "lay or discard> "
        else:
            return
        self._prompted = True
        self._console.print(Text(sign, "bold green"), end="")
        self._console.file.flush()

    async def _hear(self, line: str | None) -> bool:
        """Do what was typed; False where the person leaves."""
        if self._prompted and not self._keyboard.is_terminal:
            # What comes through a pipe does not show by itself.
            self._console.print(escape(line or ""), highlight=False)
        self._prompted = False
        if line is None:
            self._print(Text("No more input: leaving the match."))
            return False
        if self._asking:
            return await self._answered(line.strip().lower().startswith("y"))
        if not line.strip():
            if self._view.status == views.TABLE_STATUS_BREAK:
                await self._connection.ready()
            return True
        try:
            typed = understand(line, self._pieces.alphabet)
            if typed.is_move:
                await self._move(typed)
            else:
                await self._order_given(typed)
        except Unclear as unclear:
            self._print(Text(str(unclear), "yellow"))
        return True

    async def _answered(self, yes: bool) -> bool:  # noqa: FBT001 - it is the answer
        """Do what a question was answered with; False where the person leaves."""
        asked, self._asking = self._asking, ""
        if asked == REMATCH and yes:
            await self._connection.rematch()
        return yes if asked == REMATCH else not yes

    async def _move(self, typed: Typed) -> None:
        view = self._view
        if not self._on_turn:
            raise Unclear("It is not your turn yet.")
        pieces = self._pieces
        taken = view.round.discards[-1] if view.round.discards else None
        command = move_of(typed, view.own_seat, list(view.round.own_hand), taken, pieces.alphabet)
        answer = await self._connection.act(message_of(command), view.version)
        if isinstance(answer, Refused):
            reason = explain(answer.code, answer.detail, command, view, pieces.alphabet)
            self._print(Text.assemble(("Not possible: ", "red"), reason))
            return
        await self._see(answer)

    async def _order_given(self, typed: Typed) -> None:
        game = _game_of(self._view)
        match typed.word:
            case "help":
                self._print(Text(texts.help_text(game, self._pieces.alphabet.piece)))
            case "rules":
                self._print(Text(f"{texts.rules_text(game)}\n\nIn full: deploy/docs/rules/{game}.md"))
            case "table":
                await self._show_table()
            case "sort":
                self._sort(typed.rest)
            case "quit":
                self._ask(LEAVE)
            case "hint":
                self._say((await self._choices()).hint() or ["There is nothing to say now."])
            case _:
                self._say((await self._choices()).all() or ["It is not your turn: there is nothing to do."])

    def _sort(self, wanted: str) -> None:
        named = [
            order for order in Order if wanted and order.value.startswith(wanted.replace("color", "colour"))
        ]
        other = Order.NUMBER if self._order is Order.COLOUR else Order.COLOUR
        self._order = named[0] if named else other
        self._show_hand()

    async def _see(self, events: Iterable[views.TableEvent]) -> None:
        """Take events in, tell them, and go on where they lead."""
        began = acted = False
        for event in events:
            if not self._mirror.apply(event):
                continue
            kind = event.WhichOneof("event")
            self._keep_fresh(event)
            for line in self._narrator.tell(event, self._view):
                self._print(line)
            if kind == "round_ended":
                self._show_result()
            elif kind == "break_began":
                self._say_break(event.break_began.deadline_unix_ms)
            elif kind == "match_ended":
                self._show_match()
            elif kind == "rematch_offered":
                self._ask(REMATCH)
            mine = self._on_turn
            began = began or (mine and kind == "turn_began")
            acted = acted or (mine and kind not in {"turn_began", "hidden"})
        if began:
            await self._begin_if_on_turn()
        elif acted and self._on_turn:
            self._show_hand()
            await self._show_choices()

    def _ask(self, question: str) -> None:
        self._asking = question
        self._print(Text(question))

    def _say_break(self, deadline_ms: int) -> None:
        sooner = " Press Enter for it at once." if self._keyboard.is_terminal else ""
        self._print(Text(f"The next round follows in {_seconds(deadline_ms)} s.{sooner}"))

    def _keep_fresh(self, event: views.TableEvent) -> None:
        """Remember what came to the hand in this turn."""
        match event.WhichOneof("event"):
            case "turn_began":
                self._fresh.clear()
            case "own_tile_drawn":
                self._fresh.add(event.own_tile_drawn.tile)
            case "discard_taken":
                self._fresh.add(event.discard_taken.tile)
            case "joker_issued":
                self._fresh.add(event.joker_issued.tile)
            case "joker_swapped":
                self._fresh.add(event.joker_swapped.joker)
            case "pile_taken":
                self._fresh.update(event.pile_taken.tiles)

    async def _begin_if_on_turn(self) -> None:
        if self._on_turn:
            await self._show_table()

    async def _show_table(self) -> None:
        if not self._view.round.round:
            self._print(Text("Nothing has been dealt yet."))
            return
        self._print(self._screen.table(self._view, _now_ms()))
        self._show_hand()
        if self._on_turn:
            await self._show_choices()

    def _show_hand(self) -> None:
        self._print(self._screen.hand(self._view, self._order, self._fresh))

    async def _show_choices(self) -> None:
        lines = (await self._choices()).lines()
        self._print(Text("You can:", "bold"))
        self._say(f"  {line}" for line in lines)

    async def _choices(self) -> Choices:
        return Choices(await self._connection.hints(), self._view, self._pieces.alphabet)

    def _show_result(self) -> None:
        view = self._view
        explainer = Explainer(view, self._names, self._pieces)
        self._print(Rule(f"Round {view.last_result.round} is over", align="left"))
        self._print(Text(explainer.ending(), "bold"))
        for explained in explainer.scores():
            name = self._names.of_side(explained.side)
            total = view.totals[explained.side]
            head = f"{name[0].upper()}{name[1:]}: {explained.score:+d}"
            self._print(Text.assemble((head, "bold"), f", {total} in all"))
            for item in explained.items:
                self._print(Text.assemble(f"  {item.points:+5d}  ", item.why))

    def _show_match(self) -> None:
        result = self._view.match_result
        self._print(Rule("The match is over", align="left"))
        winners = [self._names.of_side(side) for side in result.winners]
        verb = "win" if len(winners) > 1 or self._names.teams or winners == ["you"] else "wins"
        who = " and ".join(winners)
        self._print(Text(f"{who[:1].upper()}{who[1:]} {verb} the match.", "bold"))
        for side, total in enumerate(result.totals):
            self._print(Text(f"  {self._names.of_side(side)}: {total}"))

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._print(Text(line))

    def _print(self, what: RenderableType) -> None:
        if self._prompted:
            # Something happened while a line was awaited.
            self._prompted = False
            self._console.print()
        self._console.print(what, highlight=False)

    @property
    def _names(self) -> Names:
        return Names.of(self._view)

    @property
    def _pieces(self) -> Pieces:
        round_ = self._view.round
        game = _game_of(self._view)
        wild = round_.wild if round_.HasField("wild") else None
        return Pieces(registry.game(game).alphabet, game, wild)

    @property
    def _screen(self) -> Screen:
        return Screen(self._names, self._pieces)

    @property
    def _narrator(self) -> Narrator:
        return Narrator(self._names, self._pieces)


def _game_of(view: views.TableView) -> str:
    return view.options.WhichOneof("game") or view.round.game


def _now_ms() -> int:
    return int(time.time() * 1000)


def _seconds(deadline_ms: int) -> int:
    return max((deadline_ms - _now_ms() + 500) // 1000, 0)
