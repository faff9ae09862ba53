import pytest
from tests.fixtures.table_domain import LIMITS, START, folded, opened

from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.shuffle import secret_at
from meldhall_table.domain import events, lobby
from meldhall_table.domain.evolve import FoldError, evolve
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Seat, Status, Table
from meldhall_table.domain.timing import Due, What, deadline, due, resume


def code(answer: object) -> str:
    assert isinstance(answer, Refusal), answer
    return answer.code


def test_a_new_table_publishes_its_commitment_and_seats_its_bots() -> None:
    new = lobby.NewTable(
        table_id="t",
        game="rummy101",
        options=(("opening", "fixed"),),
        form=MatchFormat(),
        limits=LIMITS,
        seats=(lobby.SeatPlan(), lobby.SeatPlan(bot="normal"), lobby.SeatPlan(reserved_for="ben")),
        created_by="host",
        tip=bytes(32),
    )
    created, secrets, bot = lobby.create(new)
    assert isinstance(created, events.TableCreated)
    assert created.commitment == secret_at(bytes(32), 0)
    assert created.reserved_for == ("", "", "ben")
    assert secrets == events.SecretsDrawn(bytes(32))
    assert bot == events.SeatTaken(1, "bot-1", b"", "normal")


def test_secrets_are_not_in_a_repr() -> None:
    table = opened("", "")
    assert table.tip.hex() not in repr(table)
    assert repr(table.tip) not in repr(table)


def test_a_player_gets_the_seat_kept_for_him_before_an_open_one() -> None:
    assert lobby.join(opened("", "anna"), "anna", None, b"s") == (events.SeatTaken(1, "anna", b"s", ""),)


def test_a_player_with_a_seat_kept_takes_no_other() -> None:
    assert code(lobby.join(opened("", "anna"), "anna", 0, b"")) == "SEAT_RESERVED"


def test_an_empty_name_owns_nothing() -> None:
    assert opened("", "").seat_of("") is None


def test_nobody_is_a_bot_by_taking_its_name() -> None:
    table = folded(opened("", ""), events.SeatTaken(0, "bot-0", b"", "normal"))
    assert table.seat_of("bot-0") is None
    assert lobby.join(table, "bot-0", None, b"") == (events.SeatTaken(1, "bot-0", b"", ""),)


def test_who_comes_back_keeps_his_seed() -> None:
    seated = folded(opened("", ""), events.SeatTaken(0, "anna", b"first", ""))
    left = folded(running(seated), events.SeatLeft(0, "anna"))
    assert left.seats[0].left
    assert lobby.join(left, "anna", None, b"second") == (events.SeatTaken(0, "anna", b"first", ""),)


def running(table: Table) -> Table:
    started = events.RoundStarted(1, 0, "rummy101", 1, table.players, (22, 21), 63, (), (101, 5))
    return folded(table, started)


def test_leaving_before_the_match_frees_the_seat_and_keeps_it_kept() -> None:
    table = folded(
        opened("anna", ""), events.SeatTaken(0, "anna", b"x", ""), events.SeatTaken(1, "ben", b"", "")
    )
    after = folded(table, *_events(lobby.leave(table, "anna")))
    assert after.seats[0] == Seat(reserved_for="anna")
    assert after.status is Status.WAITING


def _events(answer: tuple[events.Event, ...] | Refusal) -> tuple[events.Event, ...]:
    assert not isinstance(answer, Refusal)
    return answer


def test_the_last_one_closes_the_table() -> None:
    table = folded(
        opened("", ""), events.SeatTaken(0, "anna", b"", ""), events.SeatTaken(1, "b", b"", "normal")
    )
    left, closed = _events(lobby.leave(table, "anna"))
    assert closed == events.TableClosed(events.CloseReason.EMPTY)
    assert code(lobby.join(folded(table, left, closed), "ben", None, b"")) == "TABLE_CLOSED"


def test_strangers_cannot_leave() -> None:
    assert code(lobby.leave(opened("", ""), "eve")) == "NOT_AT_TABLE"


@pytest.mark.parametrize(
    ("mode", "came", "what"),
    [
        (Mode.QUICK, True, "bots"),
        (Mode.QUICK, False, events.CloseReason.NOT_FILLED),
        (Mode.FRIENDS, True, events.CloseReason.NOT_FILLED),
        (Mode.ARENA, True, events.CloseReason.NOT_FILLED),
    ],
)
def test_what_happens_when_the_time_for_joining_is_over(mode: Mode, came: bool, what: object) -> None:
    table = opened("anna", "ben", form=MatchFormat(mode=mode))
    if came:
        table = folded(table, events.SeatTaken(0, "anna", b"", ""))
    (event,) = lobby.waiting_over(table, START + LIMITS.join_ms)
    if what == "bots":
        assert event == events.SeatTaken(1, "bot-1", b"", "normal")
    else:
        assert event == events.TableClosed(what)  # type: ignore[arg-type]


def test_a_table_with_open_seats_and_a_player_waits_without_end() -> None:
    table = folded(opened("", ""), events.SeatTaken(0, "anna", b"", ""))
    assert due(table) is None
    assert deadline(table) == 0
    assert resume(table, 5_000) == ()


def test_a_table_that_nobody_came_to_ends_in_time() -> None:
    assert due(opened("", "")) == Due(What.WAITING_OVER, START + LIMITS.join_ms)


def test_a_full_table_is_dealt_at_once() -> None:
    table = folded(opened(""), events.SeatTaken(0, "anna", b"", ""), at_ms=START + 77)
    assert due(table) == Due(What.DEAL, START + 77)


def test_seats_kept_stay_kept_for_as_long_as_the_engine_was_away() -> None:
    table = opened("anna", "ben")
    moved = resume(table, 1_000)
    assert moved == (events.DeadlineMoved(START + LIMITS.join_ms + 1_000, 1_000),)
    assert due(folded(table, *moved)) == Due(What.WAITING_OVER, START + LIMITS.join_ms + 1_000)
    assert resume(table, 0) == ()


def test_a_stream_that_is_no_tables_is_not_folded() -> None:
    with pytest.raises(FoldError, match="begins with TableCreated"):
        evolve(None, events.SecretsDrawn(bytes(32)), START)
    with pytest.raises(FoldError, match="created twice"):
        folded(opened("", ""), _created())
    with pytest.raises(FoldError, match="before the first deal"):
        folded(opened("", ""), events.TurnBegan(0, 1, "draw"))  # type: ignore[arg-type]


def _created() -> events.TableCreated:
    return events.TableCreated("t", "rummy101", (), MatchFormat(), LIMITS, ("", ""), bytes(32), "host")
