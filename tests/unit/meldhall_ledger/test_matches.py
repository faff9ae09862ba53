from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from tests.fixtures.ledger import canasta_won

from meldhall.common.v1 import game_pb2
from meldhall_contracts.options import canonical_of
from meldhall_ledger.domain.matches import MatchEnded, check_match
from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.results import rules_of, settle
from meldhall_ledger.domain.transfers import Kind, derived_id
from meldhall_rules import registry
from meldhall_rules.match import Mode
from meldhall_rules.rejections import Rejection

WON = canasta_won("t", 1, 3, ("ann", "ben", "", "dan"))
THIRTEEN = MatchEnded(
    table_id="t",
    game="three_thirteen",
    mode=Mode.QUICK,
    players=("ann", "ben", "cid"),
    bots=(False, False, False),
    winners=(1,),
    totals=(80, 31, 31),
    rounds=11,
    account_changes=(0, 0, 0),
    stake_changes=(0, 0, 0),
)


def test_a_match_of_teams_pays_by_seat_and_not_to_bots() -> None:
    assert check_match(WON) is None

    seats = settle(WON)

    assert [(seat.seat, seat.points) for seat in seats] == [(0, -3000), (1, 3000), (3, 3000)]
    assert seats[0].transfer is not None
    assert seats[0].transfer.id == derived_id("t", 0, Kind.MATCH_RESULT, 0)
    assert seats[0].transfer.cause is not None
    assert (seats[0].transfer.cause.round, seats[0].transfer.kind) == (0, Kind.MATCH_RESULT)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_correct_match_has_no_fault(mode: Mode) -> None:
    assert check_match(canasta_won("t", 0, 2, ("ann", "ben", "cid", "dan"), mode)) is None
    assert check_match(replace(THIRTEEN, mode=mode)) is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"account_changes": (-3000, 3000, -3000, 3000)}, FaultCode.CHANGES_DIFFER),
        ({"account_changes": (-3000, 3000, 0, 2000)}, FaultCode.CHANGES_DIFFER),
        ({"account_changes": (3000, -3000, 0, -3000)}, FaultCode.CHANGES_DIFFER),
        ({"account_changes": (0, 0, 0, 0)}, FaultCode.CHANGES_DIFFER),
        ({"rounds": 2}, FaultCode.CHANGES_DIFFER),
        ({"stake_changes": (0, 5, 0, 0)}, FaultCode.CHANGES_DIFFER),
        ({"stake_changes": (0, 0, 0)}, FaultCode.MALFORMED),
        ({"mode": Mode.ARENA}, FaultCode.CHANGES_DIFFER),
        ({"mode": Mode.TOURNAMENT}, FaultCode.CHANGES_DIFFER),
        ({"winners": (0,)}, FaultCode.WINNERS_DIFFER),
        ({"winners": (0, 1)}, FaultCode.WINNERS_DIFFER),
        ({"winners": (1, 1)}, FaultCode.WINNERS_DIFFER),
        ({"winners": (2,)}, FaultCode.WINNERS_DIFFER),
        ({"winners": ()}, FaultCode.WINNERS_DIFFER),
        ({"totals": (700, 300)}, FaultCode.WINNERS_DIFFER),
        ({"totals": (700, 700), "winners": (0, 1)}, FaultCode.WINNERS_DIFFER),
        ({"totals": (1, 2, 3, 4)}, FaultCode.MALFORMED),
        ({"totals": ()}, FaultCode.MALFORMED),
        ({"rounds": 0}, FaultCode.MALFORMED),
        ({"rounds": 1_000_001, "account_changes": (-1_000_001_000, 0, 0, 0)}, FaultCode.MALFORMED),
        ({"mode": None}, FaultCode.MALFORMED),
        ({"table_id": ""}, FaultCode.MALFORMED),
        ({"bots": ()}, FaultCode.MALFORMED),
        ({"account_changes": ()}, FaultCode.MALFORMED),
        ({"players": ("ann", "", "", "dan")}, FaultCode.MALFORMED),
        ({"game": "whist"}, FaultCode.UNKNOWN_GAME),
    ],
)
def test_what_no_correct_table_writes_is_a_fault(change: dict[str, Any], code: FaultCode) -> None:
    fault = check_match(replace(WON, **change))

    assert isinstance(fault, Fault)
    assert fault.code is code


def test_a_tie_is_shared_or_decided_as_the_game_says() -> None:
    shared = replace(WON, mode=Mode.TOURNAMENT, totals=(5, 5), winners=(0, 1), account_changes=(0,) * 4)
    assert check_match(shared) is None
    for winners in ((1,), (2,), (1, 2)):
        assert check_match(replace(THIRTEEN, winners=winners)) is None
    for winners in ((0,), (0, 1), (2, 1)):
        fault = check_match(replace(THIRTEEN, winners=winners))
        assert fault is not None
        assert fault.code is FaultCode.WINNERS_DIFFER


@pytest.mark.parametrize("game", registry.names())
def test_what_is_paid_depends_on_no_option(game: str) -> None:
    message = game_pb2.GameOptions()
    options = getattr(message, game)
    options.SetInParent()
    fields = options.DESCRIPTOR.fields
    known = rules_of(game)
    assert known is not None
    seen = 0
    for values in product((0, 1), repeat=len(fields)):
        for field, value in zip(fields, values, strict=True):
            setattr(options, field.name, value)
        asked = {name: text for name, text in canonical_of(message)[1] if text}
        given = registry.game(game).parse_options(asked)
        if isinstance(given, Rejection):
            continue
        seen += 1
        found = registry.game(game).match_rules(given)
        assert (found.scores_pay, found.round_pays) == (known.scores_pay, known.round_pays)
        assert (found.team_size, found.tie, found.lowest_wins, found.single_winner_in) == (
            known.team_size,
            known.tie,
            known.lowest_wins,
            known.single_winner_in,
        )
    assert seen > 1
