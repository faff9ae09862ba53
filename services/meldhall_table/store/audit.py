"""Checking a table from its stream alone: hashes, deals, results.

Nothing is taken for granted that can be computed again: the chain over the stored bytes, the commitment and
each secret, the order of the tiles from secret and seeds, every draw and the last move of each round decided
again by the rules that the round is pinned to, totals and account changes from the scores.
Source: ``deploy/docs/shuffle.md``, ``deploy/docs/event-log.md``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from meldhall_eventlog.chain import CHAIN_START, ChainLink, verify_chain
from meldhall_eventlog.errors import ArchiveDamaged, ChainBroken
from meldhall_eventlog.store import LogReader
from meldhall_eventlog.types import StoredEvent
from meldhall_rules import events as rules
from meldhall_rules.again import is_caused
from meldhall_rules.commands import Draw, EndRound
from meldhall_rules.match import after_round, first_starter, round_changes, winners
from meldhall_rules.shuffle import (
    Published,
    first_dealer,
    secret_at,
    shuffle_key,
    verify_deal,
    verify_secret,
)
from meldhall_table.domain import events
from meldhall_table.domain.evolve import FoldError, evolve
from meldhall_table.domain.play import decided_form, match_points, match_stakes, of_people
from meldhall_table.domain.state import Table
from meldhall_table.store.decode import UnknownEventError, decode
from meldhall_table.store.stream import PAGE

MOVES = (*get_args(events.RoundMove), events.SeatOpened)


@dataclass(frozen=True, slots=True)
class Audit:
    """What a check found. ``difference`` is the first thing that does not hold, None when all does.

    ``at_version`` is where it stands. ``rounds`` counts finished rounds that were checked, ``moves`` the
    moves of all rounds, ``points`` adds up by seat what rounds and match moved in account points.
    """

    table_id: str
    events: int
    rounds: int
    moves: int
    difference: str | None = None
    at_version: int = 0
    table: Table | None = None
    points: tuple[int, ...] = ()


class _Difference(Exception):
    """Something in the stream is not what it should be."""


async def audit_table(log: LogReader, table_id: str) -> Audit:
    """Check a whole stream; stops at the first difference."""
    auditor = _Auditor()
    link, version = CHAIN_START, 0
    try:
        while page := await log.read_stream(table_id, after_version=link.version, limit=PAGE):
            for stored in page:
                version = stored.version
                link = _follow(link, stored)
                auditor.take(stored)
    except ChainBroken as error:
        return auditor.report(table_id, difference=str(error), at_version=error.version)
    except (_Difference, FoldError, UnknownEventError, ArchiveDamaged) as error:
        return auditor.report(table_id, difference=str(error), at_version=version)
    info = await log.info(table_id)
    reached = info.version if info else 0
    if reached <= link.version > 0:
        return auditor.report(table_id)
    missing = (
        f"the stream ends at version {link.version}, its row says {reached}" if info else "no such table"
    )
    return auditor.report(table_id, difference=missing, at_version=link.version + 1)


def _follow(link: ChainLink, stored: StoredEvent) -> ChainLink:
    return verify_chain((stored,), after=link)


class _Auditor:
    """Folds a stream and compares each event with what has to be there."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._turn: list[tuple[Any, rules.Event]] = []
        self._time_up = False
        self._events = self._rounds = self._moves = 0
        self._points: tuple[int, ...] = ()

    def take(self, stored: StoredEvent) -> None:
        before = self._table
        event = decode(stored.type, stored.schema_version, stored.payload, before.form if before else None)
        if before is not None:
            for difference in self._differences(before, event, stored.recorded_at_ms):
                raise _Difference(difference)
        self._remember(before, event)
        try:
            self._table = evolve(before, event, stored.recorded_at_ms)
        except ValueError as error:
            raise _Difference(f"{type(event).__name__} cannot be folded: {error}") from error
        self._events += 1

    def report(self, table_id: str, *, difference: str | None = None, at_version: int = 0) -> Audit:
        return Audit(
            table_id,
            self._events,
            self._rounds,
            self._moves,
            difference,
            at_version,
            self._table,
            self._points,
        )

    def _remember(self, before: Table | None, event: events.Event) -> None:
        if isinstance(event, events.TurnBegan):
            self._turn.clear()
        elif isinstance(event, events.LimitReached):
            self._turn.clear()
            self._time_up = True
        elif isinstance(event, MOVES):
            self._moves += 1
            if before is not None and before.round is not None:
                move = event.laid if isinstance(event, events.SeatOpened) else event
                self._turn.append((before.round.state, move))
        elif isinstance(event, events.RoundEnded | events.MatchEnded):
            self._rounds += isinstance(event, events.RoundEnded)
            self._time_up = False
            before_it = self._points or (0,) * len(event.account_changes)
            self._points = tuple(map(sum, zip(before_it, event.account_changes, strict=True)))

    def _differences(self, table: Table, event: events.Event, at_ms: int) -> Iterator[str]:
        match event:
            case events.LimitReached(limit):
                at_match = limit is events.Limit.MATCH
                deadline_ms = table.match_deadline_ms if at_match else table.round_deadline_ms
                if not 0 < deadline_ms <= at_ms:
                    yield f"the limit of the {limit.value} was reached at {at_ms}, it is {deadline_ms}"
            case events.SecretsDrawn(tip):
                if secret_at(tip, 0) != table.commitment:
                    yield "the chain of secrets does not lead to the commitment"
            case rules.RoundDealt():
                yield from _deal_differences(table, event)
            case rules.StockDrawn() | rules.BonusExposed() | rules.StockReshuffled():
                if table.round is not None:
                    again = table.rules().decide(table.round.state, Draw(table.round.turn))
                    drawn = again[0] if isinstance(again, tuple) else again
                    yield from _compare("draw from the stock", event, drawn)
            case events.RoundEnded():
                yield from self._ending_differences(table, event)
            case events.MatchEnded():
                yield from _match_differences(table, event)

    def _ending_differences(self, table: Table, event: events.RoundEnded) -> Iterator[str]:
        if not verify_secret(table.last_secret, event.secret):
            yield f"round {event.round}: its secret does not lead to the one before"
        if table.round is None or table.match is None:
            yield f"round {event.round} ended before it began"
            return
        yield from self._last_move_differences(table, event)
        shown = tuple(
            table.rules().view(table.round.state, seat).hand or () for seat in range(len(table.seats))
        )
        yield from _compare(f"round {event.round}: tiles left", event.left, shown)
        ending = event.ending
        after = after_round(table.match, ending.scores, winner=ending.winner, finish=ending.finish)
        yield from _compare(f"round {event.round}: totals", event.totals, after.totals)
        changes = of_people(round_changes(table.form, ending.scores, table.match.rules), event.bots)
        yield from _compare(f"round {event.round}: account changes", event.account_changes, changes)
        yield from _compare(f"round {event.round}: players", event.players, table.players)

    def _last_move_differences(self, table: Table, event: events.RoundEnded) -> Iterator[str]:
        """Ask whether the end of the last turn causes this result: finish, winner and scores."""
        if table.round is None:
            return
        moves = [move for _, move in self._turn]
        states = [state for state, _ in self._turn] or [table.round.state]
        game, seat = table.rules(), table.round.turn
        if self._time_up:
            if game.decide(states[0], EndRound(seat)) == (*moves, event.ending):
                return
            states = []
        for place in range(len(states) - 1, -1, -1):
            if is_caused(game, states[place], seat, (*moves[place:], event.ending)):
                return
        yield f"round {event.round}: result: the log says {event.ending}, which the last turn does not cause"


def _deal_differences(table: Table, event: rules.RoundDealt) -> Iterator[str]:
    seeds = tuple(seat.seed for seat in table.seats)
    secret = secret_at(table.tip, event.round)
    yield from _compare(f"round {event.round}: shuffle key", event.shuffle_key, shuffle_key(secret, seeds))
    published = Published(table.last_secret, secret, seeds, event.order, len(event.order))
    difference = verify_deal(published)
    if difference is not None:
        yield f"round {event.round}: {difference}"
    number = table.round.number + 1 if table.round else 1
    yield from _compare("number of the round", event.round, number)
    yield from _compare(f"round {event.round}: starter", event.starter, _starter(table, event))


def _starter(table: Table, event: rules.RoundDealt) -> int:
    if event.round > 1 and table.match is not None:
        return table.match.starter
    match_rules = table.rules().match_rules(dict(table.options))
    return first_starter(first_dealer(event.shuffle_key, event.seats), event.seats, match_rules)


def _match_differences(table: Table, event: events.MatchEnded) -> Iterator[str]:
    if table.match is None:
        yield "the match ended before it began"
        return
    form = decided_form(table, table.match)
    yield from _compare("winners of the match", event.winners, winners(form, table.match))
    yield from _compare("totals of the match", event.totals, table.match.totals)
    stakes = of_people(match_stakes(form, table.match), table.bots)
    yield from _compare("stakes of the match", event.stake_changes, stakes)
    points = of_people(match_points(form, table.match), table.bots)
    yield from _compare("account changes of the match", event.account_changes, points)


def _compare(what: str, found: object, expected: object) -> Iterator[str]:
    if found != expected:
        yield f"{what}: the log says {_plain(found)}, it should be {_plain(expected)}"


def _plain(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
