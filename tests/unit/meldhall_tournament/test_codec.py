"""Events as they lie in the database."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.tournament import PLAN, SEED

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.store.codec import TYPES, decode, encode, fingerprint

EVENTS = st.one_of(*(st.from_type(kind) for kind in get_args(e.Event)))


@given(EVENTS)
def test_every_event_is_read_as_it_was_written(event: e.Event) -> None:
    name, payload = encode(event)
    assert decode(name, payload) == event
    assert encode(decode(name, payload)) == (name, payload)


def test_the_names_of_events_are_for_ever() -> None:
    assert set(TYPES) == {
        *(
            "Announced",
            "Registered",
            "FeeHeld",
            "FeeRefused",
            "CheckedIn",
            "Withdrawn",
            "Started",
            "Admitted",
        ),
        *("RoundPaired", "TableOpened", "TableLost", "ResultRecorded", "LateResultNoted", "ResultVoided"),
        *("Disqualified", "Paused", "Resumed", "Cancelled", "Closed", "PrizeDue", "MoneyMoved"),
    }


def test_a_row_lies_there_as_written() -> None:
    sides = (e.SideResult(1, 30, 2), e.SideResult(2, -5, came=False))
    recorded = e.ResultRecorded(1, 2, sides, e.Source.MATCH, "", 7)
    name, payload = encode(recorded)
    assert name == "ResultRecorded"
    assert payload == (
        '{"at_ms":7,"by":"","round":1,"sides":[{"came":true,"own":30,"place":1,"rounds_won":2},'
        '{"came":false,"own":-5,"place":2,"rounds_won":0}],"source":"match","table":2}'
    )


def test_a_field_that_a_row_has_not_is_read_with_its_default() -> None:
    payload = '{"at_ms":7,"by":"","round":1,"sides":[{"place":1}],"source":"match","table":2}'
    assert decode("ResultRecorded", payload) == e.ResultRecorded(
        1, 2, (e.SideResult(1),), e.Source.MATCH, "", 7
    )
    with pytest.raises(ValueError, match="no event 'Exploded'"):
        decode("Exploded", "{}")


def test_commands_have_fingerprints_that_tell_them_apart() -> None:
    commands: list[object] = [c.Register("a"), c.Register("b"), c.Withdraw("a"), c.CheckIn("a")]
    commands += [c.Void(1, 1, replay=True, reason="r", by="o"), c.Announce("t", PLAN, SEED, "o")]
    assert len({fingerprint(command) for command in commands}) == len(commands)
