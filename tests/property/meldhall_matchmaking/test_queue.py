"""What must hold of every grouping, whoever waits."""

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from meldhall_matchmaking.domain.queue import propose
from meldhall_matchmaking.domain.ticket import Ticket, Wish

NOW = 20

wishes = st.builds(
    Wish,
    game=st.just("rummy101"),
    options=st.sampled_from([(("opening", "fixed"),), (("opening", "rising"),)]),
    seats=st.integers(2, 4),
    rounds=st.sampled_from([1, 3]),
)
few_wishes = st.lists(wishes, min_size=1, max_size=3)


@st.composite
def pools(draw: st.DrawFn) -> list[Ticket]:
    kinds = draw(few_wishes)
    rows = draw(
        st.lists(st.tuples(st.sampled_from(kinds), st.integers(0, 20), st.integers(0, 20)), max_size=30)
    )
    tickets = [
        Ticket(f"t{number:02}", f"p{number:02}", wish, at, at + wait, at)
        for number, (wish, at, wait) in enumerate(rows)
    ]
    return draw(st.permutations(tickets))


@given(pools())
def test_a_ticket_is_in_one_proposal_at_most_and_only_with_its_like(waiting: list[Ticket]) -> None:
    proposals = propose(waiting, NOW)

    assert max(Counter(one for each in proposals for one in each.tickets).values(), default=1) == 1
    assert {one for each in proposals for one in each.tickets} <= set(waiting)
    for each in proposals:
        assert 1 <= len(each.tickets) <= each.wish.seats
        assert {one.wish for one in each.tickets} == {each.wish}


@given(pools(), st.data())
def test_a_player_never_sits_twice(waiting: list[Ticket], data: st.DataObject) -> None:
    names = st.sampled_from(["a", "b", "c", "d"])
    shared = [Ticket(one.ticket_id, data.draw(names), one.wish, one.enqueued_at_ms, 0, 0) for one in waiting]

    seated = Counter(one.player_id for each in propose(shared, NOW) for one in each.tickets)

    assert set(seated) == {one.player_id for one in shared}
    assert max(seated.values(), default=1) == 1


@given(pools())
def test_a_table_is_proposed_as_soon_as_it_is_full_and_the_oldest_sit_at_it(waiting: list[Ticket]) -> None:
    proposals = propose(waiting, NOW)

    pool: dict[Wish, list[Ticket]] = defaultdict(list)
    for one in sorted(waiting, key=lambda one: (one.enqueued_at_ms, one.ticket_id)):
        pool[one.wish].append(one)
    for wish, tickets in pool.items():
        taken = [one for each in proposals if each.wish == wish for one in each.tickets]
        assert taken == tickets[: len(taken)]
        assert len(tickets) - len(taken) < wish.seats


@given(pools())
def test_whoever_waited_for_bots_long_enough_is_in_a_proposal(waiting: list[Ticket]) -> None:
    seated = {one for each in propose(waiting, NOW) for one in each.tickets}

    assert {one for one in waiting if one.bots_at_ms <= NOW} <= seated


@given(pools())
def test_a_table_has_bots_only_where_somebody_waited_long_enough(waiting: list[Ticket]) -> None:
    for each in propose(waiting, NOW):
        if len(each.tickets) < each.wish.seats:
            assert min(one.bots_at_ms for one in each.tickets) <= NOW


@given(pools(), st.randoms(use_true_random=False))
def test_the_order_in_which_tickets_are_given_does_not_matter(waiting: list[Ticket], chance: object) -> None:
    shuffled = sorted(waiting, key=lambda _: chance.random())  # type: ignore[attr-defined]

    assert propose(shuffled, NOW) == propose(waiting, NOW) == propose(tuple(reversed(waiting)), NOW)


@given(pools())
def test_the_oldest_proposal_comes_first(waiting: list[Ticket]) -> None:
    ages = [(each.tickets[0].enqueued_at_ms, each.tickets[0].ticket_id) for each in propose(waiting, NOW)]

    assert ages == sorted(ages)
