"""Whole tables, played by anybody in any way: what the log holds is the state, and the state is sound."""

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fixtures.table_domain import LIMITS, START

from meldhall_rules import commands, registry
from meldhall_rules.commands import Command
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import SPECTATOR
from meldhall_table.api.views import NOBODY, table_event, table_view
from meldhall_table.domain import between, lobby, play, timing
from meldhall_table.domain.events import Event
from meldhall_table.domain.evolve import evolve
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.store.decode import decode
from meldhall_table.store.encode import encode
from meldhall_table.store.stream import Step, fold

NARROW = replace(
    LIMITS, turn_ms=500, break_ms=50, fill_ms=9_000, round_ms=1_500, match_ms=9_000, rematch_ms=900
)
STIRS = ["join", "leave", "act", "act", "act", "say", "say", "time", "time", "time", "outage"]
PLAYERS = ("anna", "ben", "cleo", "dan", "eve")


def some_move(draw: st.DrawFn, table: Table, player: str) -> Command:
    """A move that the rules may or may not allow; from the list of legal ones where that helps."""
    seat = table.seat_of(player)
    view = None if seat is None else table.view(seat)
    legal = table.rules().legal_moves(view) if view is not None and draw(st.booleans()) else ()
    if legal:
        return draw(st.sampled_from(legal))
    hand = (view.hand or (0,)) if view is not None else (0,)
    tile = draw(st.sampled_from(hand)) if draw(st.booleans()) else draw(st.integers(0, 120))
    kinds: list[Command] = [
        commands.Draw(0),
        commands.Discard(0, tile),
        commands.PressJokerButton(0),
        commands.TakeDiscard(0, commands.LayOff(0, 0, (commands.Placed(tile),))),
        commands.SwapJoker(0, 0, tile),
    ]
    return draw(st.sampled_from(kinds))


def next_events(draw: st.DrawFn, table: Table, now: int) -> tuple[Event, ...] | Refusal:
    player = draw(st.sampled_from(PLAYERS))
    due = timing.due(table)
    match draw(st.sampled_from(STIRS)):
        case "join":
            wanted = draw(st.none() | st.integers(0, 4))
            return lobby.join(table, player, wanted, draw(st.binary(max_size=16)))
        case "leave":
            return lobby.leave(table, player)
        case "act":
            return play.act(table, player, some_move(draw, table, player), now)
        case "say":
            return (between.ready if table.status is Status.BREAK else between.rematch)(table, player)
        case "outage":
            return timing.resume(table, draw(st.integers(0, 10_000)))
        case _ if due is None:
            return ()
        case _:
            return by_itself(draw, table, due.what, max(now, due.at_ms))


def by_itself(draw: st.DrawFn, table: Table, what: timing.What, now: int) -> tuple[Event, ...]:
    match what:
        case timing.What.DEAL:
            jokers = tuple(draw(st.lists(st.integers(0, 1), min_size=4, max_size=4)))
            return play.deal(table, jokers[: len(table.seats)], now)
        case timing.What.WAITING_OVER:
            return lobby.waiting_over(table, now)
        case timing.What.ROUND_LIMIT:
            return play.round_limit(table, now)
        case timing.What.MATCH_LIMIT:
            return play.match_limit(table, now)
        case timing.What.NEXT_TABLE:
            return between.rematch_began(table, "next")
        case timing.What.REMATCH_OVER:
            return between.rematch_over(table)
        case _:
            return play.automatic(table, now)


def all_options(**given: str) -> tuple[tuple[str, str], ...]:
    canonical = registry.game("rummy101").parse_options(given)
    assert not isinstance(canonical, Rejection)
    return tuple(sorted(canonical.items()))


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    seats = draw(st.lists(st.sampled_from(["", "", "anna", "bot"]), min_size=2, max_size=4))
    plans = [
        lobby.SeatPlan(bot="normal")
        if kind == "bot"
        else lobby.SeatPlan(reserved_for=f"{kind}{at}" if kind and at else kind)
        for at, kind in enumerate(seats)
    ]
    mode = draw(st.sampled_from(list(Mode)))
    new = lobby.NewTable(
        table_id="t",
        game="rummy101",
        options=all_options(opening=draw(st.sampled_from(["fixed", "rising"]))),
        form=MatchFormat(mode=mode, rounds=draw(st.integers(1, 2)), stake=5 if mode is Mode.ARENA else 0),
        limits=draw(st.sampled_from([LIMITS, NARROW])),
        seats=tuple(plans),
        created_by="host",
        tip=draw(st.binary(min_size=32, max_size=32)),
    )
    now = START
    steps = list(fold(None, lobby.create(new), now))
    for _ in range(draw(st.integers(10, 60))):
        now += draw(st.integers(0, 1_000))
        table = steps[-1].table
        answer = next_events(draw, table, now)
        if not isinstance(answer, Refusal):
            steps += fold(table, answer, now)
            # Between events that were decided together a table is on its way.
            sound(steps[-1].table)
    return steps


def sound(table: Table) -> None:
    players = [name for name in table.players if name]
    assert len(set(players)) == len(players)
    assert table.status is not Status.CLOSED or timing.due(table) is None
    if table.status in {Status.PLAYING, Status.BREAK}:
        assert table.full
        assert timing.due(table) is not None
    if table.status is Status.OVER:
        assert timing.due(table) is not None
    running = (table.fill_deadline_ms, table.round_deadline_ms, table.match_deadline_ms)
    assert table.status is not Status.CLOSED or running == (0, 0, 0)
    if table.round is not None:
        shown: Any = table.view(SPECTATOR)
        table_tiles = sum(len(meld.tiles) for meld in shown.melds)
        total = sum(shown.hand_sizes) + shown.stock_size + len(shown.discards) + table_tiles
        assert total == 106 + sum(shown.button_used)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(histories())
def test_what_lies_in_the_log_folds_to_the_same_table(steps: list[Step]) -> None:
    table: Table | None = None
    for step in steps:
        message = encode(step.event)
        stored = message.SerializeToString(deterministic=True)
        event = decode(message.DESCRIPTOR.full_name, 1, stored, table.form if table else None)
        assert event == step.event
        table = evolve(table, event, step.at_ms)
        assert table == step.table
        assert table.version == step.version


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(histories())
def test_every_viewer_gets_something_for_every_version_and_no_secret(steps: list[Step]) -> None:
    tip = steps[-1].table.tip
    for viewer in (NOBODY, *PLAYERS):
        assert [table_event(step, viewer).version for step in steps] == list(range(1, len(steps) + 1))
        last = table_view(steps[-1].table, viewer)
        assert tip not in last.SerializeToString()
        assert last.HasField("own_seat") == (steps[-1].table.seat_of(viewer) is not None)
        assert bool(last.round.own_hand) <= last.HasField("own_seat")
