"""Opening a table, sitting down, leaving. Source: ``deploy/docs/tables.md``."""

from dataclasses import dataclass, field

from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.shuffle import secret_at
from meldhall_table.domain import events
from meldhall_table.domain.events import CloseReason, Event, Limits, Options
from meldhall_table.domain.refusals import Refusal, TableCode
from meldhall_table.domain.state import Status, Table

FILLING_BOT = "normal"
"""Policy of the bots that take seats whose players did not come."""


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """What a new table does with a seat: kept for a player, played by a bot, or open where both are empty."""

    reserved_for: str = ""
    bot: str = ""


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table to be opened.

    Everything in it has been checked. ``tip`` is the secret end of the chain, 32 random bytes.
    """

    table_id: str
    game: str
    options: Options
    form: MatchFormat
    limits: Limits
    seats: tuple[SeatPlan, ...]
    created_by: str
    tip: bytes = field(repr=False)
    spectator_delay_ms: int | None = None
    previous_table_id: str = ""
    host: str = ""
    invited_only: bool = False


def bot_name(seat: int) -> str:
    """Return the name that the bot of a seat goes by."""
    return f"bot-{seat}"


def create(new: NewTable) -> tuple[Event, ...]:
    """Open a table; its bots sit down at once."""
    created = events.TableCreated(
        table_id=new.table_id,
        game=new.game,
        options=new.options,
        form=new.form,
        limits=new.limits,
        reserved_for=tuple(plan.reserved_for for plan in new.seats),
        commitment=secret_at(new.tip, 0),
        created_by=new.created_by,
        spectator_delay_ms=new.spectator_delay_ms,
        previous_table_id=new.previous_table_id,
        host=new.host,
        invited_only=new.invited_only,
    )
    bots = (
        events.SeatTaken(seat, bot_name(seat), b"", plan.bot)
        for seat, plan in enumerate(new.seats)
        if plan.bot
    )
    return created, events.SecretsDrawn(new.tip), *bots


def join(table: Table, player: str, wanted: int | None, seed: bytes) -> tuple[Event, ...] | Refusal:
    """Sit down, or come back to the own seat.

    A player who sits already causes no event. One who comes back keeps the seed that he added when he first
    sat down.
    """
    if table.status is Status.CLOSED:
        return closed(table)
    if wanted is not None and not 0 <= wanted < len(table.seats):
        return no_such_seat(table, wanted)
    own = table.seat_of(player)
    if own is not None:
        if wanted not in {None, own}:
            return Refusal(TableCode.ALREADY_SEATED, f"the player has seat {own}", (("seat", str(own)),))
        seat = table.seats[own]
        return (events.SeatTaken(own, player, seat.seed, ""),) if seat.left else ()
    chosen = turned_away(table, player) or _choose(table, player, wanted)
    return chosen if isinstance(chosen, Refusal) else (events.SeatTaken(chosen, player, seed, ""),)


def no_such_seat(table: Table, seat: int) -> Refusal:
    """Refuse a seat that the table does not have."""
    detail = f"there are {len(table.seats)} seats, none is {seat}"
    return Refusal(TableCode.NO_SUCH_SEAT, detail, (("field", "seat"),))


def turned_away(table: Table, player: str) -> Refusal | None:
    """Refuse a player whom the host lets in no more, or whom nobody has invited."""
    if player in table.barred:
        return Refusal(TableCode.SENT_AWAY, "the host sent the player away")
    if any(seat.reserved_for == player for seat in table.seats):
        return None
    if table.locked:
        return Refusal(TableCode.TABLE_LOCKED, "the host lets nobody in")
    if table.invited_only and player not in table.admitted:
        return Refusal(TableCode.NOT_INVITED, "the table is for players who were invited")
    return None


def _choose(table: Table, player: str, wanted: int | None) -> int | Refusal:
    kept = [
        number for number, seat in enumerate(table.seats) if seat.reserved_for == player and not seat.player
    ]
    free = [number for number, seat in enumerate(table.seats) if not seat.player and not seat.reserved_for]
    if wanted is None:
        choice = [*kept, *free]
        return choice[0] if choice else Refusal(TableCode.TABLE_FULL, "no seat is left for this player")
    facts = (("seat", str(wanted)),)
    if table.seats[wanted].player:
        return Refusal(TableCode.SEAT_TAKEN, f"somebody sits in seat {wanted}", facts)
    if wanted not in kept and (kept or wanted not in free):
        return Refusal(
            TableCode.SEAT_RESERVED,
            f"seat {wanted} is kept for somebody else, or another for this player",
            facts,
        )
    return wanted


def leave(table: Table, player: str) -> tuple[Event, ...] | Refusal:
    """Leave the table. Before the match the seat is free again, and when nobody is left the table closes.

    After the match it is a No to another one, which closes the table; nobody has to be told who said so.
    """
    own = table.seated(player)
    if own is None:
        return Refusal(TableCode.NOT_AT_TABLE, "the player does not sit at this table")
    if table.status is Status.CLOSED:
        return closed(table)
    if table.status is Status.OVER:
        return (events.TableClosed(CloseReason.MATCH_OVER),)
    left = events.SeatLeft(own, player)
    others = [seat.player for number, seat in enumerate(table.seats) if seat.person and number != own]
    if table.status is not Status.WAITING:
        return (left,)
    if not others:
        return left, events.TableClosed(CloseReason.EMPTY)
    return (left, events.HostChanged(others[0])) if player == table.host else (left,)


def waiting_over(table: Table, now_ms: int) -> tuple[Event, ...]:
    """End the time for which seats are kept, or that for all seats to be taken and the match to begin.

    Nobody came: the table closes. At a quick table bots take the seats of those who did not come; elsewhere
    the table closes. Open seats count only when the second time is over.
    """
    if table.status is not Status.WAITING or table.may_begin:
        return ()
    late = 0 < table.fill_deadline_ms <= now_ms
    missing = [
        number for number, seat in enumerate(table.seats) if not seat.player and (seat.reserved_for or late)
    ]
    if not any(seat.person for seat in table.seats):
        return (events.TableClosed(CloseReason.NOT_FILLED if missing else CloseReason.EMPTY),)
    if table.form.mode is not Mode.QUICK and (missing or late):
        return (events.TableClosed(CloseReason.NOT_FILLED),)
    return tuple(events.SeatTaken(number, bot_name(number), b"", FILLING_BOT) for number in missing)


def closed(table: Table) -> Refusal:
    """Refuse what a closed table is asked for."""
    reason = table.close_reason.value if table.close_reason else ""
    return Refusal(TableCode.TABLE_CLOSED, "the table takes no more commands", (("close_reason", reason),))
