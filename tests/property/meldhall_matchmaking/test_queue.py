"""What must hold of every grouping, whoever waits."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.property.meldhall_matchmaking.crowds import (
    SECOND,
    crowds,
    entries,
    fit,
    full_groups,
    left,
    names,
    tickets,
    wishes,
)

from meldhall_matchmaking.domain.queue import propose
from meldhall_matchmaking.domain.seating import seat_people
from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_matchmaking.domain.windows import BOUND_MS, obstacle

NOW = 100 * SECOND
CANASTA = Wish("canasta", (), 4, 1)


@given(crowds())
def test_a_ticket_is_in_one_proposal_at_most_and_only_with_its_like(waiting: list[Ticket]) -> None:
    proposals = propose(waiting, NOW)

    assert max(Counter(one for each in proposals for one in each.tickets).values(), default=1) == 1
    assert {one for each in proposals for one in each.tickets} <= set(waiting)
    for each in proposals:
        assert 1 <= len(each.tickets) <= each.wish.seats
        assert {one.wish for one in each.tickets} == {each.wish}


@given(crowds())
def test_whoever_sits_together_accepts_each_other(waiting: list[Ticket]) -> None:
    for each in propose(waiting, NOW):
        assert fit(entries(each.tickets, NOW))


@given(crowds())
def test_parties_stay_whole(waiting: list[Ticket]) -> None:
    for each in propose(waiting, NOW):
        for party, members in Counter(one.party_id for one in each.tickets if one.party_id).items():
            assert members == next(one.party_size for one in waiting if one.party_id == party)


@given(crowds())
def test_no_table_that_could_be_filled_is_left(waiting: list[Ticket]) -> None:
    rest = left(waiting, propose(waiting, NOW))

    assert next(full_groups(rest, NOW), None) is None


@given(crowds(), st.data())
def test_a_player_sits_by_his_newest_ticket_only(waiting: list[Ticket], data: st.DataObject) -> None:
    shared = [
        replace(one, player_id=data.draw(st.sampled_from(["a", "b", "c", "d"])), party_id="", party_size=1)
        for one in waiting
    ]

    seated = [one for each in propose(shared, NOW) for one in each.tickets]

    newest = {
        one.player_id: one for one in sorted(shared, key=lambda one: (one.enqueued_at_ms, one.ticket_id))
    }
    assert len({one.player_id for one in seated}) == len(seated)
    assert set(seated) <= set(newest.values())


@given(crowds())
def test_bots_sit_in_quick_start_only_and_only_after_somebody_waited_long_enough(
    waiting: list[Ticket],
) -> None:
    for each in propose(waiting, NOW):
        if len(each.tickets) < each.wish.seats:
            assert each.wish.play is Play.QUICK
            assert min(one.bots_at_ms for one in each.tickets) <= NOW


@given(crowds())
def test_whoever_waited_for_bots_long_enough_is_in_a_proposal(waiting: list[Ticket]) -> None:
    seated = {one for each in propose(waiting, NOW) for one in each.tickets}
    whole = {one for entry in entries(waiting, NOW) for one in entry.tickets}

    due = {one for one in whole if one.wish.play is Play.QUICK and one.bots_at_ms <= NOW}
    assert due <= seated


@given(crowds(), st.randoms(use_true_random=False))
def test_the_order_in_which_tickets_are_given_does_not_matter(waiting: list[Ticket], chance: object) -> None:
    shuffled = sorted(waiting, key=lambda _: chance.random())  # type: ignore[attr-defined]

    assert propose(shuffled, NOW) == propose(waiting, NOW) == propose(tuple(reversed(waiting)), NOW)


@given(crowds())
def test_the_oldest_proposal_comes_first(waiting: list[Ticket]) -> None:
    ages = [(each.tickets[0].enqueued_at_ms, each.tickets[0].ticket_id) for each in propose(waiting, NOW)]

    assert ages == sorted(ages)


@given(wishes, st.lists(st.integers(0, 90 * SECOND), max_size=12), st.data())
def test_among_those_who_differ_in_age_alone_the_older_sit_first(
    wish: Wish, ages: list[int], data: st.DataObject
) -> None:
    alike = replace(data.draw(tickets(0, wish, 0)), blocked=frozenset(), met=frozenset())
    waiting = [
        replace(
            alike, ticket_id=f"t{number:02}", player_id=f"q{number}", enqueued_at_ms=at, bots_at_ms=NOW + 1
        )
        for number, at in enumerate(ages)
    ]

    rest = left(waiting, propose(waiting, NOW))

    by_age = sorted(waiting, key=lambda one: (one.enqueued_at_ms, one.ticket_id))
    assert sorted(rest, key=by_age.index) == by_age[len(by_age) - len(waiting) % wish.seats :]


@given(wishes, st.data(), st.integers(0, 90 * SECOND), st.integers(0, 90 * SECOND))
def test_accepting_is_mutual_and_does_not_end(wish: Wish, data: st.DataObject, at: int, later: int) -> None:
    pair = [data.draw(tickets(0, wish, 0)), data.draw(tickets(1, wish, at))]
    (one,), (other,) = entries(pair[:1], at), entries(pair[1:], at)

    before = obstacle(one, other)

    assert obstacle(other, one) is before
    if before is None:
        assert fit(entries(pair, at + later))


@given(st.data(), st.integers(1, 13))
def test_who_waited_as_long_as_the_bound_plays_with_anybody_not_blocked(
    data: st.DataObject, count: int
) -> None:
    wish = Wish("rummy101", (), 2, 1, Play.RANKED)
    oldest = data.draw(tickets(0, wish, NOW - BOUND_MS))
    others = [data.draw(tickets(number, wish, NOW)) for number in range(1, count + 1) if number < len(names)]

    seated = {one.player_id for each in propose([oldest, *others], NOW) for one in each.tickets}

    free = [
        one for one in others if one.player_id not in oldest.blocked and oldest.player_id not in one.blocked
    ]
    assert (oldest.player_id in seated) == bool(free)


@given(st.data())
def test_a_party_is_a_team_in_canasta(data: st.DataObject) -> None:
    pairs = data.draw(st.integers(0, 2))
    crowd = [data.draw(tickets(number, CANASTA, 0)) for number in range(data.draw(st.integers(2 * pairs, 4)))]
    waiting = [
        replace(one, party_id=f"party-{number // 2}", party_size=2) if number < 2 * pairs else one
        for number, one in enumerate(crowd)
    ]

    seats = seat_people(CANASTA, data.draw(st.permutations(waiting)))

    assert len(seats) == 4
    assert sorted(one.player_id for one in seats if one) == sorted(one.player_id for one in waiting)
    for seat, one in enumerate(seats):
        if one is not None and one.party_id:
            partner = seats[(seat + 2) % 4]
            assert partner is not None
            assert partner.party_id == one.party_id


@given(st.lists(st.integers(0, 3000), min_size=4, max_size=4), st.permutations([0, 1, 2, 3]))
def test_ranked_teams_are_as_even_as_back_and_forth_makes_them(
    strengths: list[int], order: list[int]
) -> None:
    wish = replace(CANASTA, play=Play.RANKED)
    people = [
        Ticket(f"t{number}", f"p{number}", wish, number, 0, 0, rating=rating)
        for number, rating in enumerate(strengths)
    ]

    seats = [one.rating for one in seat_people(wish, [people[number] for number in order]) if one]

    best, second, third, worst = sorted(strengths, reverse=True)
    assert {frozenset([(seats[0], seats[2])]), frozenset([(seats[1], seats[3])])} == {
        frozenset([(best, worst)]),
        frozenset([(second, third)]),
    }
