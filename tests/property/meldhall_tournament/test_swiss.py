"""Swiss pairing: nobody again unless there is no way round it, byes once, score groups kept."""

from collections import Counter
from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from meldhall_tournament.domain.swiss import BLOCK, Candidate, Pair, pair


@st.composite
def fields(draw: st.DrawFn, most: int = 8) -> list[Candidate]:
    """Draw players in order of score, with meetings that go both ways."""
    count = draw(st.integers(2, most))
    scores = sorted(draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)), reverse=True)
    edges = draw(st.sets(st.tuples(st.integers(1, count), st.integers(1, count)), max_size=count * 2))
    met: dict[int, set[int]] = {number: set() for number in range(1, count + 1)}
    for one, other in edges:
        if one != other:
            met[one].add(other)
            met[other].add(one)
    byes = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    return [
        Candidate(number, scores[number - 1] * 6, frozenset(met[number]), byes[number - 1])
        for number in range(1, count + 1)
    ]


def all_pairings(numbers: Sequence[int]) -> Iterator[list[Pair]]:
    """Yield every way to pair an even number of players."""
    if not numbers:
        yield []
        return
    first, *others = numbers
    for at, other in enumerate(others):
        for rest in all_pairings([*others[:at], *others[at + 1 :]]):
            yield [(first, other), *rest]


def price(players: Sequence[Candidate], pairs: Sequence[Pair]) -> tuple[int, int]:
    """Return how often somebody meets again, and the squared differences of score."""
    by = {one.number: one for one in players}
    again = sum(other in by[one].met for one, other in pairs)
    return again, sum((by[one].score - by[other].score) ** 2 for one, other in pairs)


@given(fields())
def test_small_fields_are_paired_as_well_as_they_can_be(players: list[Candidate]) -> None:
    pairs, bye = pair(players)
    seated = [number for two in pairs for number in two]
    assert sorted([*seated, *([] if bye is None else [bye])]) == [one.number for one in players]
    rest = [one for one in players if one.number != bye]
    best = min(price(rest, other) for other in all_pairings([one.number for one in rest]))
    assert price(rest, pairs) == best


@given(fields(7))
def test_the_bye_goes_low_to_somebody_with_the_fewest_and_spares_a_second_meeting(
    players: list[Candidate],
) -> None:
    pairs, bye = pair(players)
    if len(players) % 2 == 0:
        assert bye is None
        return
    fewest = min(one.byes for one in players)
    able = [one for one in players if one.byes == fewest]
    assert bye in {one.number for one in able}

    def again_without(candidate: Candidate) -> int:
        rest = [one for one in players if one is not candidate]
        return min(price(rest, other)[0] for other in all_pairings([one.number for one in rest]))

    fine = [one for one in able if again_without(one) == 0]
    if fine:
        assert bye == fine[-1].number
        assert price(players, pairs)[0] == 0


@given(st.integers(BLOCK + 1, 400), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_large_fields_play_rounds_without_meeting_again(count: int, rounds: int, chance: int) -> None:
    scores = dict.fromkeys(range(count), 0)
    met: dict[int, set[int]] = {number: set() for number in scores}
    byes: Counter[int] = Counter()
    for round_no in range(rounds):
        order = sorted(scores, key=lambda number: (-scores[number], number))
        players = [Candidate(one, scores[one], frozenset(met[one]), byes[one]) for one in order]
        pairs, bye = pair(players)
        assert len(pairs) == count // 2
        groups = Counter(scores.values())
        crossing = sum(scores[one] != scores[other] for one, other in pairs)
        # Somebody goes down from a group of an odd number; a group that small may also have met already.
        small = sum(size for size in groups.values() if size <= 2 * (round_no + 1))
        assert crossing <= len(groups) + small + round_no
        for one, other in pairs:
            assert other not in met[one]
            met[one].add(other)
            met[other].add(one)
            scores[one if (chance >> ((one + round_no) % 32)) & 1 else other] += 12
        if bye is not None:
            byes[bye] += 1
            scores[bye] += 12
    assert max(byes.values(), default=0) <= 1


@given(st.integers(2, 80))
def test_the_first_round_sets_the_upper_half_against_the_lower(half: int) -> None:
    players = [Candidate(number, 0, frozenset()) for number in range(2 * half)]
    pairs, _ = pair(players)
    if 2 * half <= BLOCK:
        assert pairs == [(number, number + half) for number in range(half)]
    assert all(one < half <= other for one, other in pairs)


def test_small_differences_of_score_come_before_halves_of_score_groups() -> None:
    met = {3: {4}, 4: {3}}
    players = [
        Candidate(number, score, frozenset(met.get(number, ())))
        for number, score in enumerate((12, 12, 6, 0, 0, 0), 1)
    ]
    pairs, _ = pair(players)
    assert pairs[0] == (1, 2)
    assert price(players, pairs) == (0, 36)
