"""The bots of the card games on plain positions."""

from tests.unit.meldhall_rules.card_positions import play, session

from meldhall_rules.bots import rummy, three_thirteen
from meldhall_rules.commands import Discard, Draw, GoOut, LayMelds, LayOff, TakeDiscard
from meldhall_rules.games.rummy import RUMMY
from meldhall_rules.games.three_thirteen import THREE_THIRTEEN
from meldhall_rules.scenario.session import Session


def first(table: Session) -> object:
    """Return the choice of the bot of the game for seat 0."""
    bot = rummy if table.game is RUMMY else three_thirteen
    return bot.choose(table.game.view(table.state, 0))


def discarded(table: Session) -> str:
    move = first(table)
    assert isinstance(move, Discard)
    return table.game.alphabet.name_of(move.tile)


def test_where_nothing_can_be_drawn_the_top_discard_is_taken() -> None:
    for game in ("three_thirteen", "rummy"):
        table = session(game, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="", discard="KC")
        assert first(table) == TakeDiscard(0)


def test_where_nothing_can_be_taken_the_stock_is_drawn_from() -> None:
    for game in ("three_thirteen", "rummy"):
        table = session(game, hands={0: "2S 6H 9D", 1: "3S 7H TD"}, stock="?4", discard="")
        assert first(table) == Draw(0)


def test_a_discard_is_taken_where_it_helps_at_once() -> None:
    table = session("three_thirteen", hands={0: "9S 9H KD"}, stock="?4", discard="9C")
    assert first(table) == TakeDiscard(0)
    table = session("rummy", hands={0: "9S 9H KD 2C"}, stock="?4", discard="9C")
    assert first(table) == TakeDiscard(0)
    for game in ("three_thirteen", "rummy"):
        table = session(game, hands={0: "9S TH KD"}, stock="?4", discard="QC")
        assert first(table) == Draw(0)


def test_a_wild_is_taken_and_never_thrown_away() -> None:
    table = session("three_thirteen", hands={0: "4S 8H KD"}, stock="?4", discard="3C")
    assert first(table) == TakeDiscard(0)
    play(table, "0 take")
    assert discarded(table) == "KD"


def test_three_thirteen_is_ended_at_once() -> None:
    table = session("three_thirteen", phase="play", hands={0: "4S 4H 4D KD"}, stock="?4")
    move = first(table)
    assert isinstance(move, GoOut)
    assert move.discard == THREE_THIRTEEN.alphabet.by_name["KD"]


def test_in_the_final_turn_only_the_cost_counts() -> None:
    given = {"phase": "play", "hands": {0: "QS QH 2D 4D"}, "stock": "?4"}
    assert discarded(session("three_thirteen", **given)) != "2D"  # type: ignore[arg-type]
    final = session("three_thirteen", **given, out=1, melds=["1 set:8S,8H,8D"])  # type: ignore[arg-type]
    assert discarded(final) == "QS"


def test_where_only_wilds_may_go_a_wild_goes() -> None:
    assert discarded(session("three_thirteen", phase="play", hands={0: "3S 3H 3D 3C"}, stock="?4")) == "3S"


def test_rummy_is_laid_as_far_as_it_goes_and_then_the_dearest_single_card_is_discarded() -> None:
    table = session(
        "rummy", phase="play", hands={0: "9S 9H 9D TC KD 2C 3C"}, melds=["1 run:7C,8C,9C"], stock="?4"
    )
    kinds = []
    while not isinstance(first(table), Discard):
        move = first(table)
        kinds.append(type(move))
        answer = RUMMY.decide(table.state, move)  # type: ignore[arg-type]
        for event in answer:  # type: ignore[union-attr]
            table.state = RUMMY.evolve(table.state, event)
    assert sorted(kinds, key=str) == sorted([LayMelds, LayOff], key=str)
    assert discarded(table) == "KD"


def test_the_taken_card_is_never_given_back_and_leads_into_no_dead_end() -> None:
    table = session("rummy", acquired="discard KD", hands={0: "7H 8H 9H KD"}, stock="?4")
    assert discarded(table) in {"7H", "8H", "9H"}
