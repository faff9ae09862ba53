"""Whole matches of every game: a client's mirror, and what it thinks with, equal what the service shows."""

import pytest

from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.mirror import TableMirror
from meldhall_cli.client.translate import rules_view
from meldhall_rules import registry
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.rejections import Rejection
from meldhall_table.api.views import NOBODY, table_event, table_view
from meldhall_table.domain import between, bots, events, lobby, play, timing
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.store.stream import Step, fold

LIMITS = events.Limits(
    turn_ms=60_000,
    break_ms=1,
    join_ms=60_000,
    bot_move_ms=1,
    fill_ms=90_000,
    round_ms=900_000,
    match_ms=9_000_000,
    rematch_ms=30_000,
)
LENGTHS = {"canasta": 1, "rummy": 2, "rummy101": 2, "three_thirteen": 11}
NAMES = ("anna", "ben", "cleo", "dan", "eva", "fred")


class Followers:
    """Every player and a spectator, each with a mirror that began before anybody sat down."""

    def __init__(self, table: Table) -> None:
        self.names = (*NAMES[: len(table.seats)], NOBODY)
        self.mirrors = {name: TableMirror(table_view(table, name), name) for name in self.names}

    def see(self, steps: tuple[Step, ...]) -> None:
        for name in self.names:
            for step in steps:
                assert self.mirrors[name].apply(table_event(step, name))
            self._equal(steps[-1].table, name)

    def told(self, table: Table, new: tuple[events.Event, ...]) -> Table:
        steps = fold(table, new, 1)
        self.see(steps)
        return steps[-1].table

    def _equal(self, table: Table, name: str) -> None:
        shown, mirrored = view_pb.TableView(), view_pb.TableView()
        shown.CopyFrom(table_view(table, name))
        mirrored.CopyFrom(self.mirrors[name].view)
        if shown.round.phase == view_pb.PHASE_OVER or table.status is not Status.PLAYING:
            # Between rounds nobody is to act; what a turn had begun with is of no use.
            for view in (shown, mirrored):
                view.round.first_turn = False
                view.round.ClearField("taken")
                view.round.ClearField("laid")
                view.round.ClearField("new_melds")
                view.round.ClearField("need_points")
        assert mirrored == shown


def opened(game: str, seats: int, tip: bytes) -> Table:
    options = registry.game(game).parse_options({})
    assert not isinstance(options, Rejection)
    new = lobby.create(
        lobby.NewTable(
            table_id="t",
            game=game,
            options=tuple(sorted(options.items())),
            form=MatchFormat(mode=Mode.FRIENDS, rounds=LENGTHS[game]),
            limits=LIMITS,
            seats=tuple(lobby.SeatPlan(reserved_for=name) for name in NAMES[:seats]),
            created_by="anna",
            tip=tip,
        )
    )
    return fold(None, new, 1)[-1].table


def next_events(table: Table, game: str) -> tuple[events.Event, ...]:
    for name in NAMES[: len(table.seats)]:
        if table.seated(name) is None:
            joined = lobby.join(table, name, None, b"")
            assert not isinstance(joined, Refusal)
            return joined
    if table.status in {Status.BREAK, Status.OVER} and not (
        between.all_ready(table) or between.all_want_rematch(table)
    ):
        return said_next(table)
    if table.status is Status.OVER:
        return between.rematch_began(table, "next")
    if table.status is not Status.PLAYING or table.round is None:
        return play.deal(table, (1,) * len(table.seats), 1)
    policy, view = bots.policy(game, "normal"), table.view(table.round.turn)
    assert policy is not None
    assert view is not None
    moved = play.act(table, table.seats[table.round.turn].player, policy(view, 0), 1)
    assert not isinstance(moved, Refusal), moved
    return moved


def said_next(table: Table) -> tuple[events.Event, ...]:
    """What the next player says who has not said yet that he is ready, or wants another match."""
    asked = between.ready if table.status is Status.BREAK else between.rematch
    for seat in table.seats:
        said = asked(table, seat.player)
        assert not isinstance(said, Refusal)
        if said:
            return said
    raise AssertionError("everybody has said it")


@pytest.mark.parametrize("game", sorted(LENGTHS))
def test_a_mirror_follows_outages_and_the_end_of_a_match_by_time(game: str) -> None:
    table = opened(game, registry.game(game).min_seats, bytes(32))
    followers = Followers(table)
    while table.version < 30:
        away = timing.resume(table, 5) if table.version % 3 == 0 else ()
        table = followers.told(table, away or next_events(table, game))
    table = followers.told(table, play.round_limit(table, 2))
    table = followers.told(table, play.match_limit(table, 3))
    assert table.status in {Status.OVER, Status.CLOSED}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", sorted(LENGTHS))
def test_a_mirror_shows_what_the_service_shows(game: str, seed: int) -> None:
    rules = registry.game(game)
    table = opened(game, min(rules.min_seats + seed, rules.max_seats), bytes([seed + 1]) * 32)
    followers = Followers(table)
    while table.status is not Status.CLOSED:
        table = followers.told(table, next_events(table, game))
        if table.status is Status.PLAYING and table.round is not None:
            seat = table.round.turn
            mirrored = followers.mirrors[NAMES[seat]].view
            assert rules_view(mirrored) == table.view(seat)
