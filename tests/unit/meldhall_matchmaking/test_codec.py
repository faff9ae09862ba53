from dataclasses import replace

import pytest
from tests.fixtures.matchmaking import FIXED, ticket

from meldhall.common.v1 import game_pb2
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_matchmaking.codec import write_ticket
from meldhall_matchmaking.domain.ticket import TicketState
from meldhall_matchmaking.store import OpenProposal
from meldhall_matchmaking.tables import table_request


@pytest.mark.parametrize("state", TicketState)
def test_every_state_has_a_number_of_its_own(state: TicketState) -> None:
    message = write_ticket(replace(ticket("a", at=5), state=state, table_id="t", table_address="h:1"))

    assert pb.TicketState.Name(message.state) == f"TICKET_STATE_{state.name}"
    assert (message.enqueued_at_unix_ms, message.bots_at_unix_ms) == (5, 10_000)
    assert (message.table_id, message.table_address, message.player_id) == ("t", "h:1", "a")


def test_a_ticket_without_limits_can_be_written() -> None:
    options = (("max_melds_per_turn", "unlimited"), ("max_reshuffles", "3"))
    wish = replace(ticket("a").wish, game="rummy", options=options)

    message = write_ticket(ticket("a", wish))

    assert message.options == game_pb2.GameOptions(rummy=game_pb2.RummyOptions(max_reshuffles=3))


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
