"""Crowds of every kind, and what is legal for them, said without the index that the queue keeps."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from hypothesis import strategies as st

from meldhall_matchmaking.domain.entry import Entry
from meldhall_matchmaking.domain.queue import Proposal
from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_matchmaking.domain.windows import obstacle, widen

FIXED = (("opening", "fixed"),)
SECOND = 1000

plays = st.sampled_from(list(Play))
wishes = st.builds(
    Wish, st.just("rummy101"), st.just(FIXED), seats=st.integers(2, 4), rounds=st.just(1), play=plays
)
ratings = st.one_of(st.integers(1300, 1700), st.integers(0, 3000))
latencies = st.one_of(
    st.just(()),
    st.fixed_dictionaries({"asia": st.integers(5, 300), "europe": st.integers(5, 300)}).map(
        lambda found: tuple(sorted(found.items()))
    ),
)
names = [f"p{number:02}" for number in range(14)]
some_names = st.frozensets(st.sampled_from(names), max_size=3)


@st.composite
def tickets(draw: st.DrawFn, number: int, wish: Wish, at_ms: int) -> Ticket:
    """A ticket of the player of that number."""
    own = names[number]
    return Ticket(
        ticket_id=f"t{number:02}",
        player_id=own,
        wish=wish,
        enqueued_at_ms=at_ms,
        bots_at_ms=at_ms + draw(st.integers(0, 20)) * SECOND,
        last_seen_ms=at_ms,
        rating=draw(ratings),
        latencies=draw(latencies),
        blocked=draw(some_names) - {own},
        met=draw(some_names) - {own},
    )


@st.composite
def crowds(draw: st.DrawFn, span: int = 90 * SECOND, size: int = 10) -> list[Ticket]:
    """Tickets of two kinds of table in no order, made within a span of time, some of them in parties."""
    kinds = draw(st.lists(wishes, min_size=1, max_size=2))
    made: list[Ticket] = []
    while len(made) < size and draw(st.integers(0, 9)):
        wish, at = draw(st.sampled_from(kinds)), draw(st.integers(0, span))
        together = min(draw(st.sampled_from([1, 1, 1, 2, 3])), wish.seats, size - len(made))
        party = [draw(tickets(len(made) + member, wish, at)) for member in range(together)]
        if together > 1:
            party = [
                replace(one, party_id=f"with-{party[0].player_id}", party_size=together) for one in party
            ]
        made += party
    return draw(st.permutations(made))


def entries(waiting: Iterable[Ticket], now_ms: int) -> list[Entry]:
    """Put parties together and bring everybody's windows to a time."""
    groups: dict[str, list[Ticket]] = {}
    for one in waiting:
        groups.setdefault(one.party_id or one.ticket_id, []).append(one)
    found = [
        Entry(sorted(group, key=lambda one: one.ticket_id))
        for group in groups.values()
        if len(group) == group[0].party_size
    ]
    for entry in found:
        widen(entry, now_ms)
    return found


def fit(group: Collection[Entry]) -> bool:
    return all(obstacle(one, other) is None for one, other in combinations(group, 2))


def full_groups(waiting: Iterable[Ticket], now_ms: int) -> Iterator[tuple[Entry, ...]]:
    """Every group that would fill a table now."""
    pools: dict[Wish, list[Entry]] = {}
    for entry in entries(waiting, now_ms):
        pools.setdefault(entry.tickets[0].wish, []).append(entry)
    for wish, pool in pools.items():
        for count in range(1, wish.seats + 1):
            for group in combinations(pool, count):
                if sum(entry.size for entry in group) == wish.seats and fit(group):
                    yield group


def left(waiting: Sequence[Ticket], proposals: Iterable[Proposal]) -> list[Ticket]:
    taken = {one.ticket_id for each in proposals for one in each.tickets}
    return [one for one in waiting if one.ticket_id not in taken]
