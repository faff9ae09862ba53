"""Who runs a friends' table before its match, and what he can have done."""

from collections.abc import Callable

import pytest
from tests.fixtures.table_domain import LIMITS, START, folded, opened

from meldhall_table.domain import events, hosting, lobby, play
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Seat, Status, Table
from meldhall_table.domain.timing import Due, What, due


def hosted(*seats: str, invited_only: bool = False) -> Table:
    """A table of anna's with a seat for each name; she sits in the first."""
    table = opened(*seats, host="anna", invited_only=invited_only)
    return folded(table, events.SeatTaken(0, "anna", b"a", ""))


def after(table: Table, answer: tuple[events.Event, ...] | Refusal) -> Table:
    assert not isinstance(answer, Refusal), answer
    return folded(table, *answer)


def code(answer: object) -> str:
    assert isinstance(answer, Refusal), answer
    return answer.code


def joined(table: Table, *names: str) -> Table:
    for name in names:
        table = after(table, lobby.join(table, name, None, name.encode()))
    return table


def begun(table: Table) -> Table:
    return folded(table, *play.deal(table, (0,) * len(table.seats), START))


def test_a_full_table_waits_for_its_host() -> None:
    table = joined(hosted("", ""), "ben")
    assert table.full
    assert due(table) is None
    assert play.deal(table, (0, 0), START) == ()
    called = after(table, hosting.start(table, "anna", ""))
    assert due(called) == Due(What.DEAL, START)
    assert begun(called).status is Status.PLAYING
    assert hosting.start(called, "anna", "") == ()


def test_a_match_begins_with_free_seats_only_where_bots_take_them() -> None:
    table = joined(hosted("", "", "", "kept"), "ben")
    refusal = hosting.start(table, "anna", "")
    assert code(refusal) == "SEATS_FREE"
    assert isinstance(refusal, Refusal)
    assert refusal.facts == (("seats", "2,3"),)
    assert code(hosting.start(table, "anna", "genius")) == "UNKNOWN_BOT"
    called = after(table, hosting.start(table, "anna", "easy"))
    assert [seat.bot for seat in called.seats] == ["", "", "easy", "easy"]
    assert called.may_begin


def test_who_comes_after_somebody_left_has_to_be_begun_with_anew() -> None:
    table = joined(hosted("", ""), "ben")
    called = after(table, hosting.start(table, "anna", ""))
    left = after(called, lobby.leave(called, "ben"))
    again = joined(left, "cleo")
    assert again.full
    assert not again.may_begin


def test_a_table_that_its_host_does_not_begin_is_closed_in_time() -> None:
    limits = events.Limits(60_000, 5_000, 30_000, 700, fill_ms=90_000)
    new = lobby.NewTable(
        table_id="t",
        game="rummy101",
        options=(("opening", "fixed"),),
        form=hosted("").form,
        limits=limits,
        seats=(lobby.SeatPlan(), lobby.SeatPlan()),
        created_by="anna",
        tip=bytes(32),
        host="anna",
    )
    table = joined(folded(None, *lobby.create(new)), "anna", "ben")
    assert due(table) == Due(What.WAITING_OVER, START + 90_000)
    (closed,) = lobby.waiting_over(table, START + 90_000)
    assert closed == events.TableClosed(events.CloseReason.NOT_FILLED)


def test_who_was_sent_away_does_not_come_back() -> None:
    table = joined(hosted("", "ben", ""), "ben")
    sent = after(table, hosting.free(table, "anna", 1))
    assert sent.seats[1] == Seat()
    assert code(lobby.join(sent, "ben", None, b"")) == "SENT_AWAY"
    assert code(hosting.admit(sent, "ben")) == "SENT_AWAY"
    assert joined(sent, "cleo").seats[1].player == "cleo"


def test_bots_come_and_go_as_the_host_likes() -> None:
    table = hosted("", "", "kept")
    with_bot = after(table, hosting.seat_bot(table, "anna", 1, "strong"))
    assert with_bot.seats[1].bot == "strong"
    assert code(hosting.seat_bot(with_bot, "anna", 1, "strong")) == "SEAT_TAKEN"
    assert code(hosting.seat_bot(with_bot, "anna", 2, "strong")) == "SEAT_RESERVED"
    assert code(hosting.seat_bot(table, "anna", 1, "genius")) == "UNKNOWN_BOT"
    assert after(with_bot, hosting.free(with_bot, "anna", 1)) == folded(with_bot, events.SeatLeft(1, "bot-1"))
    assert after(with_bot, hosting.free(with_bot, "anna", 1)).barred == ()


def test_a_locked_table_takes_in_only_those_whose_seat_is_kept() -> None:
    table = hosted("", "", "cleo")
    locked = after(table, hosting.lock(table, "anna", locked=True))
    assert code(lobby.join(locked, "ben", None, b"")) == "TABLE_LOCKED"
    assert code(hosting.admit(locked, "ben")) == "TABLE_LOCKED"
    assert joined(locked, "cleo").seats[2].player == "cleo"
    assert hosting.lock(locked, "anna", locked=True) == ()
    open_again = after(locked, hosting.lock(locked, "anna", locked=False))
    assert joined(open_again, "ben").seats[1].player == "ben"


def test_a_table_for_the_invited_takes_in_who_was_admitted() -> None:
    table = hosted("", "", "cleo", invited_only=True)
    assert code(lobby.join(table, "ben", None, b"")) == "NOT_INVITED"
    admitted = after(table, hosting.admit(table, "ben"))
    assert hosting.admit(admitted, "ben") == ()
    assert hosting.admit(table, "cleo") == ()
    full = joined(admitted, "ben", "cleo")
    assert full.full
    assert hosting.admit(full, "ben") == ()
    assert code(hosting.admit(full, "dan")) == "TABLE_FULL"


def test_the_host_who_leaves_hands_the_table_to_the_next() -> None:
    table = joined(hosted("", "", ""), "ben", "cleo")
    left = after(table, lobby.leave(table, "anna"))
    assert left.host == "ben"
    assert code(hosting.lock(left, "anna", locked=True)) == "NOT_HOST"
    assert after(left, hosting.lock(left, "ben", locked=True)).locked
    alone = after(hosted("", ""), lobby.leave(hosted("", ""), "anna"))
    assert alone.close_reason is events.CloseReason.EMPTY


def test_players_choose_their_seats() -> None:
    table = joined(hosted("", "", "", "cleo"), "ben")
    moved = after(table, hosting.change_seat(table, "ben", 2))
    assert [seat.player for seat in moved.seats] == ["anna", "", "ben", ""]
    assert moved.seats[2].seed == b"ben"
    assert hosting.change_seat(moved, "ben", 2) == ()
    assert code(hosting.change_seat(moved, "ben", 0)) == "SEAT_TAKEN"
    assert code(hosting.change_seat(moved, "ben", 3)) == "SEAT_RESERVED"
    assert code(hosting.change_seat(moved, "ben", 4)) == "NO_SUCH_SEAT"
    assert code(hosting.change_seat(moved, "dan", 1)) == "NOT_AT_TABLE"


def test_who_moves_gives_up_the_seat_that_was_kept_for_him() -> None:
    table = folded(opened("", "ben", ""), events.SeatTaken(1, "ben", b"b", ""))
    moved = after(table, hosting.change_seat(table, "ben", 2))
    assert moved.seats[1] == Seat()
    assert moved.seats[2] == Seat(player="ben", seed=b"b")


ORDERS: dict[str, Callable[[Table, str], tuple[events.Event, ...] | Refusal]] = {
    "lock": lambda table, who: hosting.lock(table, who, locked=True),
    "free": lambda table, who: hosting.free(table, who, 1),
    "bot": lambda table, who: hosting.seat_bot(table, who, 1, "easy"),
    "start": lambda table, who: hosting.start(table, who, ""),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_only_the_host_runs_the_table_and_only_before_the_match(
    order: Callable[[Table, str], tuple[events.Event, ...] | Refusal],
) -> None:
    table = joined(hosted("", ""), "ben")
    assert code(order(table, "ben")) == "NOT_HOST"
    assert code(order(joined(opened("", ""), "anna", "ben"), "anna")) == "NOT_HOST"
    running = begun(after(table, hosting.start(table, "anna", "")))
    assert code(order(running, "anna")) == "MATCH_BEGUN"
    assert code(hosting.change_seat(running, "ben", 0)) == "MATCH_BEGUN"
    over = folded(running, events.TableClosed(events.CloseReason.ABANDONED))
    assert code(order(over, "anna")) == "TABLE_CLOSED"
    assert code(hosting.admit(over, "dan")) == "TABLE_CLOSED"
    assert code(hosting.admit(running, "dan")) == "MATCH_BEGUN"


def test_what_a_host_cannot_free() -> None:
    table = hosted("", "")
    assert code(hosting.free(table, "anna", 0)) == "OWN_SEAT"
    assert code(hosting.free(table, "anna", 1)) == "SEAT_FREE"
    assert code(hosting.free(table, "anna", 2)) == "NO_SUCH_SEAT"
    assert LIMITS.fill_ms == 0
