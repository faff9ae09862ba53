from dataclasses import replace

import pytest
from tests.fixtures.table_domain import LIMITS, START, dealt, folded

from meldhall_rules import commands
from meldhall_rules.match import MatchFormat, Mode
from meldhall_table.domain import between, events, lobby, play
from meldhall_table.domain.events import CloseReason
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.domain.timing import Due, What, due
from meldhall_table.store.stream import shard_of

REMATCHES = replace(LIMITS, rematch_ms=30_000)


def at_the_end(table: Table, now: int = START + 1) -> Table:
    """The table when its round has run out of time."""
    table = replace(table, round_deadline_ms=now)
    return folded(table, *play.round_limit(table, now), at_ms=now)


def in_break(*players: str) -> Table:
    return at_the_end(dealt(*players, form=MatchFormat(rounds=2)))


def over(*players: str, mode: Mode = Mode.FRIENDS, limits: events.Limits = REMATCHES) -> Table:
    return at_the_end(replace(dealt(*players, form=MatchFormat(mode=mode)), limits=limits))


def code(answer: tuple[events.Event, ...] | Refusal) -> str:
    assert isinstance(answer, Refusal)
    return str(answer.code)


def test_the_next_round_is_due_when_the_last_person_is_ready() -> None:
    table = in_break("anna", "ben")
    assert due(table) == Due(What.DEAL, START + 1 + LIMITS.break_ms)
    table = folded(table, *said(between.ready(table, "anna")), at_ms=START + 2)
    assert due(table) == Due(What.DEAL, START + 1 + LIMITS.break_ms)
    table = folded(table, *said(between.ready(table, "ben")), at_ms=START + 3)
    assert due(table) == Due(What.DEAL, START + 3)


def said(answer: tuple[events.Event, ...] | Refusal) -> tuple[events.Event, ...]:
    assert not isinstance(answer, Refusal), answer
    return answer


def test_saying_it_twice_is_nothing_and_the_next_round_forgets_it() -> None:
    table = folded(in_break("anna", "ben"), events.SeatReady(0))
    assert between.ready(table, "anna") == ()
    table = folded(table, *play.deal(table, (0, 0), START + 2))
    assert not any(seat.ready for seat in table.seats)


def test_who_has_left_is_not_waited_for_and_bots_are_always_ready() -> None:
    table = folded(in_break("anna", "ben", "cleo"), events.SeatReady(0))
    table = folded(table, events.SeatLeft(1, "ben"), events.SeatTaken(2, "bot-2", b"", "normal"))
    assert between.all_ready(table)
    alone = folded(table, events.SeatLeft(0, "anna"))
    assert not between.all_ready(alone)
    assert due(alone) == Due(What.DEAL, START + 1 + LIMITS.break_ms)


def test_ready_is_for_those_who_sit_there_and_only_in_a_break() -> None:
    table = in_break("anna", "ben")
    assert code(between.ready(table, "eve")) == "NOT_AT_TABLE"
    assert code(between.ready(folded(table, events.SeatLeft(0, "anna")), "anna")) == "NOT_AT_TABLE"
    assert code(between.ready(dealt("anna", "ben"), "anna")) == "NOT_IN_BREAK"
    closed = folded(table, events.TableClosed(CloseReason.ABANDONED))
    assert code(between.ready(closed, "anna")) == "TABLE_CLOSED"


def test_after_the_match_a_rematch_may_be_asked_for_until_its_time_is_over() -> None:
    table = over("anna", "ben")
    assert table.status is Status.OVER
    assert due(table) == Due(What.REMATCH_OVER, START + 1 + 30_000)
    assert between.rematch_over(table) == (events.TableClosed(CloseReason.MATCH_OVER),)


def test_when_all_want_it_the_next_table_is_due() -> None:
    table = over("anna", "ben")
    table = folded(table, *said(between.rematch(table, "anna")), at_ms=START + 5)
    assert between.rematch(table, "anna") == ()
    assert not between.all_want_rematch(table)
    table = folded(table, *said(between.rematch(table, "ben")), at_ms=START + 6)
    assert due(table) == Due(What.NEXT_TABLE, START + 6)
    table = folded(table, *between.rematch_began(table, "next"))
    assert (table.next_table_id, table.status) == ("next", Status.CLOSED)
    assert between.rematch_began(table, "next") == ()


def test_the_next_table_is_the_same_match_with_a_seat_kept_for_everybody() -> None:
    table = folded(over("anna", "ben", "cleo"), events.SeatTaken(2, "bot-2", b"", "strong"))
    new = between.next_table(table, "next", b"t" * 32)
    assert new.seats == (
        lobby.SeatPlan(reserved_for="anna"),
        lobby.SeatPlan(reserved_for="ben"),
        lobby.SeatPlan(bot="strong"),
    )
    assert (new.game, new.options, new.form, new.limits) == (
        table.game,
        table.options,
        table.form,
        table.limits,
    )
    opened_again = folded(None, *lobby.create(new))
    assert opened_again.previous_table_id == table.table_id
    assert opened_again.commitment != table.commitment


def test_the_id_of_the_next_table_is_the_same_every_time_and_in_the_same_shard() -> None:
    for name in ("t" * 26, "another", "x"):
        found = between.next_table_id(name, shard_of)
        assert found == between.next_table_id(name, shard_of) != name
        assert len(found) == 26
        assert shard_of(found) == shard_of(name)


def test_leaving_after_the_match_is_a_no_that_closes_the_table() -> None:
    table = over("anna", "ben")
    assert lobby.leave(table, "ben") == (events.TableClosed(CloseReason.MATCH_OVER),)


@pytest.mark.parametrize(
    ("mode", "expected"), [(Mode.ARENA, "REMATCH_NEEDS_STAKE"), (Mode.TOURNAMENT, "NO_REMATCH")]
)
def test_stakes_and_tournaments_have_no_rematch(mode: Mode, expected: str) -> None:
    table = dealt("anna", "ben", form=MatchFormat(mode=mode, single_winner=False))
    assert code(between.rematch(replace(table, limits=REMATCHES), "anna")) == expected
    assert between.after_match(replace(table, limits=REMATCHES), START) == (
        events.TableClosed(CloseReason.MATCH_OVER),
    )


def test_there_is_none_where_somebody_has_left_between_bots_or_by_the_tables_own_limits() -> None:
    closed = (events.TableClosed(CloseReason.MATCH_OVER),)
    table = replace(dealt("anna", "ben"), limits=REMATCHES)
    assert between.after_match(folded(table, events.SeatLeft(1, "ben")), START) == closed
    bots = (events.SeatTaken(seat, f"bot-{seat}", b"", "normal") for seat in range(2))
    assert between.after_match(folded(table, *bots), START) == closed
    assert between.after_match(dealt("anna", "ben"), START) == closed
    assert code(between.rematch(dealt("anna", "ben"), "anna")) == "NO_REMATCH"


def test_a_rematch_is_refused_before_the_match_is_over_and_to_strangers() -> None:
    table = replace(dealt("anna", "ben"), limits=REMATCHES)
    assert code(between.rematch(table, "anna")) == "MATCH_NOT_OVER"
    assert code(between.rematch(over("anna", "ben"), "eve")) == "NOT_AT_TABLE"
    closed = folded(over("anna", "ben"), events.TableClosed(CloseReason.MATCH_OVER))
    assert code(between.rematch(closed, "anna")) == "TABLE_CLOSED"


def test_nothing_is_played_between_the_match_and_the_end_of_the_table() -> None:
    table = over("anna", "ben")
    assert code(play.act(table, "anna", commands.Draw(0), START)) == "ROUND_OVER"
    assert play.deal(table, (0, 0), START) == ()
