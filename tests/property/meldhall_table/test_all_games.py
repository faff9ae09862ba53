"""Whole matches of every game through the table: decided, stored, read back, folded, audited."""

from pathlib import Path
from uuid import uuid4

import pytest

from meldhall_eventlog import Append, SqlEventLog
from meldhall_eventlog.migrate import upgrade
from meldhall_rules import registry
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.rejections import Rejection
from meldhall_rules.shuffle import secret_at
from meldhall_table.domain import bots, events, lobby, play
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.store.audit import audit_table
from meldhall_table.store.decode import UPCASTERS, decode
from meldhall_table.store.encode import encode
from meldhall_table.store.stream import fold, to_append

LIMITS = events.Limits(turn_ms=60_000, break_ms=1, join_ms=60_000, bot_move_ms=1)
MOST_MOVES = 20_000
LENGTHS = {"canasta": 2, "rummy": 3, "rummy101": 3, "three_thirteen": 11}


def new_table(game: str, seats: int, tip: bytes) -> tuple[events.Event, ...]:
    options = registry.game(game).parse_options({})
    assert not isinstance(options, Rejection)
    return lobby.create(
        lobby.NewTable(
            table_id=f"{game}-{seats}",
            game=game,
            options=tuple(sorted(options.items())),
            form=MatchFormat(mode=Mode.FRIENDS, rounds=LENGTHS[game]),
            limits=LIMITS,
            seats=tuple(lobby.SeatPlan(bot="normal") for _ in range(seats)),
            created_by="operator",
            tip=tip,
        )
    )


def played_match(game: str, seats: int, tip: bytes) -> tuple[Table, list[tuple[events.Event, ...]]]:
    """A match of bots to its end, as the batches that were decided together."""
    batches = [new_table(game, seats, tip)]
    table = fold(None, batches[0], 1)[-1].table
    policy = bots.policy(game, "normal")
    assert policy is not None
    while table.status is not Status.CLOSED:
        assert len(batches) < MOST_MOVES
        if table.status is Status.PLAYING and table.round is not None:
            view = table.view(table.round.turn)
            assert view is not None
            new = play.move(table, policy(view, 0), 1)
            assert not isinstance(new, Refusal), new
        else:
            new = play.deal(table, (1,) * seats, 1)
        batches.append(new)
        table = fold(table, new, 1)[-1].table
    return table, batches


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", sorted(LENGTHS))
async def test_a_match_is_stored_read_back_and_holds(game: str, seed: int, tmp_path: Path) -> None:
    rules = registry.game(game)
    seats = rules.min_seats + seed * (rules.max_seats > rules.min_seats)
    table, batches = played_match(game, seats, bytes([seed + 1]) * 32)

    form = None
    for event in (event for batch in batches for event in batch):
        message = encode(event)
        name = message.DESCRIPTOR.full_name
        back = decode(name, UPCASTERS.current(name), message.SerializeToString(), form)
        assert back == event
        form = table.form

    url = f"sqlite+aiosqlite:///{tmp_path / 'log.sqlite3'}"
    upgrade(url)
    log = await SqlEventLog.open(url)
    version = 0
    for batch in batches:
        await log.append(
            Append(table.table_id, "table", 0, version, 1, to_append(batch, uuid4), recorded_at_ms=1)
        )
        version += len(batch)
    audit = await audit_table(log, table.table_id)
    await log.close()
    assert audit.difference is None
    assert audit.table == table
    assert audit.rounds >= LENGTHS[game]


def test_a_game_of_dealers_is_started_by_the_seat_after_the_one_drawn() -> None:
    tip = b"\7" * 32
    starters = {}
    for game, seats in (("rummy101", 4), ("canasta", 4)):
        batch = new_table(game, seats, tip)
        table = fold(None, batch, 1)[-1].table
        started = play.deal(table, (0,) * seats, 1)[0]
        assert isinstance(started, events.RoundStarted)
        starters[game] = started.starter
    assert secret_at(tip, 1) != tip
    assert starters["canasta"] == (starters["rummy101"] + 1) % 4


def test_a_table_that_all_have_left_does_not_deal_void_rounds_for_ever() -> None:
    options = registry.game("rummy").parse_options({"max_reshuffles": 0})
    assert not isinstance(options, Rejection)
    new = lobby.NewTable(
        table_id="t",
        game="rummy",
        options=tuple(sorted(options.items())),
        form=MatchFormat(mode=Mode.FRIENDS, rounds=3),
        limits=LIMITS,
        seats=(lobby.SeatPlan(), lobby.SeatPlan()),
        created_by="anna",
        tip=bytes(32),
    )
    table = fold(None, lobby.create(new), 1)[-1].table
    for name in ("anna", "ben"):
        table = after(table, lobby.join(table, name, None, b""))
    table = after(table, play.deal(table, (0, 0), 1))
    for name in ("anna", "ben"):
        table = after(table, lobby.leave(table, name))
    for _ in range(MOST_MOVES):
        if table.status is Status.CLOSED:
            break
        going_on = play.automatic if table.status is Status.PLAYING else deal_again
        table = fold(table, going_on(table, 1), 1)[-1].table
    assert table.close_reason is events.CloseReason.ABANDONED


def deal_again(table: Table, now_ms: int) -> tuple[events.Event, ...]:
    return play.deal(table, (0,) * len(table.seats), now_ms)


def after(table: Table, decided: tuple[events.Event, ...] | Refusal) -> Table:
    assert not isinstance(decided, Refusal)
    return fold(table, decided, 1)[-1].table
