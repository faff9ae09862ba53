"""Places, every value that decides them, tables by standing, and what the prizes are."""

import hashlib
import hmac
from typing import Any

import pytest
from tests.fixtures.tournament import PLAN, SEED, plan

from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.lots import commitment, lot
from meldhall_tournament.domain.plan import Format, Plan, Prizes
from meldhall_tournament.domain.points import points
from meldhall_tournament.domain.prizes import by_place, largest_remainder, prizes_of
from meldhall_tournament.domain.seating import by_standing
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import Tournament, fold

Tables = tuple[tuple[int, ...], ...]
Round = dict[tuple[int, ...], tuple[tuple[int, ...], tuple[int, ...]]]
"""The entrants of each table with places and the game's own results."""


def played(
    players: int,
    rounds: list[Round],
    of: Plan = PLAN,
) -> Tournament:
    """Return a tournament whose rounds gave tables places and the game's own results."""
    events: list[e.Event] = [e.Announced("t", of, commitment(SEED), "op", 1)]
    for number in range(1, players + 1):
        events += [e.Registered(number, f"p{number}", "", 1), e.FeeHeld(number, 1)]
    entrants = tuple(e.Entrant(number, (f"p{number}",), (number,)) for number in range(1, players + 1))
    events.append(e.Started(SEED, entrants, 2))
    for round_no, tables in enumerate(rounds, 1):
        events.append(e.RoundPaired(round_no, tuple(tables), 3))
        for table, (places, own) in enumerate(tables.values(), 1):
            sides = tuple(map(e.SideResult, places, own))
            if len(sides) > 1:
                events.append(e.ResultRecorded(round_no, table, sides, e.Source.MATCH, "", 4))
    state = fold(events)
    assert state is not None
    return state


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((1, 2), (12, 0)),
        ((1, 1), (6, 6)),
        ((1, 2, 3), (12, 6, 0)),
        ((1, 2, 2), (12, 3, 3)),
        ((1, 1, 3), (9, 9, 0)),
        ((4, 3, 2, 1), (0, 4, 8, 12)),
        ((1, 1, 1, 1), (6, 6, 6, 6)),
    ],
)
def test_a_place_is_worth_points(places: tuple[int, ...], expected: tuple[int, ...]) -> None:
    sides = [e.SideResult(place) for place in places]
    assert tuple(points(sides, at) for at in range(len(sides))) == expected


def test_who_did_not_come_gets_nothing_and_is_beaten_by_all_who_did() -> None:
    sides = [e.SideResult(1), e.SideResult(1), e.SideResult(1, came=False)]
    assert [points(sides, at) for at in range(3)] == [9, 9, 0]
    nobody = [e.SideResult(1, came=False), e.SideResult(1, came=False)]
    assert [points(nobody, at) for at in range(2)] == [0, 0]


def test_the_values_decide_in_their_order() -> None:
    state = played(
        4,
        [
            {(1, 2): ((1, 2), (30, -30)), (3, 4): ((1, 2), (10, -10))},
            {(1, 3): ((2, 1), (-20, 20)), (2, 4): ((1, 2), (5, -5))},
        ],
    )
    rows = standings(state)
    assert [(row.place, row.number, row.points, row.wins, row.own) for row in rows] == [
        (1, 3, 24, 2, 30),
        (2, 1, 12, 1, 10),
        (3, 2, 12, 1, -25),
        (4, 4, 0, 0, -15),
    ]
    assert [row.opponents for row in rows] == [12, 36, 12, 36]


def test_equals_are_compared_by_their_own_tables_first() -> None:
    state = played(
        4,
        [
            {(1, 2): ((2, 1), (0, 0)), (3, 4): ((1, 2), (0, 0))},
            {(1, 4): ((1, 2), (0, 0)), (2, 3): ((2, 1), (0, 0))},
        ],
    )
    rows = {row.number: row for row in standings(state)}
    assert (rows[1].points, rows[2].points) == (12, 12)
    assert (rows[1].head_to_head, rows[2].head_to_head) == (0, 12)
    assert rows[2].place < rows[1].place


def test_a_bye_counts_as_an_opponent_like_oneself() -> None:
    state = played(3, [{(1, 2): ((1, 2), (0, 0)), (3,): ((), ())}])
    rows = {row.number: row for row in standings(state)}
    assert (rows[3].points, rows[3].wins, rows[3].opponents) == (12, 0, 12)
    assert rows[1].place == 1


def test_lots_decide_at_last_or_places_are_shared() -> None:
    tables: Round = {
        (1, 2): ((1, 1), (0, 0)),
        (3, 4): ((1, 1), (0, 0)),
    }
    rows = standings(played(4, [tables]))
    assert [row.place for row in rows] == [1, 2, 3, 4]
    assert [row.lot for row in rows] == sorted((row.lot for row in rows), reverse=True)
    shared = standings(played(4, [tables], plan(lots_decide=False)))
    assert [row.place for row in shared] == [1, 1, 1, 1]


def test_lots_are_drawn_as_written() -> None:
    digest = hmac.new(SEED, b"meldhall/lot/1\x00" + b"17", hashlib.sha256).digest()
    assert lot(SEED, 17) == int.from_bytes(digest[:6], "big")
    assert commitment(SEED) == hashlib.sha256(SEED).digest()


@pytest.mark.parametrize(
    ("players", "sides", "tables"),
    [
        (4, 2, ((1, 2), (3, 4))),
        (5, 2, ((1, 2), (3, 4), (5,))),
        (7, 3, ((1, 2), (3, 4), (5, 6, 7))),
        (8, 4, ((1, 2, 3, 4), (5, 6, 7, 8))),
        (5, 4, ((1, 2), (3, 4, 5))),
        (2, 4, ((1, 2),)),
        (1, 2, ((1,),)),
        (1, 4, ((1,),)),
    ],
)
def test_tables_by_standing(players: int, sides: int, tables: Tables) -> None:
    assert by_standing(list(range(1, players + 1)), sides) == tables


def test_shares_are_rounded_by_largest_remainder() -> None:
    assert largest_remainder(100, [3333, 3333, 3334], 10_000) == [33, 33, 34]
    assert largest_remainder(10, [1, 1, 1], 3) == [4, 3, 3]
    assert by_place(Prizes(shares=(5000, 2500)), 101) == [50, 25]
    assert by_place(Prizes(amounts=(7, 3)), 1000) == [7, 3]


def test_who_shares_places_shares_their_prizes() -> None:
    tables: Round = {
        (1, 2): ((1, 1), (0, 0)),
        (3, 4): ((1, 2), (0, 0)),
    }
    of = plan(lots_decide=False, prizes=Prizes(amounts=(100, 31, 20)))
    state = played(4, [tables], of)
    won = prizes_of(state)
    best = max((1, 2), key=lambda number: state.contestants[number].lot)
    assert won["p3"] == (1, 100)
    assert won[f"p{best}"] == (2, 26)
    assert won[f"p{3 - best}"] == (2, 25)
    assert "p4" not in won


def test_prizes_are_a_pot_of_fees_with_what_is_guaranteed() -> None:
    tables: Round = {(1, 2): ((1, 2), (0, 0))}
    format_of: dict[str, Any] = {"format": Format.SINGLE_ELIMINATION, "rounds": 0}
    small = plan(**format_of, entry_fee=10, prizes=Prizes(shares=(6000, 4000), guaranteed=50))
    assert prizes_of(played(2, [tables], small)) == {"p1": (1, 30), "p2": (2, 20)}
    large = plan(**format_of, entry_fee=40, prizes=Prizes(shares=(6000,), guaranteed=50))
    assert prizes_of(played(2, [tables], large)) == {"p1": (1, 48)}
