"""Running a friends' table before its match: seats, bots, who may come in, and the start.

Source: ``deploy/docs/tables.md``, hosts.
"""

from meldhall_table.domain import bots as policies
from meldhall_table.domain import events
from meldhall_table.domain.events import Event
from meldhall_table.domain.lobby import bot_name, closed, no_such_seat, turned_away
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.domain.state import Status, Table

Answer = tuple[Event, ...] | Refusal


def change_seat(table: Table, player: str, seat: int) -> Answer:
    """Move a player to another seat that is free and kept for nobody else. His own causes no event."""
    own = table.seated(player)
    if own is None:
        return Refusal(TableCode.NOT_AT_TABLE, "the player does not sit at this table")
    refusal = _too_late(table) or _no_seat(table, seat)
    if refusal is not None:
        return refusal
    if seat == own:
        return ()
    facts = (("seat", str(seat)),)
    if table.seats[seat].player:
        return Refusal(TableCode.SEAT_TAKEN, f"somebody sits in seat {seat}", facts)
    if table.seats[seat].reserved_for not in {"", player}:
        return Refusal(TableCode.SEAT_RESERVED, f"seat {seat} is kept for somebody else", facts)
    return (events.SeatChanged(own, seat, player),)


def lock(table: Table, player: str, *, locked: bool) -> Answer:
    """Take nobody in any more, or take people in again. What is so already causes no event."""
    refusal = _unfit(table, player)
    if refusal is not None:
        return refusal
    return () if table.locked is locked else (events.TableLocked(locked),)


def free(table: Table, player: str, seat: int) -> Answer:
    """Send away who sits in a seat. A person may not come back, and loses a seat that was kept."""
    refusal = _unfit(table, player) or _no_seat(table, seat)
    if refusal is not None:
        return refusal
    there = table.seats[seat]
    if not there.player:
        return Refusal(TableCode.SEAT_FREE, f"nobody sits in seat {seat}", (("seat", str(seat)),))
    if there.player == player and not there.bot:
        return Refusal(TableCode.OWN_SEAT, "a host does not send himself away; he leaves")
    left = events.SeatLeft(seat, there.player)
    return (left,) if there.bot else (left, events.PlayerBarred(there.player))


def seat_bot(table: Table, player: str, seat: int, policy: str) -> Answer:
    """Have a bot play a free seat that is kept for nobody."""
    refusal = _unfit(table, player) or _no_seat(table, seat) or _no_bot(table, policy, "bot.policy")
    if refusal is not None:
        return refusal
    facts = (("seat", str(seat)),)
    if table.seats[seat].player:
        return Refusal(TableCode.SEAT_TAKEN, f"somebody sits in seat {seat}", facts)
    if table.seats[seat].reserved_for:
        return Refusal(TableCode.SEAT_RESERVED, f"seat {seat} is kept for somebody", facts)
    return (events.SeatTaken(seat, bot_name(seat), b"", policy),)


def start(table: Table, player: str, bots: str) -> Answer:
    """Begin the match; bots, where a policy is named, take the seats that are free, those kept included."""
    refusal = _unfit(table, player) or (_no_bot(table, bots, "start.bots") if bots else None)
    if refusal is not None:
        return refusal
    if table.started:
        return ()
    empty = [number for number, seat in enumerate(table.seats) if not seat.player]
    if empty and not bots:
        facts = (("seats", ",".join(map(str, empty))),)
        return Refusal(TableCode.SEATS_FREE, f"{len(empty)} seats are free", facts)
    filled = (events.SeatTaken(number, bot_name(number), b"", bots) for number in empty)
    return (*filled, events.StartCalled())


def admit(table: Table, player: str) -> Answer:
    """Let a player take a seat of a table for the invited. Who may sit down already causes no event."""
    if table.status is Status.CLOSED:
        return closed(table)
    if table.seat_of(player) is not None:
        return ()
    late = _too_late(table)
    if late is not None:
        return late
    refusal = turned_away(table, player)
    if refusal is not None and refusal.code != TableCode.NOT_INVITED:
        return refusal
    kept = any(seat.reserved_for == player for seat in table.seats)
    if not kept and all(seat.player or seat.reserved_for for seat in table.seats):
        return Refusal(TableCode.TABLE_FULL, "no seat is left for this player")
    return () if refusal is None else (events.PlayerAdmitted(player),)


def _unfit(table: Table, player: str) -> Refusal | None:
    if table.host != player:
        return Refusal(TableCode.NOT_HOST, "the player does not run this table")
    return _too_late(table)


def _too_late(table: Table) -> Refusal | None:
    if table.status is Status.CLOSED:
        return closed(table)
    if table.status is not Status.WAITING:
        return Refusal(TableCode.MATCH_BEGUN, "the match has begun")
    return None


def _no_bot(table: Table, policy: str, field: str) -> Refusal | None:
    if policies.policy(table.game, policy) is not None:
        return None
    return Refusal(TableCode.UNKNOWN_BOT, f"{table.game} has no such bot", (("field", field),))


def _no_seat(table: Table, seat: int) -> Refusal | None:
    return None if 0 <= seat < len(table.seats) else no_such_seat(table, seat)
