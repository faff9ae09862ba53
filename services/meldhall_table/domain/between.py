"""Between two rounds and after the match: who is ready, and who wants another match.

Source: ``deploy/docs/tables.md``, ready and rematch.
"""

import base64
import hashlib
from collections.abc import Callable
from typing import Final

from meldhall_rules.match import Mode
from meldhall_table.domain import events
from meldhall_table.domain.events import CloseReason, Event
from meldhall_table.domain.lobby import NewTable, SeatPlan, closed
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.domain.state import Status, Table

_LABEL: Final = b"meldhall/rematch/1"
_ID_LENGTH: Final = 26


def ready(table: Table, player: str) -> tuple[Event, ...] | Refusal:
    """Say that a player is ready for the next round. Saying it again causes no event."""
    seat = table.seated(player)
    if seat is None:
        return Refusal(TableCode.NOT_AT_TABLE, "the player does not sit at this table")
    if table.status is Status.CLOSED:
        return closed(table)
    if table.status is not Status.BREAK:
        return Refusal(TableCode.NOT_IN_BREAK, "no round is waited for")
    return () if table.seats[seat].ready else (events.SeatReady(seat),)


def all_ready(table: Table) -> bool:
    """Tell whether every person at the table is ready; without any person time decides."""
    people = [seat for seat in table.seats if seat.person]
    return bool(people) and all(seat.ready for seat in people)


def rematch(table: Table, player: str) -> tuple[Event, ...] | Refusal:
    """Ask for another match. Asking again causes no event."""
    seat = table.seated(player)
    if seat is None:
        return Refusal(TableCode.NOT_AT_TABLE, "the player does not sit at this table")
    if table.form.mode is Mode.ARENA:
        return Refusal(TableCode.REMATCH_NEEDS_STAKE, "a match for stakes needs stakes that are held for it")
    if table.form.mode is Mode.TOURNAMENT or not table.limits.rematch_ms:
        return Refusal(TableCode.NO_REMATCH, "this table has no rematches")
    if table.status is Status.CLOSED:
        return closed(table)
    if table.status is not Status.OVER:
        return Refusal(TableCode.MATCH_NOT_OVER, "the match is not over")
    return () if table.seats[seat].rematch else (events.RematchWanted(seat),)


def after_match(table: Table, now_ms: int) -> tuple[Event, ...]:
    """Offer a rematch after the match, or close the table where there can be none.

    All who played have to want it, so there is none where a player has left, and none between bots.
    """
    played = [seat for seat in table.seats if not seat.bot]
    allowed = table.form.mode in {Mode.FRIENDS, Mode.QUICK} and table.limits.rematch_ms
    if allowed and played and all(seat.person for seat in played):
        return (events.RematchOffered(now_ms + table.limits.rematch_ms),)
    return (events.TableClosed(CloseReason.MATCH_OVER),)


def all_want_rematch(table: Table) -> bool:
    """Tell whether every person wants another match."""
    return all(seat.rematch for seat in table.seats if not seat.bot)


def next_table_id(table_id: str, shard_of: Callable[[str], int]) -> str:
    """Return the id of the table on which a match is played again: the same table, the same next one.

    It lies in the shard of the table before it, so that the engine that has the one has the other too. It is
    the first with this property among the ids for n = 0, 1, 2, …: 26 characters of lower-case base 32 of
    SHA-256("meldhall/rematch/1" 0x00 table id 0x00 n), n in decimal.
    """
    wanted, number = shard_of(table_id), 0
    while True:
        hashed = hashlib.sha256(b"\0".join((_LABEL, table_id.encode(), str(number).encode()))).digest()
        found = base64.b32encode(hashed).decode("ascii").lower()[:_ID_LENGTH]
        if shard_of(found) == wanted:
            return found
        number += 1


def next_table(table: Table, table_id: str, tip: bytes) -> NewTable:
    """Return the table of the rematch: the same match again, with a seat kept for everybody.

    Players sit down there anew, and bring new seeds, since they may add theirs only when the new commitment
    is published (``deploy/docs/shuffle.md``).
    """
    return NewTable(
        table_id=table_id,
        game=table.game,
        options=table.options,
        form=table.form,
        limits=table.limits,
        seats=tuple(
            SeatPlan(bot=seat.bot) if seat.bot else SeatPlan(reserved_for=seat.player) for seat in table.seats
        ),
        created_by=table.created_by,
        tip=tip,
        spectator_delay_ms=table.spectator_delay_ms,
        previous_table_id=table.table_id,
    )


def rematch_over(table: Table) -> tuple[Event, ...]:
    """Close a table whose players do not all want another match in time."""
    return (events.TableClosed(CloseReason.MATCH_OVER),) if table.status is Status.OVER else ()


def rematch_began(table: Table, table_id: str) -> tuple[Event, ...]:
    """Send the players to the table of the rematch, which is open."""
    if table.status is not Status.OVER:
        return ()
    return events.RematchBegan(table_id), events.TableClosed(CloseReason.MATCH_OVER)
