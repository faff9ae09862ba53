"""The queue over time, with a clock that the test moves: who comes, goes, waits, and is left."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.meldhall_matchmaking.crowds import SECOND, crowds, entries, fit, full_groups

from meldhall_matchmaking.domain.queue import Proposal, Queue, propose
from meldhall_matchmaking.domain.ticket import Ticket, Wish
from meldhall_matchmaking.domain.windows import BOUND_MS

TICK_MS = 250
SPAN = 40 * SECOND


@dataclass(frozen=True, slots=True)
class Evening:
    """Who comes when, and who of them loses patience when."""

    tickets: list[Ticket]
    leaves_at_ms: dict[str, int]


@st.composite
def evenings(draw: st.DrawFn) -> Evening:
    made = draw(crowds(span=SPAN, size=12))
    patience = st.one_of(st.none(), st.integers(0, 90 * SECOND))
    leaves = {one.ticket_id: (one.enqueued_at_ms, draw(patience)) for one in made}
    return Evening(made, {name: at + after for name, (at, after) in leaves.items() if after is not None})


def run(
    evening: Evening, until_ms: int, step_ms: int, *, most: int | None = None, work: int | None = None
) -> tuple[list[tuple[int, Proposal]], Queue]:
    """Let the evening pass; return when who was put together, and the queue at its end."""
    queue, found = Queue(), []
    coming = sorted(evening.tickets, key=lambda one: (one.enqueued_at_ms, one.ticket_id))
    for now in range(0, until_ms + step_ms, step_ms):
        while coming and coming[0].enqueued_at_ms <= now:
            queue.add(coming.pop(0), now)
        for ticket_id, at in evening.leaves_at_ms.items():
            if at <= now:
                queue.remove(ticket_id)
        found += [(now, one) for one in queue.tick(now, most=most, work=work)]
    return found, queue


@settings(max_examples=40)
@given(evenings())
def test_a_queue_that_looks_only_at_what_changed_leaves_no_table_that_could_be_filled(
    evening: Evening,
) -> None:
    for now in (SPAN // 2, SPAN, SPAN + BOUND_MS):
        found, queue = run(evening, now, 4 * TICK_MS)

        assert next(full_groups(list(queue), now), None) is None
        assert propose(list(queue), now) == ()
        for at, one in found:
            assert fit(entries(one.tickets, at))


@settings(max_examples=40)
@given(evenings())
def test_nobody_is_seated_twice_or_after_leaving(evening: Evening) -> None:
    found, queue = run(evening, SPAN + BOUND_MS, 4 * TICK_MS)

    seated = [one.ticket_id for _, proposal in found for one in proposal.tickets]
    assert len(set(seated)) == len(seated)
    assert not {one.ticket_id for one in queue} & set(seated)
    for at, proposal in found:
        for one in proposal.tickets:
            assert one.enqueued_at_ms <= at
            assert at < evening.leaves_at_ms.get(one.ticket_id, at + 1)


@settings(max_examples=30)
@given(evenings(), st.integers(1, 3), st.integers(1, 40))
def test_a_tick_that_does_little_at_a_time_leaves_nobody_out(evening: Evening, most: int, work: int) -> None:
    _, queue = run(evening, SPAN + 2 * BOUND_MS, TICK_MS, most=most, work=work)

    assert next(full_groups(list(queue), SPAN + 2 * BOUND_MS), None) is None


@settings(max_examples=40)
@given(evenings())
def test_the_same_evening_goes_the_same_way(evening: Evening) -> None:
    once, _ = run(evening, SPAN, TICK_MS)
    again, _ = run(evening, SPAN, TICK_MS)

    assert once == again


@settings(max_examples=40)
@given(evenings())
def test_a_queue_that_everybody_left_keeps_nothing(evening: Evening) -> None:
    _, queue = run(evening, SPAN + BOUND_MS, 4 * TICK_MS)
    for one in list(queue):
        queue.remove(one.ticket_id)
    queue.tick(SPAN + 10 * BOUND_MS)

    kept = {name: value for name, value in vars(queue).items() if value}
    assert kept == {}


@given(st.integers(1, 20), st.integers(2, 20))
def test_who_found_nobody_yet_is_not_overtaken_by_who_comes_with_the_next(wait: int, others: int) -> None:
    queue, wish = Queue(), Wish("rummy101", (), 2, 1)
    ann = Ticket("t00", "ann", wish, 0, 60 * SECOND, 0, blocked=frozenset({"ben"}))
    queue.add(ann, 0)
    assert queue.tick(0) == ()
    for number in range(others):
        name = "ben" if number == 0 else f"p{number}"
        queue.add(Ticket(f"t{number + 1:02}", name, wish, wait, 60 * SECOND, wait), wait)

    first = queue.tick(wait)[0]

    assert [one.player_id for one in first.tickets] == ["ann", "p1"]
