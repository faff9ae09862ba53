from tests.fixtures.matchmaking import THREE, TWO, ticket

from meldhall_matchmaking.domain.queue import Proposal, propose
from meldhall_matchmaking.domain.ticket import Ticket


def names(proposals: tuple[Proposal, ...]) -> list[list[str]]:
    return [[one.player_id for one in proposal.tickets] for proposal in proposals]


def test_nobody_waits_nobody_is_proposed() -> None:
    assert propose([], 0) == ()


def test_a_full_table_is_proposed_at_once_and_the_rest_waits() -> None:
    waiting = [ticket(name, at=at) for at, name in enumerate("abcde")]

    assert names(propose(waiting, 5)) == [["a", "b"], ["c", "d"]]


def test_only_equal_wishes_meet() -> None:
    other = Ticket("t", "b", TWO.__class__(TWO.game, (("opening", "rising"),), 2, 1), 0, 10_000, 0)

    assert propose([ticket("a"), other, ticket("c", THREE)], 5) == ()


def test_who_waited_long_enough_gets_a_table_with_all_who_wait() -> None:
    waiting = [ticket("a", THREE, bots_at=10), ticket("b", THREE, at=5, bots_at=15)]

    assert propose(waiting, 9) == ()
    assert names(propose(waiting, 10)) == [["a", "b"]]


def test_the_oldest_of_any_pool_comes_first() -> None:
    waiting = [ticket("c", at=3), ticket("b", at=2), ticket("a", THREE, at=1, bots_at=4)]

    assert names(propose(waiting, 4)) == [["a"], ["b", "c"]]


def test_a_shorter_wait_for_bots_counts_although_its_ticket_is_younger() -> None:
    waiting = [ticket("a", THREE, at=0, bots_at=100), ticket("b", THREE, at=1, bots_at=5)]

    assert names(propose(waiting, 5)) == [["a", "b"]]


def test_a_player_with_two_tickets_is_proposed_by_the_newer() -> None:
    """The database lets nobody have two that wait: the older one was cancelled and the news is late."""
    newer = Ticket("ticket-a2", "a", TWO, 1, 1, 1)

    (found,) = propose([newer, ticket("a"), ticket("b", at=2)], 5)

    assert [one.ticket_id for one in found.tickets] == ["ticket-a2", "ticket-b"]
