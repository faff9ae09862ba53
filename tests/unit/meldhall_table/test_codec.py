from dataclasses import replace
from typing import get_args
from uuid import uuid4

import pytest
from tests.fixtures.table_domain import LIMITS, START, dealt

from meldhall.table.v1 import table_events_pb2, table_log_pb2, table_view_pb2
from meldhall_rules import events as rules
from meldhall_rules.commands import MeldKind
from meldhall_rules.games.rummy101.options import OpeningMode, Options
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.view import Phase
from meldhall_table.api.views import NOBODY, table_event
from meldhall_table.domain import events
from meldhall_table.store.decode import UnknownEventError, decode
from meldhall_table.store.encode import encode
from meldhall_table.store.stream import PUBLIC, Step, fold, to_append

FORM = MatchFormat(mode=Mode.ARENA, rounds=3, single_winner=True, stake=500, rake_bps=250)
MELD = rules.MeldLaid(MeldKind.RUN, (rules.Laid(0, 0), rules.Laid(104, 1), rules.Laid(4, 2)))
ENDING = rules.RoundEnded(rules.Finish.ONE_TURN_JOKER, None, (404, -808))
ALL_LIMITS = replace(LIMITS, fill_ms=1, round_ms=2, match_ms=3, rematch_ms=4)
RISING = tuple(Options(opening=OpeningMode.RISING).canonical().items())

SAMPLES: list[events.Event] = [
    events.TableCreated("t", "rummy101", RISING, FORM, LIMITS, ("", "ben"), bytes(32), "host"),
    events.TableCreated(
        "t", "rummy101", RISING, FORM, ALL_LIMITS, ("", "ben"), bytes(32), "host", 5_000, "before"
    ),
    events.TableCreated(
        "t", "rummy101", RISING, FORM, LIMITS, ("", "ben"), bytes(32), "anna", host="anna", invited_only=True
    ),
    events.SecretsDrawn(b"\x01" * 32),
    events.SeatTaken(1, "ben", b"seed", ""),
    events.SeatLeft(0, "anna"),
    events.SeatChanged(0, 1, "anna"),
    events.PlayerAdmitted("ben"),
    events.PlayerBarred("ben"),
    *(events.TableLocked(locked) for locked in (True, False)),
    events.HostChanged("ben"),
    events.StartCalled(),
    events.RoundStarted(2, 1, "rummy101", 1, ("anna", "ben"), (21, 22), 63, (5,), (101, 5)),
    events.RoundStarted(
        2,
        1,
        "rummy101",
        1,
        ("anna", "ben"),
        (21, 22),
        63,
        (5,),
        (101, 5),
        deadline_ms=START,
        match_deadline_ms=7,
    ),
    rules.RoundDealt("rummy101", 1, (("opening", "fixed"),), 1, 2, 0, tuple(range(106)), b"k" * 32, (0, 1)),
    events.TurnBegan(1, START, Phase.PLAY),
    *(events.AutomaticTurn(1, reason) for reason in events.AutomaticReason),
    events.SeatOpened(rules.OpeningLaid(0, "melds", 116, (MELD,)), (117, 5)),
    events.SeatOpened(
        rules.OpeningLaid(1, "pairs", 5, (rules.MeldLaid(MeldKind.PAIR, MELD.tiles[:2]),)), (101, 6)
    ),
    events.JokerSpent(1, 0, "anna"),
    events.RoundEnded(
        "t",
        "rummy101",
        FORM,
        3,
        ENDING,
        (-1, 5),
        ((), (1, 105)),
        ("anna", "ben"),
        (False, True),
        (-9, 0),
        b"s" * 32,
    ),
    events.BreakBegan(START),
    events.SeatReady(1),
    *(events.LimitReached(limit) for limit in events.Limit),
    events.RematchOffered(START),
    events.RematchWanted(1),
    events.RematchBegan("next"),
    events.MatchEnded(
        "t", "canasta", FORM, (1,), (0, 9), 3, ("anna", "ben"), (False, True), (-500, 475), (3000, -3000)
    ),
    rules.StockReshuffled((5, 3, 51)),
    rules.WentOut(1, (MELD, MELD), 17),
    rules.PileTaken(2, (4, 9, 9)),
    rules.BonusExposed(3, 5),
    *(events.TableClosed(reason) for reason in events.CloseReason),
    events.DeadlineMoved(START, 77),
    rules.StockDrawn(1, 105),
    rules.DiscardTaken(0, 0),
    rules.JokerIssued(1, 106),
    rules.MeldsLaid(1, (MELD, MELD)),
    rules.LaidOff(0, 2, MELD.tiles[:1], MELD.tiles),
    rules.JokerSwapped(0, 1, 3, 104),
    rules.Discarded(0, 7),
]


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was_stored(event: events.Event) -> None:
    message = encode(event)
    payload = message.SerializeToString(deterministic=True)
    assert decode(message.DESCRIPTOR.full_name, 1, payload, FORM) == event


def test_there_is_a_sample_of_every_event() -> None:
    assert {type(event) for event in SAMPLES} == set(get_args(events.Event))


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_every_event_is_shown_to_everybody_somehow(event: events.Event) -> None:
    step = Step(9, START, event, dealt("anna", "ben"))
    for viewer in (NOBODY, "anna", "ben", "eve"):
        shown = table_event(step, viewer)
        assert shown.version == 9
        assert shown.WhichOneof("event") is not None


def test_public_events_are_the_messages_of_the_public_contract_and_all_of_them() -> None:
    public = {encode(event).DESCRIPTOR.full_name for event in SAMPLES if isinstance(event, PUBLIC)}
    private = {encode(event).DESCRIPTOR.full_name for event in SAMPLES if not isinstance(event, PUBLIC)}
    contract = {message.full_name for message in table_events_pb2.DESCRIPTOR.message_types_by_name.values()}
    helpers = {
        "TimeLimits",
        "SpectatorRules",
        "RoundResult",
        "TilesExposed",
        "TilesLeft",
        "MatchResult",
        "HostRules",
    }
    assert public == {name for name in contract if name.rpartition(".")[2] not in helpers}
    assert private.isdisjoint(contract)
    allowed = {
        message.full_name
        for module in (table_log_pb2, table_view_pb2)
        for message in module.DESCRIPTOR.message_types_by_name.values()
    }
    assert private <= allowed


def test_the_same_event_has_the_same_bytes() -> None:
    event = SAMPLES[0]
    first, second = (to_append([event], uuid4)[0] for _ in range(2))
    assert first.payload == second.payload
    assert (first.public, first.type) == (True, "meldhall.table.v1.TableCreated")


@pytest.mark.parametrize(
    ("name", "schema", "payload"),
    [
        ("meldhall.table.v1.Nothing", 1, b""),
        ("meldhall.table.v1.SeatLeft", 2, b""),
        ("meldhall.table.v1.SeatLeft", 1, b"\xff"),
        ("meldhall.table.v1.TableClosed", 1, b"\x08\x63"),
        ("meldhall.table.v1.TableCreated", 1, b""),
    ],
)
def test_fault_107_what_cannot_be_read_is_said_to_be_so(name: str, schema: int, payload: bytes) -> None:
    with pytest.raises(UnknownEventError, match=name):
        decode(name, schema, payload, FORM)


def test_a_result_needs_the_tables_format() -> None:
    message = encode(SAMPLES[SAMPLES.index(next(e for e in SAMPLES if isinstance(e, events.RoundEnded)))])
    with pytest.raises(UnknownEventError):
        decode(message.DESCRIPTOR.full_name, 1, message.SerializeToString(), None)


def test_steps_that_were_decided_together_follow_each_other() -> None:
    table = dealt("anna", "ben")
    steps = fold(table, [events.SeatLeft(0, "anna"), events.SeatLeft(1, "ben")], START + 5)
    assert [step.version for step in steps] == [table.version + 1, table.version + 2]
    assert steps[-1].table.last_at_ms == START + 5
    assert "anna" not in repr(steps[0])
