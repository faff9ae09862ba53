"""The schedule of the windows, at its edges, and groups that are hard to find."""

from dataclasses import replace

import pytest
from tests.fixtures.matchmaking import THREE, TWO, ticket

from meldhall_matchmaking.domain.entry import Entry
from meldhall_matchmaking.domain.pool import WIDTHS
from meldhall_matchmaking.domain.queue import propose
from meldhall_matchmaking.domain.ticket import Play, Ticket
from meldhall_matchmaking.domain.windows import Obstacle, obstacle, widen

RANKED = replace(TWO, play=Play.RANKED)
NOW = 100_000


def entry(one: Ticket) -> Entry:
    made = Entry((one,))
    widen(made, NOW)
    return made


def between(one: Ticket, other: Ticket) -> Obstacle | None:
    found = obstacle(entry(one), entry(other))
    assert obstacle(entry(other), entry(one)) is found
    return found


def rated(name: str, waited_ms: int, rating: int) -> Ticket:
    return replace(ticket(name, RANKED, at=NOW - waited_ms), rating=rating)


@pytest.mark.parametrize(
    ("waited", "other_waited", "reach"),
    [
        (0, 0, 100),
        (4_999, 0, 100),
        (5_000, 0, 125),
        (5_000, 5_000, 150),
        (10_000, 0, 150),
        (15_000, 15_000, 300),
        (20_000, 0, 250),
        (30_000, 30_000, 600),
        (45_000, 0, 550),
        (59_999, 45_000, 1_000),
    ],
)
def test_ratings_may_be_apart_by_the_mean_of_both_windows(waited: int, other_waited: int, reach: int) -> None:
    for away in (-1, 1):
        one = rated("a", waited, 1_500)
        assert between(one, rated("b", other_waited, 1_500 + away * reach)) is None
        assert between(one, rated("b", other_waited, 1_500 + away * (reach + 1))) is Obstacle.RATING


def test_after_the_bound_any_rating_will_do() -> None:
    assert between(rated("a", 60_000, 0), rated("b", 0, 3_000)) is None


def located(name: str, waited_ms: int, **latencies: int) -> Ticket:
    return replace(ticket(name, at=NOW - waited_ms), latencies=tuple(sorted(latencies.items())))


@pytest.mark.parametrize(
    ("waited", "other_waited", "reach"),
    [(0, 0, 80), (2_000, 0, 100), (2_000, 2_000, 120), (4_000, 0, 140), (5_999, 4_000, 200)],
)
def test_regions_may_be_apart_by_the_mean_of_both_windows(waited: int, other_waited: int, reach: int) -> None:
    one = located("a", waited, asia=10, europe=reach)
    assert between(one, located("b", other_waited, asia=reach, europe=10)) is None
    assert between(one, located("b", other_waited, asia=reach + 1, europe=10)) is Obstacle.LATENCY


def test_distance_is_forgotten_after_a_while_and_where_nobody_measured_it() -> None:
    far = located("a", 0, asia=10, europe=900)
    assert between(far, located("b", 6_000, asia=900, europe=10)) is None
    assert between(far, ticket("b", at=NOW)) is None
    assert between(far, located("b", 0, africa=10)) is Obstacle.LATENCY


@pytest.mark.parametrize(("waited", "found"), [(19_999, Obstacle.REMATCH), (20_000, None)])
def test_strangers_meet_again_when_one_of_them_has_waited(waited: int, found: Obstacle | None) -> None:
    one = replace(rated("a", waited, 1_500), met=frozenset({"b"}))

    assert between(one, rated("b", 0, 1_500)) is found


@pytest.mark.parametrize("who", ["a", "b"])
def test_whom_one_of_a_party_blocks_no_other_of_it_meets(who: str) -> None:
    pair = [
        replace(
            ticket(name, THREE),
            party_id="friends",
            party_size=2,
            blocked=frozenset({"c"} if name == who else ()),
        )
        for name in ("a", "b")
    ]

    assert propose([*pair, ticket("c", THREE)], 5) == ()
    (found,) = propose([*pair, ticket("c", THREE), ticket("d", THREE, at=1)], 5)
    assert [one.player_id for one in found.tickets] == ["a", "b", "d"]


@pytest.mark.parametrize("crowd", [WIDTHS[0] + 1, WIDTHS[1] + 1])
def test_a_group_is_found_behind_many_who_fit_one_of_it_and_nobody_else(crowd: int) -> None:
    """Each of three has a crowd of older ones who would sit with that one only."""
    trio = ("a", "b", "c")
    names = {f"{one}{number:03}": one for one in trio for number in range(crowd)}
    everybody = frozenset({*names, *trio})
    shy = [
        replace(ticket(name, THREE, at=at, bots_at=NOW), blocked=everybody - {name, fits})
        for at, (name, fits) in enumerate(names.items())
    ]
    friendly = [ticket(name, THREE, at=len(names), bots_at=NOW) for name in trio]

    (found,) = propose([*shy, *friendly], len(names))

    assert [one.player_id for one in found.tickets] == list(trio)
