"""Groups and sequences of cards at their edges, and each refusal in its own words."""

import pytest

from meldhall_rules.card_melds import extend, places, read_meld
from meldhall_rules.cards import DECK_SIZE, card_name
from meldhall_rules.commands import MeldKind, MeldSpec, Placed
from meldhall_rules.events import MeldLaid
from meldhall_rules.games.three_thirteen.melds import WildRule
from meldhall_rules.games.three_thirteen.score import best_discards, round_scores
from meldhall_rules.rejections import Code, Rejection

CARDS = {card_name(card): card for card in range(DECK_SIZE)}


def placed(names: str) -> tuple[Placed, ...]:
    return tuple(Placed(CARDS[name]) for name in names.split())


def read(kind: MeldKind, names: str) -> MeldLaid:
    meld = read_meld(MeldSpec(kind, placed(names)), ace_high=True)
    assert isinstance(meld, MeldLaid), meld
    return meld


@pytest.mark.parametrize(
    ("kind", "names", "why"),
    [
        (MeldKind.PAIR, "6S 6H", "this game has no pairs"),
        (MeldKind.SET, "6S 6H", "a set of 2 cards"),
        (MeldKind.SET, "6S 6H 7C", "ranks differ: 6S and 7C"),
        (MeldKind.SET, "6S 7H 7C", "ranks differ: 6S and 7H"),
        (MeldKind.RUN, "6S 7S 8H", "suits differ: AS and 8H"),
        (MeldKind.RUN, "6S 7S 9S", "a gap in 6S, 7S, 9S"),
        (MeldKind.RUN, "AS 7S 8S", "AS does not fit"),
    ],
)
def test_a_meld_is_refused_for_its_reason(kind: MeldKind, names: str, why: str) -> None:
    found = read_meld(MeldSpec(kind, placed(names)), ace_high=True)
    assert found == Rejection(Code.INVALID_MELD, why)


def test_a_card_is_named_once_and_stands_for_itself() -> None:
    twice = Rejection(Code.TILE_NOT_HELD, "a card is named twice")
    assert read_meld(MeldSpec(MeldKind.SET, placed("6S 6S 6H")), ace_high=False) == twice
    assert extend(read(MeldKind.RUN, "6S 7S 8S"), placed("9S 9S"), ace_high=False) == twice
    declared = (Placed(CARDS["6S"], CARDS["7S"]),)
    assert extend(read(MeldKind.SET, "6D 6H 6C"), declared, ace_high=False) == Rejection(
        Code.INVALID_MELD, "6S stands for itself"
    )
    assert extend(read(MeldKind.SET, "6D 6H 6C"), (), ace_high=False) == Rejection(
        Code.INVALID_MELD, "no card to lay off"
    )


@pytest.mark.parametrize("names", ["QS KS AS", "JS QS KS AS", "TS JS QS KS AS"])
def test_an_ace_at_the_end_of_a_sequence_lies_above_the_king(names: str) -> None:
    cards = [laid.tile for laid in read(MeldKind.RUN, names).tiles]
    assert max(places(cards)) == 14
    below = extend(read(MeldKind.RUN, "QS KS AS"), placed("JS"), ace_high=True)
    assert isinstance(below, tuple)
    assert [card_name(laid.tile) for laid in below] == ["JS", "QS", "KS", "AS"]


def test_an_ace_at_the_start_of_a_sequence_lies_below_the_two() -> None:
    cards = [laid.tile for laid in read(MeldKind.RUN, "2S 3S AS").tiles]
    assert sorted(places(cards)) == [1, 2, 3]


def test_a_hand_of_wilds_costs_nothing_only_where_wilds_alone_are_a_meld() -> None:
    threes = tuple(CARDS[name] for name in ("3S", "3H", "3D"))
    allowed, plain = WildRule(3, all_wild=True), WildRule(3, all_wild=False)
    assert round_scores((threes,), allowed) == (0,)
    assert round_scores((threes,), plain) != (0,)
    with_king = (*threes, CARDS["KD"])
    assert best_discards(with_king, allowed, None)[0] == (CARDS["KD"], 0)
    assert best_discards(with_king, plain, None)[0][1] == 0


def test_of_twins_the_one_with_the_lower_number_is_named_for_the_discard() -> None:
    king, twin = CARDS["KD"], CARDS["KD"] + DECK_SIZE
    hand = (twin, king, CARDS["5S"], CARDS["9H"])
    named = [card for card, _ in best_discards(hand, WildRule(3, all_wild=False), None)]
    assert king in named
    assert twin not in named
