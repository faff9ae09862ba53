"""Whole matches of every game in every mode: what tables write, the ledger finds right."""

import pytest
from tests.fixtures.ledger import MOVING

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_ledger.domain.matches import MatchEnded, check_match
from meldhall_ledger.domain.results import settle
from meldhall_ledger.domain.rounds import RoundEnded, check_round
from meldhall_ledger.events import read_event
from meldhall_rules import registry
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.rejections import Rejection
from meldhall_table.domain import bots, events, lobby, play
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.store.encode import encode
from meldhall_table.store.stream import fold

ROUNDS = {"canasta": 1, "rummy": 2, "rummy101": 2, "three_thirteen": 11}
PEOPLE = ("ann", "ben", "cid")
LIMITS = events.Limits(turn_ms=60_000, break_ms=1, join_ms=60_000, bot_move_ms=1)


def opened(game: str, mode: Mode) -> Table:
    """A table of three people and, where the game has a fourth seat, a bot."""
    options = registry.game(game).parse_options({})
    assert not isinstance(options, Rejection)
    bot = (lobby.SeatPlan(bot="normal"),) if registry.game(game).max_seats >= 4 else ()
    created = lobby.create(
        lobby.NewTable(
            table_id="t",
            game=game,
            options=tuple(sorted(options.items())),
            form=MatchFormat(mode=mode, rounds=ROUNDS[game], stake=100 if mode is Mode.ARENA else 0),
            limits=LIMITS,
            seats=(*(lobby.SeatPlan(reserved_for=name) for name in PEOPLE), *bot),
            created_by="operator",
            tip=bytes(32),
        )
    )
    sat = tuple(events.SeatTaken(seat, name, b"", "") for seat, name in enumerate(PEOPLE))
    return fold(None, (*created, *sat), 1)[-1].table


def ends_of(game: str, mode: Mode) -> list[events.RoundEnded | events.MatchEnded]:
    """Play a match and return the ends of its rounds and of itself."""
    table, ends = opened(game, mode), []
    policy = bots.policy(game, "normal")
    assert policy is not None
    while table.status is not Status.CLOSED:
        if table.status is Status.PLAYING and table.round is not None:
            view = table.view(table.round.turn)
            assert view is not None
            new = play.move(table, policy(view, 0), 1)
        else:
            new = play.deal(table, (0,) * len(table.seats), 1)
        assert not isinstance(new, Refusal), new
        ends += [one for one in new if isinstance(one, events.RoundEnded | events.MatchEnded)]
        table = fold(table, new, 1)[-1].table
    return ends


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("game", sorted(ROUNDS))
def test_what_a_table_writes_is_right_and_moves_what_the_game_says(game: str, mode: Mode) -> None:
    moved: dict[str, list[int]] = {"rounds": [], "match": []}
    for number, ended in enumerate(ends_of(game, mode), start=1):
        message = encode(ended)
        envelope = EventEnvelope(
            stream_id="t",
            sequence=number,
            type=message.DESCRIPTOR.full_name,
            schema_version=1,
            payload=message.SerializeToString(),
        )
        happening = read_event(envelope).happening
        assert isinstance(happening, RoundEnded | MatchEnded), happening
        if isinstance(happening, RoundEnded):
            assert check_round(happening) is None
            moved["rounds"] += [seat.points for seat in settle(happening)]
        else:
            assert check_match(happening) is None
            moved["match"] += [seat.points for seat in settle(happening)]

    assert any(moved["rounds"]) is (game == "rummy101" and mode in MOVING)
    assert any(moved["match"]) is (game == "canasta" and mode in MOVING)
    assert len(moved["match"]) == len(PEOPLE)
