from dataclasses import replace

import pytest
from tests.fixtures.matchmaking import FIXED, ticket

from meldhall.common.v1 import game_pb2
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_matchmaking.codec import read_options, write_options, write_ticket
from meldhall_matchmaking.domain.ticket import TicketState
from meldhall_matchmaking.store import OpenProposal
from meldhall_matchmaking.tables import table_request


def test_options_are_read_by_name_and_what_is_unspecified_is_absent() -> None:
    assert read_options(FIXED) == ("rummy101", {"opening": "fixed"})
    unspecified = game_pb2.GameOptions(rummy101=game_pb2.Rummy101Options())
    assert read_options(unspecified) == ("rummy101", {})
    assert read_options(game_pb2.GameOptions()) is None


def test_an_enum_value_that_nobody_knows_is_named() -> None:
    message = game_pb2.GameOptions.FromString(bytes.fromhex("0a020863"))
    with pytest.raises(ValueError, match="opening has no value 99"):
        read_options(message)


@pytest.mark.parametrize("opening", ["fixed", "rising"])
def test_canonical_options_survive_the_wire(opening: str) -> None:
    message = write_options("rummy101", [("opening", opening)])

    assert read_options(message) == ("rummy101", {"opening": opening})


@pytest.mark.parametrize("state", TicketState)
def test_every_state_has_a_number_of_its_own(state: TicketState) -> None:
    message = write_ticket(replace(ticket("a", at=5), state=state, table_id="t", table_address="h:1"))

    assert pb.TicketState.Name(message.state) == f"TICKET_STATE_{state.name}"
    assert (message.enqueued_at_unix_ms, message.bots_at_unix_ms) == (5, 10_000)
    assert (message.table_id, message.table_address, message.player_id) == ("t", "h:1", "a")


def test_people_sit_by_age_and_bots_after_them() -> None:
    wish = replace(ticket("a").wish, seats=4, rounds=3)
    request = table_request(OpenProposal("p", (ticket("b", wish), ticket("a", wish, at=1))))

    assert [(seat.reserved_for, seat.bot) for seat in request.seats] == [
        ("b", ""),
        ("a", ""),
        ("", "normal"),
        ("", "normal"),
    ]
    assert request.format == game_pb2.MatchFormat(mode=game_pb2.MODE_QUICK, rounds=3)
    assert (request.command_id, request.options) == ("p", FIXED)
    assert not request.HasField("limits")
