"""Fills a log with tables as an engine would have written them, without playing each of them."""

import asyncio
import uuid
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from meldhall_eventlog import Append, SqlEventLog
from meldhall_rules import registry
from meldhall_rules.match import MatchFormat
from meldhall_rules.rejections import Rejection
from meldhall_table.domain import bots, events, lobby, play
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.domain.timing import due
from meldhall_table.store.stream import CATEGORY, fold, shard_of, to_append

AT_ONCE: Final = 512
"""Appends that wait together and so share commits."""

DAY_MS: Final = 86_400_000
LIMITS: Final = events.Limits(turn_ms=DAY_MS, break_ms=1_000, join_ms=DAY_MS, bot_move_ms=700)
TIP: Final = bytes(32)


def waiting_table(now_ms: int) -> tuple[events.Event, ...]:
    """Return the events of a table where one of two players sits; nothing is due there."""
    new = _new_table("rummy101", 2)
    created = lobby.create(new)
    return (*created, *_answer(lobby.join(_folded(created, now_ms), "player-0", None, bytes(16))))


def playing_table(game: str, seats: int, moves: int, now_ms: int) -> tuple[events.Event, ...]:
    """Return the events of a table in its first round, so many moves after the deal, or before its last one.

    Every move is a person's.
    """
    history = lobby.create(_new_table(game, seats))
    for seat in range(seats):
        joined = lobby.join(_folded(history, now_ms), f"player-{seat}", seat, bytes(16))
        history += _answer(joined)
    history += play.deal(_folded(history, now_ms), (1,) * seats, now_ms)
    policy = bots.policy(game, "normal")
    for _ in range(moves):
        table = _folded(history, now_ms)
        view = table.view(table.round.turn) if table.round else None
        if view is None or policy is None:
            break
        moved = _answer(play.move(table, policy(view, 0), now_ms))
        if any(isinstance(event, events.RoundEnded) for event in moved):
            break
        history += moved
    return history


def names(prefix: str, count: int) -> tuple[str, ...]:
    """Return the ids of tables that were filled in."""
    return tuple(f"{prefix}-{number:06}" for number in range(count))


async def fill(
    log: SqlEventLog, template: tuple[events.Event, ...], count: int, prefix: str, now_ms: int
) -> None:
    """Write streams that differ in the table's id alone, and say in each when its table wakes.

    Args:
        log: an empty log, or one without tables of the prefix.
        template: the events of a table that has not come to the end of a round.
        count: how many tables.
        prefix: what their ids begin with.
        now_ms: when all of it happened, Unix milliseconds.
    """
    wanted = due(_folded(template, now_ms))
    created = template[0]
    if not isinstance(created, events.TableCreated):
        raise TypeError(f"a table begins with TableCreated, not {type(created).__name__}")
    tail = to_append(template[1:], uuid.uuid4)

    def appends() -> Iterator[Append]:
        for table_id in names(prefix, count):
            first = to_append([replace(created, table_id=table_id)], uuid.uuid4)
            again = tuple(replace(event, event_id=uuid.uuid4()) for event in tail)
            yield Append(
                stream_id=table_id,
                category=CATEGORY,
                shard=shard_of(table_id),
                expected_version=0,
                epoch=0,
                events=(*first, *again),
                recorded_at_ms=now_ms,
                wake_at_ms=wanted.at_ms if wanted else None,
            )

    waiting = appends()
    while some := tuple(islice(waiting, AT_ONCE)):
        await asyncio.gather(*map(log.append, some))


def _new_table(game: str, seats: int) -> lobby.NewTable:
    options = registry.game(game).parse_options({})
    if isinstance(options, Rejection):
        raise TypeError(f"the defaults of {game} are no options: {options.detail}")
    return lobby.NewTable(
        table_id="bench",
        game=game,
        options=tuple(sorted(options.items())),
        form=MatchFormat(rounds=11 if game == "three_thirteen" else 5),
        limits=LIMITS,
        seats=(lobby.SeatPlan(),) * seats,
        created_by="bench",
        tip=TIP,
    )


def _folded(history: tuple[events.Event, ...], now_ms: int) -> Table:
    return fold(None, history, now_ms)[-1].table


def _answer(decided: tuple[events.Event, ...] | Refusal) -> tuple[events.Event, ...]:
    if isinstance(decided, Refusal):
        raise TypeError(f"the table of the bench refuses what it is asked: {decided.code}")
    return decided
