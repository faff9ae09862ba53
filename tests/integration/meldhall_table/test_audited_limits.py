"""What an audit says of rounds and matches whose time was up, as they were and as they might be forged."""

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from tests.fixtures.table_domain import LIMITS, START

from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.types import Append
from meldhall_rules import registry
from meldhall_rules.commands import Draw
from meldhall_rules.match import MatchFormat
from meldhall_table.domain import events, lobby, play
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.store.audit import Audit, audit_table
from meldhall_table.store.stream import fold, to_append

NARROW = replace(LIMITS, round_ms=90_000, match_ms=300_000)
LATE = START + 90_000
Batches = list[tuple[int, tuple[events.Event, ...]]]


def played(game: str) -> tuple[Table, Batches]:
    """A table between two turns, and what has happened there."""
    rules = registry.game(game)
    options = rules.parse_options({})
    assert isinstance(options, dict)
    length = rules.match_rules(options).length
    new = lobby.NewTable(
        table_id="t",
        game=game,
        options=tuple(sorted(options.items())),
        form=MatchFormat(rounds=length or 2),
        limits=NARROW,
        seats=tuple(lobby.SeatPlan(bot="normal") for _ in range(rules.min_seats)),
        created_by="host",
        tip=bytes(32),
    )
    batches: Batches = [(START, lobby.create(new))]
    table = fold(None, batches[0][1], START)[-1].table
    for _ in range(4):
        batch = (
            play.automatic(table, START) if table.round else play.deal(table, (0,) * len(table.seats), START)
        )
        table = told(table, batches, START, batch)
    return table, batches


def told(table: Table, batches: Batches, at_ms: int, batch: tuple[events.Event, ...]) -> Table:
    batches.append((at_ms, batch))
    return fold(table, batch, at_ms)[-1].table


async def audited(folder: Path, batches: Batches) -> Audit:
    url = f"sqlite+aiosqlite:///{folder / 'log.sqlite3'}"
    upgrade(url)
    log = await SqlEventLog.open(url)
    version = 0
    for at_ms, batch in batches:
        await log.append(Append("t", "table", 0, version, 1, to_append(batch, uuid4), recorded_at_ms=at_ms))
        version += len(batch)
    audit = await audit_table(log, "t")
    await log.close()
    return audit


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("game", registry.names())
async def test_rounds_and_matches_that_ran_out_of_time_hold(tmp_path: Path, game: str, drawn: bool) -> None:
    table, batches = played(game)
    if drawn:
        assert table.round is not None
        move = play.move(table, Draw(table.round.turn), START)
        assert not isinstance(move, Refusal)
        table = told(table, batches, START, move)
    table = told(table, batches, LATE, play.round_limit(table, LATE))
    table = told(table, batches, LATE, play.deal(table, (0,) * len(table.seats), LATE))
    told(table, batches, START + 300_000, play.match_limit(table, START + 300_000))
    audit = await audited(tmp_path, batches)
    assert audit.difference is None
    assert audit.rounds == 2


async def test_a_limit_that_was_not_reached_is_found(tmp_path: Path) -> None:
    table, batches = played("rummy101")
    told(table, batches, LATE - 1, play.round_limit(table, LATE - 1))
    difference = (await audited(tmp_path, batches)).difference
    assert difference is not None
    assert "limit of the round" in difference


async def test_a_round_that_ended_without_its_limit_is_found(tmp_path: Path) -> None:
    table, batches = played("rummy101")
    told(table, batches, LATE, play.round_limit(table, LATE)[1:])
    difference = (await audited(tmp_path, batches)).difference
    assert difference is not None
    assert "which the last turn does not cause" in difference


async def test_another_result_than_that_of_the_limit_is_found(tmp_path: Path) -> None:
    table, batches = played("rummy101")
    reached, ended, *rest = play.round_limit(table, LATE)
    assert isinstance(ended, events.RoundEnded)
    forged = replace(ended, ending=replace(ended.ending, scores=(-101, -202)), totals=(-101, -202))
    told(table, batches, LATE, (reached, forged, *rest))
    difference = (await audited(tmp_path, batches)).difference
    assert difference is not None
    assert "does not cause" in difference
