"""A tournament as its events left it.

``fold`` makes one; ``Tournament.apply`` adds an event in place, because ten thousand entries are not copied
for each of fifty thousand events. Nothing else changes one. What is kept beside the facts (``lines``) is
computed again from the facts of those whom an event touches, never counted up and down.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique

from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.lines import Line, Seen, line_of
from meldhall_tournament.domain.lots import lot
from meldhall_tournament.domain.plan import Plan
from meldhall_tournament.domain.points import WIN


@unique
class Phase(StrEnum):
    """How far a tournament is."""

    OPEN = "open"
    RUNNING = "running"
    CLOSED = "closed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more is played."""
        return self in {Phase.CLOSED, Phase.CANCELLED}


@unique
class Fee(StrEnum):
    """What the ledger said of an entry's fee."""

    ASKED = "asked"
    HELD = "held"
    REFUSED = "refused"


@unique
class Out(StrEnum):
    """Why an entrant is not paired any more."""

    IN = ""
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(slots=True)
class Entry:
    """A player's entry. ``entrant`` is 0 until it plays."""

    number: int
    player: str
    partner: str
    fee: Fee = Fee.ASKED
    withdrawn: bool = False
    checked_in: bool = False
    entrant: int = 0

    @property
    def counts(self) -> bool:
        """Whether the player is in, or will be when the fee is held."""
        return not self.withdrawn and self.fee is not Fee.REFUSED


@dataclass(slots=True)
class Contestant:
    """Who plays. ``absent`` who did not come to the last table, until he checks in again."""

    entrant: e.Entrant
    lot: int
    out: Out = Out.IN
    absent: bool = False
    sat: list[tuple[int, int]] = field(default_factory=list)
    """Rounds and tables, in order."""

    @property
    def number(self) -> int:
        """The entrant's number."""
        return self.entrant.number

    @property
    def can_be_paired(self) -> bool:
        """Whether the next round is for him."""
        return self.out is Out.IN and not self.absent


@dataclass(slots=True)
class Pairing:
    """A table of a round. ``attempt`` counts results that are played again."""

    entrants: tuple[int, ...]
    attempt: int = 0
    table_id: str = ""
    opened_at_ms: int = 0
    result: e.ResultRecorded | None = None
    voided: bool = False
    late: e.LateResultNoted | None = None

    @property
    def is_bye(self) -> bool:
        """Whether nobody plays here against anybody."""
        return len(self.entrants) < 2

    @property
    def is_decided(self) -> bool:
        """Whether the round does not wait for it."""
        return self.is_bye or self.result is not None or self.voided


class Tournament:
    """See the module. Made by ``fold``; the first event is ``Announced``."""

    def __init__(self, announced: e.Announced) -> None:
        self.announced = announced
        self.version = 1
        self.phase = Phase.OPEN
        self.paused: e.Paused | None = None
        self.cancelled: e.Cancelled | None = None
        self.started: e.Started | None = None
        self.entries: dict[int, Entry] = {}
        self.entries_of: dict[str, list[int]] = {}
        self.counting: set[int] = set()
        self.contestants: dict[int, Contestant] = {}
        self.rounds: list[list[Pairing]] = []
        self.paired_at_ms: list[int] = []
        self.table_ids: dict[str, tuple[int, int, int]] = {}
        self.lines: dict[int, Line] = {}
        self.dues: list[e.PrizeDue] = []
        self.moved: set[str] = set()
        self.fee_codes: dict[int, str] = {}

    @property
    def plan(self) -> Plan:
        """The tournament as announced."""
        return self.announced.plan

    @property
    def tournament_id(self) -> str:
        """Its id."""
        return self.announced.tournament_id

    def pairing(self, round_no: int, table: int) -> Pairing | None:
        """Return a table of a round, both from 1."""
        if not 1 <= round_no <= len(self.rounds) or not 1 <= table <= len(self.rounds[round_no - 1]):
            return None
        return self.rounds[round_no - 1][table - 1]

    def undecided(self) -> Iterator[tuple[int, int, Pairing]]:
        """Yield the tables that the last round waits for, with round and table."""
        if self.rounds:
            for table, pairing in enumerate(self.rounds[-1], 1):
                if not pairing.is_decided:
                    yield len(self.rounds), table, pairing

    @property
    def round_is_open(self) -> bool:
        """Whether the last round waits for a table."""
        return next(self.undecided(), None) is not None

    def winner_of(self, pairing: Pairing) -> int:
        """Return who goes on from a knock-out table, 0 for nobody.

        The best place; of equal places the higher lot. Of those who are out, or did not come, nobody goes on,
        unless the table's time was over, which says nothing about who came.
        """
        inside = [number for number in pairing.entrants if self.contestants[number].out is Out.IN]
        if pairing.is_bye:
            return inside[0] if inside else 0
        result = pairing.result
        if result is None:
            return 0
        sides = dict(zip(pairing.entrants, result.sides, strict=True))
        if result.source is not e.Source.TIMEOUT:
            best = min((side.place for side in sides.values() if side.came), default=0)
            inside = [number for number in inside if sides[number].came and sides[number].place == best]
        return max(inside, key=lambda number: self.contestants[number].lot, default=0)

    def entry_of(self, player: str) -> Entry | None:
        """Return the entry of a player that counts."""
        numbers = self.entries_of.get(player)
        last = self.entries[numbers[-1]] if numbers else None
        return last if last is not None and last.counts else None

    def apply(self, event: e.Event) -> None:
        """Add what happened next."""
        self.version += 1
        match event:
            case e.Registered():
                self._registered(event)
            case e.FeeHeld():
                self._fee_held(event)
            case e.FeeRefused():
                self._fee_refused(event)
            case e.CheckedIn():
                self._checked_in(event)
            case e.Withdrawn():
                self._withdrawn(event)
            case e.Started():
                self._started(event)
            case e.Admitted():
                self._admitted(event)
            case e.RoundPaired():
                self._paired(event)
            case e.TableOpened():
                self._table_opened(event)
            case e.TableLost():
                self._another_attempt(self._pairing(event.round, event.table))
            case e.ResultRecorded():
                self._recorded(event)
            case e.LateResultNoted():
                self._late(event)
            case e.ResultVoided():
                self._voided(event)
            case e.Disqualified():
                self._disqualified(event)
            case e.Paused():
                self.paused = event
            case e.Resumed():
                self.paused = None
            case e.Cancelled():
                self.phase, self.cancelled = Phase.CANCELLED, event
            case e.Closed():
                self.phase = Phase.CLOSED
            case e.PrizeDue():
                self.dues.append(event)
            case e.MoneyMoved():
                self.moved.add(event.key)
            case e.Announced():
                raise ValueError("a tournament is announced once")

    def _registered(self, event: e.Registered) -> None:
        self.entries[event.entry] = Entry(event.entry, event.player, event.partner)
        self.entries_of.setdefault(event.player, []).append(event.entry)
        self.counting.add(event.entry)

    def _fee_held(self, event: e.FeeHeld) -> None:
        self.entries[event.entry].fee = Fee.HELD

    def _fee_refused(self, event: e.FeeRefused) -> None:
        self.entries[event.entry].fee = Fee.REFUSED
        self.fee_codes[event.entry] = event.code
        self.counting.discard(event.entry)

    def _checked_in(self, event: e.CheckedIn) -> None:
        entry = self.entries[self.entries_of[event.player][-1]]
        entry.checked_in = True
        if entry.entrant:
            self.contestants[entry.entrant].absent = False

    def _withdrawn(self, event: e.Withdrawn) -> None:
        entry = self.entries[event.entry]
        entry.withdrawn = True
        self.counting.discard(event.entry)
        if entry.entrant:
            contestant = self.contestants[entry.entrant]
            contestant.out = contestant.out or Out.WITHDRAWN
            if self.plan.knock_out and contestant.sat:
                self._lines(self._pairing(*contestant.sat[-1]))

    def _started(self, event: e.Started) -> None:
        self.phase = Phase.RUNNING
        self.started = event
        for entrant in event.entrants:
            self._admit(entrant)
        # Entries that were left out stand for nobody any more.
        self.counting = {number for number in self.counting if self.entries[number].entrant}
        for entry in self.entries.values():
            if not entry.entrant:
                entry.withdrawn = True

    def _admitted(self, event: e.Admitted) -> None:
        self._admit(event.entrant)

    def _admit(self, entrant: e.Entrant) -> None:
        seed = self.started.seed if self.started else b""
        self.contestants[entrant.number] = Contestant(entrant, lot(seed, entrant.number))
        for number in entrant.entries:
            self.entries[number].entrant = entrant.number
        self.lines[entrant.number] = Line()

    def _paired(self, event: e.RoundPaired) -> None:
        self.rounds.append([Pairing(entrants) for entrants in event.tables])
        self.paired_at_ms.append(event.at_ms)
        for table, entrants in enumerate(event.tables, 1):
            for number in entrants:
                self.contestants[number].sat.append((event.round, table))
            if len(entrants) == 1 or self.plan.knock_out:
                for number in entrants:
                    self._line(number)

    def _table_opened(self, event: e.TableOpened) -> None:
        pairing = self._pairing(event.round, event.table)
        pairing.table_id, pairing.opened_at_ms = event.table_id, event.at_ms
        self.table_ids[event.table_id] = (event.round, event.table, event.attempt)

    def _recorded(self, event: e.ResultRecorded) -> None:
        pairing = self._pairing(event.round, event.table)
        pairing.result, pairing.voided = event, False
        if event.source in {e.Source.MATCH, e.Source.FORFEIT}:
            for number, side in zip(pairing.entrants, event.sides, strict=True):
                self.contestants[number].absent = not side.came
        self._lines(pairing)

    def _late(self, event: e.LateResultNoted) -> None:
        self._pairing(event.round, event.table).late = event

    def _voided(self, event: e.ResultVoided) -> None:
        pairing = self._pairing(event.round, event.table)
        pairing.result, pairing.voided = None, not event.replay
        if event.replay:
            self._another_attempt(pairing)
            for number in pairing.entrants:
                self.contestants[number].absent = False
        self._lines(pairing)

    @staticmethod
    def _another_attempt(pairing: Pairing) -> None:
        pairing.attempt += 1
        pairing.table_id, pairing.opened_at_ms, pairing.late = "", 0, None

    def _disqualified(self, event: e.Disqualified) -> None:
        contestant = self.contestants[event.entrant]
        contestant.out = Out.DISQUALIFIED
        for round_no, table in contestant.sat:
            self._lines(self._pairing(round_no, table))

    def _pairing(self, round_no: int, table: int) -> Pairing:
        return self.rounds[round_no - 1][table - 1]

    def _lines(self, pairing: Pairing) -> None:
        for number in pairing.entrants:
            self._line(number)

    def _line(self, number: int) -> None:
        """Add an entrant's line up again from all tables that he sat at."""
        seen = []
        for round_no, table in self.contestants[number].sat:
            pairing = self._pairing(round_no, table)
            if pairing.is_bye:
                seen.append(Seen((number,), (), frozenset()))
            elif pairing.result is not None:
                out = {
                    at
                    for at, other in enumerate(pairing.entrants)
                    if self.contestants[other].out is Out.DISQUALIFIED
                }
                seen.append(Seen(pairing.entrants, pairing.result.sides, frozenset(out)))
        line = line_of(number, seen)
        self.lines[number] = self._knock_out_line(number, line) if self.plan.knock_out else line

    def _knock_out_line(self, number: int, line: Line) -> Line:
        """Give a win for each round that somebody went on from, however that was decided."""
        sat = self.contestants[number].sat
        goes_on = sat[-1][0] == len(self.rounds) and self.winner_of(self._pairing(*sat[-1])) == number
        return replace(line, points=WIN * (len(sat) - 1 + goes_on))


def fold(events: Iterable[e.Event]) -> Tournament | None:
    """Return the tournament that events tell of, None where there are none.

    Raises:
        ValueError: the first of them is no announcement.
    """
    tournament: Tournament | None = None
    for event in events:
        if tournament is not None:
            tournament.apply(event)
        elif isinstance(event, e.Announced):
            tournament = Tournament(event)
        else:
            raise ValueError(f"a tournament begins with Announced, not {type(event).__name__}")
    return tournament
