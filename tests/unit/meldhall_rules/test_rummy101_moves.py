"""Lists of moves and hints in plain positions."""

import pytest
from tests.unit.meldhall_rules.positions import position

from meldhall_rules.commands import MeldSpec
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.hints import hints
from meldhall_rules.games.rummy101.moves import legal_moves, openings, swaps, takes, uses
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.notation import write_move, write_tiles
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.solve.arrange import Allowed, arrange
from meldhall_rules.view import SPECTATOR, Phase

MELDERS = {0: "melds 101", 1: "melds 101"}
PAIRERS = {0: "pairs 5", 1: "melds 101"}


def listed(state: State) -> list[str]:
    return [write_move(move) for move in legal_moves(RUMMY101.view(state, state.turn))]


def test_before_the_opening_there_is_only_the_discard() -> None:
    assert listed(position(["R1 R1 K5 *", "Y1"])) == ["0 discard R1", "0 discard K5", "0 discard *"]


def test_the_draw_lists_stock_button_and_each_use_of_the_discard() -> None:
    state = position(
        ["Y8 K8 B1", "Y1"],
        phase=Phase.DRAW,
        discard="R8",
        melds=["1 run:R5,R6,R7"],
        opened=MELDERS,
        jokers=(1, 0),
    )
    assert listed(state) == ["0 draw", "0 button", "0 take + meld set:R8,Y8,K8", "0 take + add R8 to #0"]


def test_an_empty_stock_gives_no_draw() -> None:
    assert listed(position(["Y8", "Y1"], phase=Phase.DRAW, stock="", discard="R8", jokers=(1, 0))) == []


def test_a_joker_is_listed_in_every_identity_that_fits() -> None:
    state = position(["* K9", "Y1"], melds=["1 run:R5,R6,R7", "1 set:Y3,K3,B3"], opened=MELDERS)
    added = [text for text in listed(state) if "add" in text]
    assert added == ["0 add *=R4 to #0", "0 add *=R8 to #0", "0 add *=R3 to #1"]


def test_who_opened_by_pairs_is_listed_pairs_and_no_runs() -> None:
    state = position(["R1 R2 R3 K9 K9 *", "Y1"], opened=PAIRERS)
    melds = [text for text in listed(state) if "meld" in text]
    assert melds
    assert all("pair:" in text for text in melds)


def test_no_pairs_are_listed_while_nobody_has_opened_by_them() -> None:
    state = position(["R1 R1 K5 Y9", "Y1"], opened=MELDERS)
    assert all("discard" in text for text in listed(state))


def test_nothing_is_listed_that_would_leave_no_discard() -> None:
    alone = position(["R8", "Y1"], melds=["1 run:R5,R6,R7"], opened=MELDERS)
    assert listed(alone) == ["0 discard R8"]
    three = position(["R8 R9 R10", "Y1"], opened=MELDERS)
    assert not any("meld" in text for text in listed(three))


def test_a_spectator_has_no_moves() -> None:
    view = RUMMY101.view(position(["R1", "Y1"], discard="R8"), SPECTATOR)
    assert takes(view) == ()
    assert uses(view, (1, 2, 3)) == ()
    assert swaps(view) == ()
    assert list(openings(view, (1, 2, 3))) == []


def test_members_of_a_joker_meld_are_not_loose() -> None:
    hint = hints(RUMMY101.view(position(["R9 Y9 * K1", "Y1"]), 0))
    assert hint is not None
    assert not hint.can_open
    assert (hint.best_value, hint.best_pairs) == (27, 1)
    assert write_tiles(hint.loose) == "K1"


def test_an_arrangement_that_the_rules_refuse_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(spec: MeldSpec) -> Rejection:
        return Rejection(Code.INVALID_MELD, f"no {spec.kind}")

    monkeypatch.setattr("meldhall_rules.solve.arrange.read_meld", refuse)
    with pytest.raises(RuntimeError, match="no run"):
        arrange(0, (0, 2, 4, 90), [], Allowed(runs_and_sets=True, pairs=False))
