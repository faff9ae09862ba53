"""Random grants, holds, rounds and deliveries against a model that knows nothing of the ledger's code."""

import asyncio
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random  # noqa: TID251 - the type of what hypothesis hands out

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.ledger import MOVING, canasta_won, ended, grant, read_books, reservation

from meldhall_ledger.domain.accounts import Balance, Unit
from meldhall_ledger.domain.happenings import Happening, JokerSpent, NothingToPost, Numbered, TableClosed
from meldhall_ledger.domain.holds import Reservation
from meldhall_ledger.domain.matches import MatchEnded
from meldhall_ledger.domain.refusals import Refusal
from meldhall_ledger.store import Applied, Duplicate, Gap, Grant, Ledger, migrate, open_database
from meldhall_rules.match import Mode

PLAYERS = ("ann", "ben", "cid")
TABLES = ("t", "u")
NOW = 1_700_000_000_000


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database without a row."""
    path = tmp_path_factory.mktemp("ledger") / "empty.sqlite"
    migrate(f"sqlite:///{path}")
    return path


@dataclass
class Table:
    """A table as its service would play it."""

    name: str
    round: int = 1
    events: list[Numbered] = field(default_factory=list)
    held: dict[int, str] | None = None
    over: bool = False

    def happened(self, happening: Happening) -> Numbered:
        self.events.append(Numbered(self.name, len(self.events) + 1, happening))
        return self.events[-1]


class World:
    """A ledger, and beside it what it should have."""

    def __init__(self, ledger: Ledger, chance: Random) -> None:
        self.ledger = ledger
        self.chance = chance
        self.tables = {name: Table(name) for name in TABLES}
        self.posted: Counter[tuple[str, Unit]] = Counter()
        self.held: Counter[str] = Counter()
        self.settled = 0
        self.grants = 0
        self.journal: list[Grant | Reservation | Numbered] = []

    async def step(self) -> None:
        table = self.tables[self.chance.choice(TABLES)]
        actions = (self._grant, self._reserve, self._spend, self._end, self._idle, self._close)
        action = self.chance.choice(actions)
        await action(table)

    async def _grant(self, _table: Table) -> None:
        self.grants += 1
        given = grant(
            self.grants,
            self.chance.choice(PLAYERS),
            self.chance.choice((-3, -1, 1, 2, 3)),
            self.chance.choice(list(Unit)),
        )
        key = (given.player_id, given.unit)
        spare = self.posted[key] - (self.held[given.player_id] if given.unit is Unit.JOKERS else 0)
        answer = await self.ledger.grant(given)
        if given.unit is not Unit.POINTS and spare + given.amount < 0:
            assert isinstance(answer, Refusal)
            return
        self.posted[key] += given.amount
        assert isinstance(answer, Balance)
        assert answer.posted == self.posted[key]
        self.journal.append(given)

    async def _reserve(self, table: Table) -> None:
        if table.held is not None or table.over:
            return
        players = [self.chance.choice(PLAYERS) for _ in range(3)]
        spare = Counter({name: self.posted[name, Unit.JOKERS] - self.held[name] for name in PLAYERS})
        table.held = {}
        for seat, name in enumerate(players):
            if spare[name] > 0:
                spare[name] -= 1
                table.held[seat] = name
                self.held[name] += 1
        wanted = reservation(table.name, table.round, *players)
        for _ in range(2):
            assert await self.ledger.reserve_jokers(wanted) == tuple(table.held)
        self.journal.append(wanted)

    async def _spend(self, table: Table) -> None:
        if not table.held:
            return
        seat = self.chance.choice(list(table.held))
        name = table.held.pop(seat)
        self.held[name] -= 1
        self.posted[name, Unit.JOKERS] -= 1
        await self._deliver(table, JokerSpent(table.name, table.round, seat, name))

    async def _end(self, table: Table) -> None:
        if table.over:
            return
        mode = self.chance.choice(list(Mode))
        scores = {name: self.chance.choice((-202, -13, 0, 7, 101)) for name in PLAYERS}
        if mode in MOVING:
            for name, score in scores.items():
                self.posted[name, Unit.POINTS] += score
        self.settled += 1
        round_no = table.round
        self._release(table)
        table.round += 1
        await self._deliver(table, ended(table.name, round_no, scores, mode))

    async def _idle(self, table: Table) -> None:
        await self._deliver(table, NothingToPost())

    async def _close(self, table: Table) -> None:
        if self.chance.random() < 0.2 and not table.over:
            self._release(table)
            table.over = True
            if self.chance.random() < 0.7:
                await self._deliver(table, self._won(table))
            await self._deliver(table, TableClosed(table.name))

    def _won(self, table: Table) -> MatchEnded:
        """A match that pays: each winner what every loser pays, and nothing to or from a bot."""
        # Stakes have tests of their own.
        mode = self.chance.choice([mode for mode in Mode if mode is not Mode.ARENA])
        by, rounds = self.chance.choice((0, 1)), table.round
        players = [self.chance.choice((*PLAYERS, "")) for _ in range(4)]
        for seat, name in enumerate(players):
            if name and mode in MOVING:
                self.posted[name, Unit.POINTS] += 1000 * rounds * (1 if seat % 2 == by else -1)
        return canasta_won(table.name, by, rounds, players, mode)

    def _release(self, table: Table) -> None:
        self.held.subtract((table.held or {}).values())
        table.held = None

    async def _deliver(self, table: Table, happening: Happening) -> None:
        event = table.happened(happening)
        early = Numbered(table.name, event.sequence + 1, NothingToPost())
        assert await self.ledger.apply(early) == Gap(event.sequence - 1)
        assert isinstance(await self.ledger.apply(event), Applied)
        for _ in range(2):
            assert await self.ledger.apply(self.chance.choice(table.events)) == Duplicate()
        self.journal.append(event)

    def expected(self) -> dict[str, int]:
        balances = {f"player:{name}:{unit}": amount for (name, unit), amount in self.posted.items()}
        for unit in Unit:
            balances[f"issue:{unit}"] = -sum(
                amount for (_, one), amount in self.posted.items() if one is unit
            )
        return {name: amount for name, amount in balances.items() if amount}


async def _replay(ledger: Ledger, journal: list[Grant | Reservation | Numbered]) -> None:
    for entry in journal:
        for _ in range(3):
            match entry:
                case Grant():
                    assert isinstance(await ledger.grant(entry), Balance)
                case Reservation():
                    assert isinstance(await ledger.reserve_jokers(entry), tuple)
                case Numbered():
                    assert isinstance(await ledger.apply(entry), Applied | Duplicate)


@settings(max_examples=25, deadline=None)
@given(chance=st.randoms(use_true_random=False), steps=st.integers(1, 40))
def test_the_books_are_what_happened_and_what_is_replayed(empty: Path, chance: Random, steps: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        urls = [f"sqlite:///{folder}/{name}.sqlite" for name in ("first", "again")]
        for url in urls:
            shutil.copy(empty, url.removeprefix("sqlite:///"))

        async def play() -> World:
            ledger = Ledger(open_database(urls[0]), now_ms=lambda: NOW)
            world = World(ledger, chance)
            for _ in range(steps):
                await world.step()
            await ledger.close()
            again = Ledger(open_database(urls[1]), now_ms=lambda: NOW + 1)
            await _replay(again, world.journal)
            await again.close()
            return world

        world = asyncio.run(play())
        books = read_books(urls[0])

        assert books.balances == world.expected()
        assert books.held == {f"player:{name}:jokers": n for name, n in world.held.items() if n}
        assert books.settled == world.settled
        assert read_books(urls[1]) == books


@settings(max_examples=25, deadline=None)
@given(
    scores=st.lists(st.lists(st.integers(-500, 500), min_size=3, max_size=3), min_size=1, max_size=6),
    chance=st.randoms(use_true_random=False),
)
def test_the_order_of_deliveries_does_not_matter(
    empty: Path, scores: list[list[int]], chance: Random
) -> None:
    events = [
        Numbered(table, number, ended(table, number, dict(zip(PLAYERS, values, strict=True))))
        for table in TABLES
        for number, values in enumerate(scores, start=1)
    ]
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/ledger.sqlite"
        shutil.copy(empty, url.removeprefix("sqlite:///"))

        async def deliver() -> None:
            ledger = Ledger(open_database(url), now_ms=lambda: NOW)
            waiting = events * 3
            while waiting:
                chance.shuffle(waiting)
                waiting = [event for event in waiting if isinstance(await ledger.apply(event), Gap)]
            await ledger.close()

        asyncio.run(deliver())
        books = read_books(url)

    totals = {name: 2 * sum(column) for name, column in zip(PLAYERS, zip(*scores, strict=True), strict=True)}
    wanted = {f"player:{name}:points": total for name, total in totals.items()}
    wanted["issue:points"] = -sum(totals.values())
    assert books.balances == {name: total for name, total in wanted.items() if total}
    assert books.settled == len(events)
