"""Everybody who waits for one kind of table, indexed for finding a group without looking at all of them.

A group that is possible now and was not at the last look has somebody in it who has come since, or whose
windows have widened: only these, the fresh ones, are taken as seeds of a search. The search is complete:
where a group with the seed exists it finds one, unless ``STEPS`` are not enough in a pool where nearly
everybody blocks nearly everybody.
"""

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from operator import attrgetter
from typing import Final

from meldhall_matchmaking.domain.entry import BUCKET, Age, Entry
from meldhall_matchmaking.domain.ticket import Wish
from meldhall_matchmaking.domain.windows import RATING_STEPS, obstacle, round_trip

WIDTHS: Final = (8, 64, 1_000_000)
"""How many candidates a search weighs against each other, at first and where these do not make a group."""

STEPS: Final = 20_000
"""Candidates that one search tries at most."""

POINTS_A_SECOND: Final = 20
"""What a second of waiting is worth, in points of rating or milliseconds of distance, among candidates."""

_AGE: Final = attrgetter("age")


class Line:
    """Entries in order of age. Who does not wait any more is skipped, and forgotten a bit later."""

    __slots__ = ("_dead", "_entries", "_first")

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._first = 0
        self._dead = 0

    def __iter__(self) -> Iterator[Entry]:
        entries = self._entries
        for at in range(self._first, len(entries)):
            if entries[at].alive:
                yield entries[at]

    def add(self, entry: Entry) -> None:
        """Put an entry where its age belongs; at the end at no cost."""
        entries = self._entries
        if not entries or entries[-1].age < entry.age:
            entries.append(entry)
        else:
            insort(entries, entry, lo=self._first, key=_AGE)

    def drop_one(self) -> None:
        """Note that one entry is not alive any more."""
        entries, first = self._entries, self._first
        while first < len(entries) and not entries[first].alive:
            first += 1
        self._dead += 1
        self._first = first
        if self._dead > 32 and self._dead * 2 > len(entries):
            self._entries = [entry for entry in entries if entry.alive]
            self._first = self._dead = 0


class Pool:
    """See the module.

    Attributes:
        wish: The kind of table.
        people: How many persons wait; a party counts for all of its members.
        work: How many candidates were tried since the pool was made: what its searches cost.
    """

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self.people = 0
        self.work = 0
        self._all = Line()
        self._lines: dict[int, dict[str, Line]] = {}
        self._span = (0, 0)
        self._overdue = Line()
        self._overdue_count = 0
        self._particular = 0
        self._count = 0
        self._fresh_count = 0
        self._fresh: list[Entry] = []
        self._news: list[Entry] = []

    def __iter__(self) -> Iterator[Entry]:
        """Go through those who wait, the oldest first."""
        return iter(self._all)

    def add(self, entry: Entry) -> None:
        """Let an entry wait here, its windows brought to the present."""
        self.people += entry.size
        self._count += 1
        self._all.add(entry)
        if not entry.is_plain:
            self._particular += 1
        lines = self._lines.setdefault(entry.bucket, {})
        lines.setdefault(entry.home, Line()).add(entry)
        self._span = (min(self._span[0], entry.bucket), max(self._span[1], entry.bucket))
        if entry.overdue:
            self.add_overdue(entry)
        self.freshen(entry)

    def add_overdue(self, entry: Entry) -> None:
        """Note that an entry has waited so long that everybody takes it first."""
        self._overdue_count += 1
        self._overdue.add(entry)

    def remove(self, entry: Entry) -> None:
        """Take an entry out, for whatever reason."""
        entry.alive = False
        self.people -= entry.size
        self._count -= 1
        self._fresh_count -= entry.fresh
        self._all.drop_one()
        self._lines[entry.bucket][entry.home].drop_one()
        if not entry.is_plain:
            self._particular -= 1
        if entry.overdue:
            self._overdue_count -= 1
            self._overdue.drop_one()

    def freshen(self, entry: Entry) -> None:
        """Have an entry looked at again: it may complete a group now."""
        if not entry.fresh:
            entry.fresh = True
            self._fresh_count += 1
            self._news.append(entry)

    def oldest_fresh(self) -> Entry | None:
        """Return whom the next search begins with, None where there is nothing new."""
        if self._news:
            self._fresh += self._news + self._revived()
            self._news.clear()
            # The youngest first, so that the oldest is taken from the end.
            self._fresh.sort(key=_AGE, reverse=True)
        while self._fresh and not self._fresh[-1].alive:
            self._fresh.pop()
        return self._fresh[-1] if self._fresh else None

    def look(self, now_ms: int) -> tuple[Entry, ...]:
        """Search with the oldest fresh entry; return its group, taken out of the pool, or nothing."""
        seed = self.oldest_fresh()
        if seed is None:
            return ()
        self._fresh.pop()
        seed.fresh = False
        self._fresh_count -= 1
        self.work += 1
        group = self._full(seed) or self._with_bots(seed, now_ms)
        for entry in group:
            self.remove(entry)
        return group

    def group_of(self, seed: Entry) -> tuple[Entry, ...]:
        """Return people who would fill a table with an entry now, and change nothing."""
        return self._full(seed)

    def _revived(self) -> list[Entry]:
        """Have those looked at again who fit somebody new: else a younger one might take him first."""
        if not self._particular or self._fresh_count == self._count:
            return []
        revived: list[Entry] = []
        for entry in self._news:
            for other in islice(self._fitting(entry), WIDTHS[0]) if entry.alive else ():
                if not other.fresh:
                    other.fresh = True
                    revived.append(other)
        self._fresh_count += len(revived)
        return revived

    def _full(self, seed: Entry) -> tuple[Entry, ...]:
        seats = self.wish.seats
        if self.people < seats:
            return ()
        if not self._particular:
            # Anybody will do.
            others = (entry for entry in self._all if entry is not seed)
            return (seed, *islice(others, seats - 1))
        for width in WIDTHS:
            near = tuple(islice(self._fitting(seed), width))
            found = self._fill(seed, sorted(near, key=_cost(seed)))
            if found or len(near) < width:
                return found
        return ()

    def _with_bots(self, seed: Entry, now_ms: int) -> tuple[Entry, ...]:
        """Return a seed that has waited long enough for people, and those of them who fit, by age."""
        if seed.bots_at_ms is None or seed.bots_at_ms > now_ms:
            return ()
        group, free = [seed], self.wish.seats - seed.size
        for entry in self._all:
            if not free:
                break
            if entry is not seed and entry.size <= free and self._fits(entry, group):
                group.append(entry)
                free -= entry.size
        return tuple(group)

    def _fitting(self, seed: Entry) -> Iterator[Entry]:
        """Go through those who fit the seed: first the overdue, then by distance in rating, then by age."""
        for entry in self._overdue:
            self.work += 1
            if entry is not seed and obstacle(seed, entry) is None:
                yield entry
        for line in self._outward(seed):
            for entry in line:
                self.work += 1
                if entry is not seed and not entry.overdue and obstacle(seed, entry) is None:
                    yield entry

    def _outward(self, seed: Entry) -> Iterator[Line]:
        if seed.overdue or not seed.rated:
            yield self._all
            return
        low, high = self._span
        reach = (seed.rating_window + RATING_STEPS[-1][1]) // 2 // BUCKET + 1
        for distance in range(min(reach, max(seed.bucket - low, high - seed.bucket)) + 1):
            for bucket in {-distance: None, distance: None}:
                yield from self._lines.get(seed.bucket + bucket, {}).values()

    def _fits(self, entry: Entry, group: Sequence[Entry]) -> bool:
        self.work += len(group)
        return all(obstacle(entry, other) is None for other in group)

    def _fill(self, seed: Entry, candidates: Sequence[Entry]) -> tuple[Entry, ...]:
        """Return the first group that fills all seats, in the order of the candidates, if any does."""
        left = tuple(accumulate((entry.size for entry in reversed(candidates)), initial=0))[::-1]
        search = _Search(candidates, left, self.work + STEPS)
        return self._extend(search, (seed,), 0, self.wish.seats - seed.size)

    def _extend(
        self, search: "_Search", group: tuple[Entry, ...], start: int, free: int
    ) -> tuple[Entry, ...]:
        """Fill the free seats of a group from the candidates on from a place.

        No function inside of the other one: one that calls itself is garbage that only the collector finds.
        """
        if not free:
            return group
        for at in range(start, len(search.candidates)):
            if search.left[at] < free or self.work > search.until:
                break
            entry = search.candidates[at]
            self.work += 1
            # Every candidate fits the seed: only the others of the group are to be asked.
            if entry.size <= free and self._fits(entry, group[1:]):
                found = self._extend(search, (*group, entry), at + 1, free - entry.size)
                if found:
                    return found
        return ()


@dataclass(frozen=True, slots=True)
class _Search:
    """Candidates, how many people are left from each of them on, and the work at which it is given up."""

    candidates: Sequence[Entry]
    left: Sequence[int]
    until: int


def _cost(seed: Entry) -> Callable[[Entry], tuple[bool, int, Age]]:
    """Return what makes a candidate dear to a seed: the smaller, the sooner. Ages are compared, not times."""

    def cost(entry: Entry) -> tuple[bool, int, Age]:
        far = round_trip(seed, entry) + (abs(seed.rating - entry.rating) if seed.rated else 0)
        return not entry.overdue, far * 1000 + POINTS_A_SECOND * entry.since_ms, entry.age

    return cost
