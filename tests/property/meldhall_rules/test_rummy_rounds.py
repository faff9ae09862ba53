"""Whole hands of Basic Rummy: by chance, by absent players and by bots; plans against an enumeration."""

from collections import Counter
from itertools import combinations, product
from random import Random  # noqa: TID251 - hands for tests, from fixed seeds

import hypothesis.strategies as st
import pytest
from tests.property.meldhall_rules.card_rounds import SETTINGS, CardRounds, begin, choose, states, step

from meldhall_rules.bots import rummy as bot
from meldhall_rules.card_melds import extend, read_meld
from meldhall_rules.cards import value_of
from meldhall_rules.commands import AutoTurn, Command, LayMelds, LayOff, MeldKind, MeldSpec, Placed
from meldhall_rules.events import Finish, MeldLaid
from meldhall_rules.games.rummy import RUMMY
from meldhall_rules.games.rummy.hints import hints
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import Stream
from meldhall_rules.solve.lay import best_plan, melds_of, offs_of
from meldhall_rules.view import SPECTATOR, Phase, TableMeld, View

OPTIONS = {
    "ace_high_low": st.booleans(),
    "must_discard_to_go_out": st.booleans(),
    "max_melds_per_turn": st.sampled_from([None, 1]),
    "max_reshuffles": st.sampled_from([None, 0, 1]),
    "max_idle_reshuffles": st.integers(0, 2),
}


class Rounds(CardRounds):
    game = RUMMY
    rounds = st.just(1)
    options = st.fixed_dictionaries(OPTIONS)


TestRounds = Rounds.TestCase
TestRounds.settings = SETTINGS


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_only_the_one_who_went_out_scores_and_he_gets_all_that_is_left(seats: int) -> None:
    finishes = Counter[Finish]()
    for seed in range(15):
        _, state = begin(RUMMY, seed, seats)
        stream = Stream(seed.to_bytes(32, "big"), "moves")
        while state.phase is not Phase.OVER:
            _, state = step(RUMMY, state, choose(RUMMY, stream, state))
        ending = state.ending
        finishes[ending.finish] += 1
        left = sum(value_of(card) for hand in state.hidden.hands for card in hand)
        if ending.winner is None:
            assert ending.scores == (0,) * seats
            continue
        assert state.hidden.hands[ending.winner] == ()
        assert all(hand for seat, hand in enumerate(state.hidden.hands) if seat != ending.winner)
        factor = 2 if ending.finish is Finish.RUMMY else 1
        assert ending.scores[ending.winner] == sum(ending.scores) == factor * left
    assert finishes.total() == 15


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_absent_players_end_in_a_void_hand(seats: int) -> None:
    _, state = begin(RUMMY, 5, seats, max_idle_reshuffles=1)
    while state.phase is not Phase.OVER:
        _, state = step(RUMMY, state, AutoTurn(state.turn))
    assert (state.ending.finish, state.reshuffles) == (Finish.VOID, 1)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_bots_nearly_always_go_out(seats: int) -> None:
    finishes = Counter[Finish]()
    for number in range(8):
        _, state = begin(
            RUMMY, number, seats, ace_high_low=number % 2 == 1, must_discard_to_go_out=number > 5
        )
        *_, last = states(RUMMY, state, lambda view: bot.choose(view, view.seats))
        finishes[last.ending.finish] += 1
    assert finishes[Finish.VOID] <= 1


def test_the_same_view_and_salt_give_the_same_move_and_nobody_else_moves() -> None:
    _, start = begin(RUMMY, 3, 3)
    for state in states(RUMMY, start, bot.choose):
        if state.phase is Phase.OVER:
            continue
        view = RUMMY.view(state, state.turn)
        assert bot.choose(view, 7) == bot.choose(view, 7)
        with pytest.raises(ValueError, match="not on turn"):
            bot.choose(RUMMY.view(state, (state.turn + 1) % 3))
    with pytest.raises(ValueError, match="spectator"):
        bot.choose(RUMMY.view(start, SPECTATOR))


@pytest.mark.parametrize("seed", range(6))
def test_every_listed_move_and_every_step_of_a_hint_is_accepted(seed: int) -> None:
    options: dict[str, object] = {
        "ace_high_low": seed % 2 == 1,
        "must_discard_to_go_out": seed > 3,
        "max_melds_per_turn": 1 if seed == 2 else None,
    }
    _, start = begin(RUMMY, seed, 2 + seed % 3, 1, **options)
    stream = Stream(seed.to_bytes(32, "big"), "moves")

    def player(view: View) -> Command:
        if stream.uniform(2):
            return bot.choose(view)
        moves = RUMMY.legal_moves(view)
        return moves[stream.uniform(len(moves))]

    for state in states(RUMMY, start, player):
        view = RUMMY.view(state, state.turn)
        moves = RUMMY.legal_moves(view)
        assert len(set(moves)) == len(moves)
        for move in moves:
            assert not isinstance(RUMMY.decide(state, move), Rejection), move
        hint = hints(view)
        if hint is None or state.phase is Phase.DRAW:
            continue
        after = state
        for planned in hint.plan.moves:
            after = step(RUMMY, after, planned)[1]
        assert after.hidden.hands[state.turn] == hint.plan.left


def table_of(chance: Random, *, ace_high: bool) -> tuple[list[int], list[TableMeld]]:
    """Lay some melds and deal a hand that has chances."""
    free = list(range(52))
    chance.shuffle(free)
    melds: list[TableMeld] = []
    for _ in range(chance.randint(0, 3)):
        spec = chance.choice(list(melds_of(free, ace_high=ace_high)))
        laid = read_meld(spec, ace_high=ace_high)
        assert isinstance(laid, MeldLaid)
        if len(laid.tiles) < 6:
            melds.append(TableMeld(0, laid.kind, laid.tiles))
            free = [card for card in free if card not in {one.tile for one in laid.tiles}]
    near = [card for card in free if card % 13 < 6 or card // 13 == 1]
    return sorted(chance.sample(near, min(len(near), chance.randint(4, 8)))), melds


def brute(hand: list[int], melds: list[TableMeld], *, ace_high: bool) -> int:
    """Divide the hand between being left, new melds and the melds of the table, in every way there is."""
    known: dict[tuple[int, ...], bool] = {}

    def melds_up(cards: tuple[int, ...]) -> bool:
        if not cards:
            return True
        if cards not in known:
            known[cards] = any(
                isinstance(read_meld(MeldSpec(kind, tuple(map(Placed, chosen))), ace_high=ace_high), MeldLaid)
                and melds_up(tuple(card for card in cards if card not in chosen))
                for size in range(3, len(cards) + 1)
                for chosen in combinations(cards, size)
                if cards[0] in chosen
                for kind in (MeldKind.RUN, MeldKind.SET)
            )
        return known[cards]

    best = sum(map(value_of, hand))
    for where in product(range(-2, len(melds)), repeat=len(hand)):
        left = sum(value_of(card) for card, place in zip(hand, where, strict=True) if place == -2)
        if left >= best:
            continue
        if not melds_up(tuple(card for card, place in zip(hand, where, strict=True) if place == -1)):
            continue
        added = (
            (meld, tuple(Placed(card) for card, place in zip(hand, where, strict=True) if place == number))
            for number, meld in enumerate(melds)
        )
        if all(
            not cards or not isinstance(extend(meld, cards, ace_high=ace_high), Rejection)
            for meld, cards in added
        ):
            best = left
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_plan_is_the_best_of_all_ways_to_lay(seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - hands, not secrets
    for _ in range(12):
        ace_high = chance.random() < 0.5
        hand, melds = table_of(chance, ace_high=ace_high)
        hand = hand[: 7 if len(melds) > 1 else 8]
        plan = best_plan(0, hand, melds, value_of, ace_high=ace_high)
        assert plan.value == sum(map(value_of, plan.left))
        assert plan.value == brute(hand, melds, ace_high=ace_high), (hand, melds)


def test_every_lay_off_that_is_listed_fits_and_every_one_that_fits_is_listed() -> None:
    chance = Random(8)  # noqa: S311 - hands, not secrets
    for _ in range(60):
        ace_high = chance.random() < 0.5
        hand, melds = table_of(chance, ace_high=ace_high)
        listed = {(number, frozenset(cards)) for number, cards in offs_of(hand, melds, ace_high=ace_high)}
        fitting = {
            (number, frozenset(cards))
            for number, meld in enumerate(melds)
            for size in range(1, len(hand) + 1)
            for cards in combinations(hand, size)
            if not isinstance(extend(meld, tuple(map(Placed, cards)), ace_high=ace_high), Rejection)
        }
        assert listed == fitting


def test_a_plan_keeps_to_the_limit_of_new_melds_and_begins_with_the_card_asked_for() -> None:
    hand = [5, 6, 7, 18, 31, 44, 19, 32, 45]
    assert len(best_plan(0, hand, (), value_of).moves) >= 2
    for limit in (0, 1, 2):
        plan = best_plan(0, hand, (), value_of, new_melds=limit)
        assert sum(isinstance(move, LayMelds) for move in plan.moves) <= limit
    first = best_plan(0, hand, (), value_of, first=45).moves[0]
    assert isinstance(first, LayMelds | LayOff)
    assert 45 in {placed.tile for spec in first.melds for placed in spec.tiles}  # type: ignore[union-attr]
