from itertools import product

import pytest

from meldhall_matchmaking.domain.ticket import ACTIVE, TicketState

WAITING, PROPOSED, MATCHED, CANCELLED, EXPIRED = TicketState


def test_a_ticket_goes_only_the_ways_that_there_are() -> None:
    ways = {(before, after) for before, after in product(TicketState, repeat=2) if before.leads_to(after)}

    assert ways == {
        (WAITING, PROPOSED),
        (WAITING, CANCELLED),
        (WAITING, EXPIRED),
        (PROPOSED, MATCHED),
        (PROPOSED, WAITING),
    }


@pytest.mark.parametrize("state", TicketState)
def test_a_ticket_is_active_until_nothing_follows(state: TicketState) -> None:
    assert state.is_final == (state in {MATCHED, CANCELLED, EXPIRED})
    assert (state in ACTIVE) != state.is_final
