"""What `play` says about the scores of a round adds up to the scores, for rounds of every game."""

import pytest

from meldhall_cli.client.mirror import TableMirror
from meldhall_cli.play.names import Names
from meldhall_cli.play.pieces import Pieces
from meldhall_cli.play.result import Explainer
from meldhall_cli.play.words import Narrator
from meldhall_rules import registry
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.rejections import Rejection
from meldhall_table.api.views import table_event, table_view
from meldhall_table.domain import bots, events, lobby, play
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.store.stream import fold

LIMITS = events.Limits(turn_ms=60_000, break_ms=1, join_ms=60_000, bot_move_ms=1)
ROUNDS = {"canasta": 2, "rummy": 4, "rummy101": 4, "three_thirteen": 11}
SILENT = {
    "hidden", "turn_began", "break_began", "round_ended", "match_ended", "table_closed", "joker_spent",
    "own_hand_dealt",
}  # fmt: skip
"""Events that have no line of their own."""


def opened(game: str, seats: int, tip: bytes) -> Table:
    options = registry.game(game).parse_options({})
    assert not isinstance(options, Rejection)
    created = lobby.create(
        lobby.NewTable(
            table_id=game,
            game=game,
            options=tuple(sorted(options.items())),
            form=MatchFormat(mode=Mode.FRIENDS, rounds=ROUNDS[game]),
            limits=LIMITS,
            seats=(lobby.SeatPlan(reserved_for="anna"), *(lobby.SeatPlan(bot="easy"),) * (seats - 1)),
            created_by="anna",
            tip=tip,
        )
    )
    table = fold(None, created, 1)[-1].table
    joined = lobby.join(table, "anna", None, b"")
    assert not isinstance(joined, Refusal)
    return fold(table, joined, 1)[-1].table


def next_batch(table: Table, level: str) -> tuple[events.Event, ...]:
    if table.status is not Status.PLAYING or table.round is None:
        return play.deal(table, (1,) * len(table.seats), 1)
    policy, view = bots.policy(table.game, level), table.view(table.round.turn)
    assert policy is not None
    assert view is not None
    new = play.move(table, policy(view, 0), 1)
    assert not isinstance(new, Refusal), new
    return new


def explained(mirror: TableMirror, game: str) -> None:
    view = mirror.view
    pieces = Pieces(registry.game(game).alphabet, game, view.round.wild or None)
    explainer = Explainer(view, Names.of(view), pieces)
    assert explainer.ending().endswith(".")
    sides = explainer.scores()
    assert [side.score for side in sides] == list(view.last_result.scores)
    for side in sides:
        assert sum(item.points for item in side.items) == side.score
        assert not any("options of this table" in item.why.plain for item in side.items), side


@pytest.mark.parametrize("game", sorted(ROUNDS))
@pytest.mark.parametrize("level", ["easy", "normal"])
def test_a_match_is_told_and_every_score_is_explained(game: str, level: str) -> None:
    rules = registry.game(game)
    table = opened(game, max(rules.min_seats, 3), bytes([len(level)]) * 32)
    mirror = TableMirror(table_view(table, "anna"), "anna")
    rounds = 0
    while table.status is not Status.CLOSED:
        for step in fold(table, next_batch(table, level), 1):
            event = table_event(step, "anna")
            mirror.apply(event)
            kind = event.WhichOneof("event") or ""
            pieces = Pieces(rules.alphabet, game, mirror.view.round.wild or None)
            lines = [line.plain for line in Narrator(Names.of(mirror.view), pieces).tell(event, mirror.view)]
            assert bool(lines) is (kind not in SILENT), kind
            if kind == "round_ended":
                rounds += 1
                explained(mirror, game)
            table = step.table
    assert rounds >= ROUNDS[game]
