"""Every reason is named by the constraint that fails."""

from dataclasses import replace

import pytest
from tests.fixtures.matchmaking import THREE, TWO, ticket

from meldhall_matchmaking.domain.reasons import Explanation, Reason, explain
from meldhall_matchmaking.domain.ticket import Play, Ticket, TicketState
from meldhall_matchmaking.domain.windows import Obstacle

RANKED = replace(TWO, play=Play.RANKED)


def why(mine: Ticket, *others: Ticket, led: bool = True, failing: bool = False, now: int = 10) -> Explanation:
    return explain(mine, (mine, *others), now, led=led, failing=failing)


def rated(name: str, rating: int, **more: object) -> Ticket:
    return replace(ticket(name, RANKED), rating=rating, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (TicketState.PROPOSED, Reason.BEING_SEATED),
        (TicketState.MATCHED, Reason.ENDED),
        (TicketState.CANCELLED, Reason.ENDED),
        (TicketState.EXPIRED, Reason.ENDED),
    ],
)
def test_what_does_not_wait_waits_for_nothing(state: TicketState, reason: Reason) -> None:
    assert why(replace(ticket("a"), state=state)).reason is reason


def test_there_may_be_too_few() -> None:
    found = why(ticket("a", THREE), ticket("b", THREE))

    assert (found.reason, found.waiting, found.fitting) == (Reason.TOO_FEW, 2, 1)


@pytest.mark.parametrize(
    ("mine", "other", "reason", "between"),
    [
        (rated("a", 1_500), rated("b", 1_700), Reason.RATING, Obstacle.RATING),
        (
            replace(ticket("a"), blocked=frozenset({"b"})),
            ticket("b"),
            Reason.BLOCKED,
            Obstacle.BLOCKED,
        ),
        (
            replace(ticket("a"), latencies=(("asia", 20), ("europe", 250))),
            replace(ticket("b"), latencies=(("asia", 250), ("europe", 20))),
            Reason.LATENCY,
            Obstacle.LATENCY,
        ),
        (rated("a", 1_500), rated("b", 1_500, met=frozenset({"a"})), Reason.REMATCH, Obstacle.REMATCH),
    ],
)
def test_the_constraint_that_fails_is_named(
    mine: Ticket, other: Ticket, reason: Reason, between: Obstacle
) -> None:
    found = why(mine, other)

    assert (found.reason, found.waiting, found.fitting) == (reason, 2, 0)
    assert found.obstacles == {between: 1}


def test_of_several_constraints_the_one_of_most_people_is_named() -> None:
    others = [rated("b", 1_900), rated("c", 1_950), rated("d", 1_500, blocked=frozenset({"a"}))]

    found = why(rated("a", 1_500), *others)

    assert found.reason is Reason.RATING
    assert found.obstacles == {Obstacle.RATING: 2, Obstacle.BLOCKED: 1}


def test_a_party_may_not_be_complete() -> None:
    alone = replace(ticket("a"), party_id="friends", party_size=2)

    assert why(alone, ticket("b")).reason is Reason.PARTY_INCOMPLETE


def test_those_who_fit_may_not_fit_each_other() -> None:
    others = [ticket("b", THREE), replace(ticket("c", THREE), blocked=frozenset({"b"}))]

    assert why(ticket("a", THREE), *others).reason is Reason.MISFIT


def test_parties_may_not_fill_the_seats() -> None:
    pairs = [
        replace(ticket(name, THREE), party_id=party, party_size=2)
        for name, party in (("a", "one"), ("b", "one"), ("c", "two"), ("d", "two"))
    ]

    assert why(*pairs).reason is Reason.MISFIT


def test_where_a_group_is_there_it_is_the_leader_the_tables_or_somebody_who_left() -> None:
    pair = ticket("a"), ticket("b")

    assert why(*pair).reason is Reason.ABSENT
    assert why(*pair, failing=True).reason is Reason.TABLES_FAIL
    assert why(*pair, led=False).reason is Reason.NO_LEADER
    assert why(ticket("a"), led=False).reason is Reason.NO_LEADER
    assert why(ticket("a"), failing=True).reason is Reason.TOO_FEW
