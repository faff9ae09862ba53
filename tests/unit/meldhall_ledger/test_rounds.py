from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.ledger import MOVING

from meldhall_ledger.domain.accounts import Unit, issue, of_player
from meldhall_ledger.domain.happenings import JokerSpent, spend
from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.results import points_accounts, settle
from meldhall_ledger.domain.rounds import RoundEnded, check_round
from meldhall_ledger.domain.transfers import MAX_AMOUNT, Kind, derived_id
from meldhall_rules.match import Mode

ROUND = RoundEnded(
    table_id="t",
    round=2,
    game="rummy101",
    mode=Mode.QUICK,
    players=("ann", "ben", "cid", ""),
    bots=(False, False, False, True),
    scores=(202, -202, 0, -404),
    account_changes=(202, -202, 0, 0),
)
POINTS = {name: of_player(Unit.POINTS, name) for name in ("ann", "ben", "cid")}


def test_a_gain_a_loss_and_a_zero_become_two_transfers() -> None:
    ann, ben, cid = settle(ROUND)

    assert ann.transfer is not None
    assert ben.transfer is not None
    assert (ann.transfer.debit, ann.transfer.credit, ann.transfer.amount) == (
        issue(Unit.POINTS),
        POINTS["ann"],
        202,
    )
    assert (ben.transfer.debit, ben.transfer.credit, ben.transfer.amount) == (
        POINTS["ben"],
        issue(Unit.POINTS),
        202,
    )
    assert (cid.points, cid.transfer) == (0, None)
    assert ann.transfer.id == derived_id("t", 2, Kind.ROUND_RESULT, 0)


def test_bots_have_no_account() -> None:
    assert [seat.seat for seat in settle(ROUND)] == [0, 1, 2]
    assert points_accounts(ROUND) == (POINTS["ann"], POINTS["ben"])


@pytest.mark.parametrize("mode", [Mode.ARENA, Mode.TOURNAMENT])
def test_where_results_only_rank_nothing_moves(mode: Mode) -> None:
    ranked = replace(ROUND, mode=mode, account_changes=(0, 0, 0, 0))

    assert check_round(ranked) is None
    assert all(seat.transfer is None for seat in settle(ranked))


@pytest.mark.parametrize("mode", list(Mode))
def test_a_correct_round_has_no_fault(mode: Mode) -> None:
    changes = ROUND.account_changes if mode in MOVING else (0, 0, 0, 0)

    assert check_round(replace(ROUND, mode=mode, account_changes=changes)) is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"scores": (1, 2, 3)}, FaultCode.MALFORMED),
        ({"bots": (False, False, False)}, FaultCode.MALFORMED),
        ({"account_changes": ()}, FaultCode.MALFORMED),
        ({"players": (), "bots": (), "scores": (), "account_changes": ()}, FaultCode.MALFORMED),
        ({"mode": None}, FaultCode.MALFORMED),
        ({"round": 0}, FaultCode.MALFORMED),
        ({"table_id": ""}, FaultCode.MALFORMED),
        ({"players": ("", "ben", "cid", "")}, FaultCode.MALFORMED),
        (
            {
                "scores": (MAX_AMOUNT + 1, -202, 0, -404),
                "account_changes": (MAX_AMOUNT + 1, -202, 0, 0),
            },
            FaultCode.MALFORMED,
        ),
        ({"account_changes": (201, -202, 0, 0)}, FaultCode.CHANGES_DIFFER),
        ({"account_changes": (0, 0, 0, 0)}, FaultCode.CHANGES_DIFFER),
        ({"account_changes": (202, -202, 0, -404)}, FaultCode.CHANGES_DIFFER),
        ({"game": "three_thirteen"}, FaultCode.CHANGES_DIFFER),
        ({"game": "canasta", "scores": (202, -202)}, FaultCode.CHANGES_DIFFER),
        ({"game": "whist"}, FaultCode.UNKNOWN_GAME),
        ({"game": ""}, FaultCode.UNKNOWN_GAME),
        ({"scores": (202, -202)}, FaultCode.MALFORMED),
        ({"game": "canasta"}, FaultCode.MALFORMED),
        ({"scores": ()}, FaultCode.MALFORMED),
        ({"mode": Mode.ARENA}, FaultCode.CHANGES_DIFFER),
        ({"mode": Mode.TOURNAMENT}, FaultCode.CHANGES_DIFFER),
    ],
)
def test_what_no_correct_table_writes_is_a_fault(change: dict[str, Any], code: FaultCode) -> None:
    fault = check_round(replace(ROUND, **change))

    assert isinstance(fault, Fault)
    assert fault.code is code


@pytest.mark.parametrize(
    ("before", "floor", "change"),
    [(0, None, -202), (0, 0, 0), (100, 0, -100), (500, 0, -202), (-500, 0, 0), (-150, -200, -50)],
)
def test_a_floor_lets_off_what_would_go_below_it(before: int, floor: int | None, change: int) -> None:
    ben = settle(ROUND, {POINTS["ben"]: before}, floor)[1]

    assert ben.points == change
    assert (ben.transfer is None) is (change == 0)


@pytest.mark.parametrize(
    ("game", "scores"),
    [("canasta", (1140, -70)), ("rummy", (40, 0, 0, 0)), ("three_thirteen", (0, 12, 5, 3))],
)
@pytest.mark.parametrize("mode", list(Mode))
def test_rounds_of_other_games_move_nothing(game: str, scores: tuple[int, ...], mode: Mode) -> None:
    ended = replace(ROUND, game=game, mode=mode, scores=scores, account_changes=(0, 0, 0, 0))

    assert check_round(ended) is None
    assert [seat.points for seat in settle(ended)] == [0, 0, 0]


def test_a_floor_leaves_gains_alone() -> None:
    assert settle(ROUND, {POINTS["ann"]: -900}, 0)[0].points == 202


def test_a_spent_joker_returns_to_issue_under_its_own_id() -> None:
    transfer = spend(JokerSpent("t", 2, 1, "ben"))

    assert (transfer.debit, transfer.credit, transfer.amount) == (
        of_player(Unit.JOKERS, "ben"),
        issue(Unit.JOKERS),
        1,
    )
    assert transfer.id == derived_id("t", 2, Kind.JOKER_SPENT, 1)
    assert transfer.id != derived_id("t", 2, Kind.ROUND_RESULT, 1)
