"""What a table's public events say it gave."""

import pytest
from google.protobuf.message import Message

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_events_pb2 as pb
from meldhall_tournament.domain.events import SideResult, Source
from meldhall_tournament.outcomes import Outcome, outcome_of


def envelopes(*events: Message) -> list[EventEnvelope]:
    return [
        EventEnvelope(sequence=number, type=event.DESCRIPTOR.full_name, payload=event.SerializeToString())
        for number, event in enumerate(events, 1)
    ]


def taken(*seats: int) -> list[Message]:
    return [pb.SeatTaken(seat=seat, player_id=f"p{seat}") for seat in seats]


def ended_round(winner: int, *totals: int) -> Message:
    return pb.RoundEnded(result=pb.RoundResult(winner=winner, totals=totals))


def ended_match(winners: list[int], *totals: int) -> Message:
    return pb.MatchEnded(result=pb.MatchResult(winners=winners, totals=totals))


def closed(reason: pb.CloseReason) -> Message:
    return pb.TableClosed(reason=reason)


def test_a_match_ranks_its_winners_and_the_others_by_their_totals() -> None:
    events = [
        *taken(0, 1, 2),
        ended_round(1, 5, 40, 7),
        ended_round(2, 10, 50, 7),
        ended_match([1], 10, 50, 7),
    ]
    assert outcome_of(envelopes(*events), 3, lowest_wins=False) == Outcome(
        (SideResult(2, 10, 0), SideResult(1, 50, 1), SideResult(3, 7, 1)), Source.MATCH
    )


def test_penalties_are_turned_round() -> None:
    found = outcome_of(envelopes(*taken(0, 1), ended_match([0], 12, 90)), 2, lowest_wins=True)
    assert found == Outcome((SideResult(1, -12), SideResult(2, -90)), Source.MATCH)


def test_a_tie_that_the_rounds_decided_has_one_winner_and_a_shared_one_two() -> None:
    decided = outcome_of(envelopes(ended_match([1], 50, 50)), 2, lowest_wins=True)
    assert decided is not None
    assert [side.place for side in decided.sides] == [2, 1]
    shared = outcome_of(envelopes(ended_match([0, 1], 50, 50)), 2, lowest_wins=True)
    assert shared is not None
    assert [side.place for side in shared.sides] == [1, 1]


def test_while_it_is_played_there_is_no_outcome() -> None:
    assert outcome_of(envelopes(*taken(0, 1), ended_round(0, 1, 2)), 2, lowest_wins=False) is None
    assert outcome_of([], 2, lowest_wins=False) is None


def test_who_came_beats_who_did_not() -> None:
    events = [*taken(1), closed(pb.CLOSE_REASON_NOT_FILLED)]
    assert outcome_of(envelopes(*events), 2, lowest_wins=False) == Outcome(
        (SideResult(2, came=False), SideResult(1)), Source.FORFEIT
    )


def test_one_of_a_team_is_enough_to_have_come() -> None:
    found = outcome_of(envelopes(*taken(0, 2, 3), closed(pb.CLOSE_REASON_NOT_FILLED)), 2, lowest_wins=False)
    assert found == Outcome((SideResult(1), SideResult(1)), Source.FORFEIT)


def test_a_match_that_ran_out_of_time_is_ranked_by_the_totals_so_far() -> None:
    events = [*taken(0, 1), ended_round(0, 40, 10), closed(pb.CLOSE_REASON_TIME_UP)]
    found = outcome_of(envelopes(*events), 2, lowest_wins=False)
    assert found == Outcome((SideResult(1, 40, 1), SideResult(2, 10)), Source.FORFEIT)


def test_what_cannot_be_of_this_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 sides at a table of 2"):
        outcome_of(envelopes(ended_match([0], 1, 2, 3)), 2, lowest_wins=False)
