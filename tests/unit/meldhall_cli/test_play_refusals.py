import pytest

from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.play.refusals import SENTENCES, explain
from meldhall_rules.alphabet import TILES
from meldhall_rules.commands import Discard, Draw, LayMelds, LayOff, MeldKind, MeldSpec, Placed
from meldhall_rules.rejections import Code
from meldhall_table.domain.refusals import TableCode

R5, R6, K1 = 8, 10, 52


def seen(phase: views.Phase = views.PHASE_PLAY) -> views.TableView:
    round_ = views.RoundView(
        game="rummy101", phase=phase, own_hand=[R5, K1], need_points=101, need_pairs=5, discards=[R6]
    )
    return views.TableView(own_seat=0, round=round_)


@pytest.mark.parametrize("code", list(Code))
def test_every_code_of_the_rules_has_a_sentence(code: Code) -> None:
    sentence = explain(code, "", Discard(0, R6), seen(), TILES)
    assert sentence.endswith(".")
    assert "{" not in sentence
    assert code.value not in sentence


@pytest.mark.parametrize(
    "code", [TableCode.STALE, TableCode.TABLE_CLOSED, TableCode.ROUND_NOT_STARTED, TableCode.UNKNOWN_TILE]
)
def test_codes_of_the_table_that_a_move_can_meet_have_one_too(code: TableCode) -> None:
    assert code in SENTENCES


def test_a_tile_that_is_not_held_is_named_and_no_other() -> None:
    move = LayMelds(0, (MeldSpec(MeldKind.RUN, (Placed(R5), Placed(R6), Placed(12))),))
    said = explain(Code.TILE_NOT_HELD, "seat 0 does not hold tile 10", move, seen(), TILES)
    assert said == "You do not hold R6 R7."


def test_what_the_rules_say_is_added_where_a_person_can_read_it() -> None:
    move = LayOff(0, 3, (Placed(R5),))
    said = explain(Code.BELOW_THRESHOLD, "99 points, 101 are needed", move, seen(), TILES)
    assert said.endswith("(99 points, 101 are needed)")
    assert "or 5 pairs" in said
    assert "seat" not in explain(Code.NOT_OPENED, "seat 0 has not opened", move, seen(), TILES)


def test_the_phase_is_explained_by_what_comes_next() -> None:
    before = explain(Code.WRONG_PHASE, "", Discard(0, R5), seen(views.PHASE_DRAW), TILES)
    after = explain(Code.WRONG_PHASE, "", Draw(0), seen(), TILES)
    assert before.startswith("First take a tile")
    assert after.startswith("You have your tile")


def test_an_unknown_code_is_told_with_its_detail() -> None:
    assert explain("NEW_CODE", "something new", Draw(0), seen(), TILES) == (
        "The table refuses that (NEW_CODE): something new."
    )
