"""The levels of the bots, and what tells them apart."""

import pytest
from tests.unit.meldhall_rules.positions import position

from meldhall_rules import registry as games
from meldhall_rules.bots import canasta_strong, rummy101_easy, rummy101_strong, rummy_strong
from meldhall_rules.bots.registry import LEVELS, UnknownBotError, policy
from meldhall_rules.bots.three_thirteen_strong import completing
from meldhall_rules.cards import card_name
from meldhall_rules.commands import Discard, Draw, TakeDiscard
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.notation import write_move, write_tile
from meldhall_rules.scenario.adapters import ADAPTERS
from meldhall_rules.scenario.load import Case
from meldhall_rules.view import SPECTATOR, Phase, View


def seen(game: str, players: int, given: dict[str, object]) -> View:
    """Return the view of the seat on turn in a position written as in a scenario."""
    case = Case("case", game, players, {}, given, (), None, {})
    session = ADAPTERS[game].begin(case)
    return session.game.view(session.state, session.table().turn)


@pytest.mark.parametrize("game", games.names())
@pytest.mark.parametrize("level", LEVELS)
def test_every_level_plays_its_seat_and_nobody_elses(game: str, level: str) -> None:
    rules = games.game(game)
    options = rules.parse_options({})
    assert isinstance(options, dict)
    seats = rules.min_seats
    totals = (0, 0) if rules.match_rules(options).team_size > 1 else ()
    setup = RoundSetup(1, seats, 0, bytes(32), (0,) * seats, totals)
    state = rules.evolve(None, rules.deal(options, setup))
    choose = policy(game, level)
    assert choose(rules.view(state, 0), 5) == choose(rules.view(state, 0), 5)
    for viewer in (1, SPECTATOR):
        with pytest.raises(ValueError, match=r"not on turn|spectator"):
            choose(rules.view(state, viewer), 0)


def test_levels_and_games_that_there_are_not_are_named() -> None:
    with pytest.raises(UnknownBotError, match=r"'perfect'.*easy, normal, strong"):
        policy("rummy", "perfect")
    with pytest.raises(UnknownBotError, match=r"'whist'.*canasta, rummy"):
        policy("whist", "easy")


def test_easy_leaves_a_discard_that_opens_to_others_and_draws() -> None:
    opening = "R13 Y13 B13 K13 R4 R5 R7 K8 K9 K10 B1 Y5"
    state = position([opening, "Y9 Y10"], phase=Phase.DRAW, discard="R6", stock="Y1 Y2 Y3 Y4")
    view = RUMMY101.view(state, 0)
    assert "take + open" in write_move(policy("rummy101", "normal")(view, 0))
    assert rummy101_easy.choose(view) == Draw(0)


def test_strong_does_not_hand_the_next_player_a_tile_for_a_joker() -> None:
    hand = "R1 Y3 K5 B7 R9 Y11 K13 B1"
    state = position(
        [hand, "Y9 Y10 Y12"], opened={1: "melds 101"}, melds=["1 set:R1,Y1,*=B1"], stock="Y1 Y2 Y4 K2 K3"
    )
    move = rummy101_strong.choose(RUMMY101.view(state, 0))
    assert isinstance(move, Discard)
    assert write_tile(move.tile) not in {"B1", "K1"}


def test_strong_discards_at_rummy_what_can_no_longer_become_a_meld() -> None:
    # The kings are gone and no queen of spades can come: KS is dead, QD JD wait for two live cards.
    view = seen(
        "rummy",
        2,
        {"hands": {0: "KS QD JD 2H 5C", 1: "?5"}, "discard": "KH KD KC QS", "phase": "play"},
    )
    move = rummy_strong.choose(view)
    assert isinstance(move, Discard)
    assert card_name(move.tile) == "KS"


def test_strong_discards_at_canasta_a_number_of_which_nobody_can_hold_two() -> None:
    view = seen(
        "canasta",
        4,
        {
            "hands": {0: "R13 Y12 R10"},
            "discard": "Y13 K13 B13 R13 Y13 K13 R9 Y9",
            "phase": "play",
        },
    )
    move = canasta_strong.choose(view)
    assert isinstance(move, Discard)
    assert write_tile(move.tile) == "R13"


def test_strong_takes_a_wild_at_three_thirteen_and_leaves_a_card_that_helps_little() -> None:
    given = {"round": 3, "hands": {0: "KS KD 9H 2C 3D", 1: "?5"}, "phase": "draw"}
    strong = policy("three_thirteen", "strong")
    assert strong(seen("three_thirteen", 2, {**given, "discard": "5H"}), 0) == TakeDiscard(0)
    assert strong(seen("three_thirteen", 2, {**given, "discard": "KC"}), 0) == TakeDiscard(0)
    assert strong(seen("three_thirteen", 2, {**given, "discard": "9D"}), 0) == Draw(0)


@pytest.mark.parametrize(
    ("pair", "faces"),
    [
        ("7H 7S", "7S 7H 7D 7C"),
        ("7H 8H", "6H 9H"),
        ("7H 9H", "8H"),
        ("AH 2H", "3H"),
        ("QH KH", "JH"),
        ("7H 8S", ""),
        ("7H TH", ""),
    ],
)
def test_what_makes_a_meld_of_two_cards(pair: str, faces: str) -> None:
    one, other = (games.game("rummy").alphabet.by_name[name] for name in pair.split())
    assert [card_name(face) for face in completing(one, other)] == faces.split()
