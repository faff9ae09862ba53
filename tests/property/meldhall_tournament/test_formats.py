"""Each format, whatever the number of entrants and the results."""

from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.tournament import Director, plan

from meldhall_tournament.domain.plan import Format
from meldhall_tournament.domain.seating import by_standing
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import Phase

LOTS = st.integers(0, 2**32 - 1)


def running(players: int, **changes: object) -> Director:
    director = Director(plan(**changes))
    director.enter(*(f"p{number}" for number in range(players)))
    director.start()
    return director


def finish(director: Director, lot: int) -> None:
    while not director.state.phase.is_over:
        director.play_round(lot)


@given(st.integers(2, 70), LOTS)
def test_a_knock_out_loses_one_entrant_a_table_and_has_byes_in_the_first_round_only(
    players: int, lot: int
) -> None:
    director = running(players, format=Format.SINGLE_ELIMINATION, rounds=0)
    finish(director, lot)
    state = director.state
    assert state.phase is Phase.CLOSED
    assert len(state.rounds) == (players - 1).bit_length()
    tables = [[one for one in tables if not one.is_bye] for tables in state.rounds]
    assert sum(map(len, tables)) == players - 1
    byes = [sum(len(one.entrants) == 1 for one in tables) for tables in state.rounds]
    assert byes == [2 ** len(state.rounds) - players, *[0] * (len(state.rounds) - 1)]
    # Who lost is never seen again.
    for earlier, later in zip(state.rounds, state.rounds[1:], strict=False):
        assert {n for one in later for n in one.entrants} < {n for one in earlier for n in one.entrants}
    winner = standings(state)[0]
    assert (winner.place, winner.points) == (1, 12 * len(state.rounds))


@given(st.integers(2, 12), LOTS)
def test_the_first_two_seeds_meet_in_the_final_or_not_at_all(players: int, lot: int) -> None:
    director = running(players, format=Format.SINGLE_ELIMINATION, rounds=0)
    finish(director, lot)
    first, second = sorted(director.state.contestants.values(), key=lambda one: -one.lot)[:2]
    for tables in director.state.rounds[:-1]:
        assert not any({first.number, second.number} <= set(one.entrants) for one in tables)


@given(st.integers(1, 60), st.integers(2, 4))
def test_tables_by_standing_seat_everybody_once_in_order_and_evenly(players: int, sides: int) -> None:
    tables = by_standing(list(range(players)), sides)
    assert [number for table in tables for number in table] == list(range(players))
    sizes = [len(table) for table in tables if len(table) > 1]
    assert all(2 <= size <= sides for size in sizes)
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    assert sizes == sorted(sizes)
    alone = players - sum(sizes)
    assert alone == (players % 2 if sides == 2 else int(players == 1))


@given(st.integers(2, 40), st.integers(2, 4), st.integers(1, 5), LOTS)
def test_fixed_rounds_seat_everybody_by_the_standings_each_time(
    players: int, sides: int, rounds: int, lot: int
) -> None:
    director = running(players, format=Format.FIXED_ROUNDS, sides=sides, rounds=rounds)
    while not director.state.phase.is_over:
        seated = [number for one in director.state.rounds[-1] for number in one.entrants]
        assert sorted(seated) == sorted(director.state.contestants)
        director.play_round(lot)
    assert len(director.state.rounds) == rounds
    # The points of a table of n sides add up to half of 12 n, whatever happened there; a bye is 12.
    expected = sum(
        12 if one.is_bye else 6 * len(one.entrants) for tables in director.state.rounds for one in tables
    )
    assert sum(row.points for row in standings(director.state)) == expected
