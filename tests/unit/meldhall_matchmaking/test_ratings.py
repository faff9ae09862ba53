from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldhall_matchmaking.domain.ratings import MIDDLE, Rating, ranks_of, rated

NEW = Rating()
known = st.builds(Rating, mu=st.floats(5, 45), sigma=st.floats(0.8, 8.4), matches=st.integers(1, 500))


def test_who_never_played_is_in_the_middle_and_uncertain() -> None:
    assert (NEW.points, NEW.uncertainty, NEW.matches) == (MIDDLE, 1_000, 0)


def test_the_winner_gains_the_loser_loses_and_both_become_surer() -> None:
    (won,), (lost,) = rated([[NEW], [NEW]], [0, 1])

    assert lost.points < MIDDLE < won.points
    assert won.uncertainty < NEW.uncertainty > lost.uncertainty
    assert (won.matches, lost.matches) == (1, 1)


def test_a_surprise_moves_more_than_what_was_expected() -> None:
    strong, weak = Rating(30, 2, 9), Rating(20, 2, 9)

    ((as_expected,), _) = rated([[strong], [weak]], [0, 1])
    (_, (surprising,)) = rated([[strong], [weak]], [1, 0])

    assert surprising.points - weak.points > 3 * (as_expected.points - strong.points)


def test_a_team_moves_together() -> None:
    (one, other), (first, second) = rated([[NEW, NEW], [NEW, NEW]], [1, 0])

    assert (one.points, first.points) == (other.points, second.points)
    assert one.points < MIDDLE < first.points


@given(st.lists(known, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_in_which_sides_are_told_does_not_matter(players: list[Rating], chance: object) -> None:
    ranks = list(range(len(players)))
    order = sorted(ranks, key=lambda _: chance.random())  # type: ignore[attr-defined]

    told = rated([[one] for one in players], ranks)
    otherwise = rated([[players[at]] for at in order], [ranks[at] for at in order])

    for at, (one,) in zip(order, otherwise, strict=True):
        assert one.mu == pytest.approx(told[at][0].mu, abs=1e-6)
        assert one.sigma == pytest.approx(told[at][0].sigma, abs=1e-6)


@pytest.mark.parametrize(
    ("winners", "totals", "lowest_wins", "ranks"),
    [
        ((1,), (10, 5, 20), True, [1, 0, 2]),
        ((2,), (10, 5, 20), False, [1, 2, 0]),
        # A tie that was decided by the rounds played: the winner is first although others have as much.
        ((0,), (7, 7, 7), False, [0, 1, 1]),
        ((0, 2), (9, 1, 9), False, [0, 1, 0]),
    ],
)
def test_winners_are_first_and_the_others_follow_by_their_totals(
    winners: tuple[int, ...], totals: tuple[int, ...], lowest_wins: bool, ranks: list[int]
) -> None:
    assert ranks_of(winners, totals, lowest_wins=lowest_wins) == ranks


@pytest.mark.parametrize(("sides", "ranks"), [([[NEW]], [0]), ([[NEW], [NEW]], [0]), ([[NEW], []], [0, 1])])
def test_what_is_no_match_is_refused(sides: list[list[Rating]], ranks: list[int]) -> None:
    with pytest.raises(ValueError, match="sides and"):
        rated(sides, ranks)


def test_the_stronger_of_many_matches_ends_above() -> None:
    strengths = {"a": 3, "b": 2, "c": 1}
    ratings = dict.fromkeys(strengths, NEW)
    for number in range(60):
        names = list(permutations(strengths))[number % 6]
        places = sorted(names, key=lambda name: -strengths[name])
        after = rated([[ratings[name]] for name in names], [places.index(name) for name in names])
        ratings |= {name: new for name, (new,) in zip(names, after, strict=True)}

    assert ratings["a"].points > ratings["b"].points > ratings["c"].points
    assert max(one.uncertainty for one in ratings.values()) < 0.7 * NEW.uncertainty
