"""Two ledgers over one database, as two processes have them: on PostgreSQL their transactions overlap."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from tests.fixtures.ledger import ended, grant, read_books, reservation
from tests.fixtures.orders import POT, coins, given, pending, post, single, void

from meldhall_ledger.domain.accounts import Balance, Unit
from meldhall_ledger.domain.books import Order, Posted
from meldhall_ledger.domain.happenings import Numbered, TableClosed
from meldhall_ledger.domain.refusals import Refusal
from meldhall_ledger.domain.stakes import Stakes
from meldhall_ledger.store import Applied, Duplicate, Ledger, open_database


@pytest.fixture
async def other(ledger: Ledger, url: str) -> AsyncIterator[Ledger]:
    other = Ledger(open_database(url), now_ms=lambda: 1_700_000_000_000)
    yield other
    await other.close()


async def verdict(ledger: Ledger, order: Order) -> str:
    ((one,),) = await ledger.carry_out([(order,)])
    return "done" if isinstance(one, Posted) else one.code


async def shared(ledger: Ledger, other: Ledger, *orders: Order) -> Counter[str]:
    """Carry orders out, every second one by the other ledger, all at once."""
    both = (ledger, other)
    return Counter(await asyncio.gather(*(verdict(both[n % 2], one) for n, one in enumerate(orders))))


async def test_two_hundred_debits_of_a_balance_good_for_a_hundred(
    ledger: Ledger, other: Ledger, url: str
) -> None:
    await verdict(ledger, given(1, "ann", 100))
    found = await shared(ledger, other, *(single(10 + n, coins("ann"), POT, 1) for n in range(200)))
    assert found == {"done": 100, "INSUFFICIENT": 100}
    assert read_books(url).balances == {"issue:coins": -100, str(POT): 100}
    assert await ledger.reconcile() == []


async def test_forty_grants_that_take_from_a_balance_good_for_twenty(
    ledger: Ledger, other: Ledger, url: str
) -> None:
    await ledger.grant(grant(1, "ann", 20))
    taken = await asyncio.gather(*((ledger, other)[n % 2].grant(grant(10 + n, "ann", -1)) for n in range(40)))
    assert sum(isinstance(one, Balance) for one in taken) == 20
    assert sum(isinstance(one, Refusal) for one in taken) == 20
    assert read_books(url).balances == {}


async def test_the_same_grant_twice_at_once_is_one_and_both_hear_so(
    ledger: Ledger, other: Ledger, url: str
) -> None:
    for number in range(0, 40, 2):
        player = f"player-{number}"
        await ledger.grant(grant(100 + number, player, 3))
        answers = await asyncio.gather(
            *(one.grant(grant(101 + number, player, -3)) for one in (ledger, other))
        )
        assert answers == [Balance(Unit.JOKERS)] * 2
    assert read_books(url).balances == {}


async def test_one_of_many_posts_and_voids_of_one_escrow_wins(ledger: Ledger, other: Ledger) -> None:
    for number in range(0, 1000, 100):
        await verdict(ledger, given(number + 1, "ann", 10))
        await verdict(ledger, pending(number + 2, coins("ann"), POT, 10))
        ends = (
            post(number + n, number + 2) if n % 3 else void(number + n, number + 2) for n in range(10, 22)
        )
        assert (await shared(ledger, other, *ends))["done"] == 1


async def test_opposing_transfers_in_any_order_never_stand_in_each_others_way(
    ledger: Ledger, other: Ledger, url: str
) -> None:
    names = ("ann", "ben", "cid")
    for number, name in enumerate(names, 1):
        await verdict(ledger, given(number, name, 1_000))
    orders = (
        single(10 + n, coins(names[n % 3]), coins(names[(n + 1 + n // 3 % 2) % 3]), 1) for n in range(150)
    )
    assert await shared(ledger, other, *orders) == {"done": 150}
    assert sum(read_books(url).balances.values()) == 0
    assert await ledger.reconcile() == []


async def test_an_event_that_reaches_both_is_taken_once(ledger: Ledger, other: Ledger, url: str) -> None:
    for number in range(1, 16):
        event = Numbered("t", number, ended("t", number, {"ann": 101, "ben": -101}))
        taken = await asyncio.gather(ledger.apply(event), other.apply(event))
        assert {type(one) for one in taken} == {Applied, Duplicate}
    books = read_books(url)
    assert books.settled == 15
    assert books.balances["player:ann:points"] == 15 * 101


async def test_a_table_that_ends_while_jokers_are_reserved_leaves_none_held(
    ledger: Ledger, other: Ledger, url: str
) -> None:
    await ledger.grant(grant(1, "ann", 50))
    for number in range(25):
        table = f"table-{number}"
        await asyncio.gather(
            ledger.reserve_jokers(reservation(table, 1, "ann")),
            other.apply(Numbered(table, 1, TableClosed(table))),
        )
    assert read_books(url).held == {}


async def test_stakes_that_are_returned_twice_while_they_are_held_leave_nothing(
    ledger: Ledger, other: Ledger, url: str
) -> None:
    for number, name in enumerate(("ann", "ben"), 1):
        await ledger.grant(grant(number, name, 5_000, Unit.COINS))
    for number in range(15):
        stakes = Stakes(f"table-{number}", 100, ("ann", "ben"))
        await ledger.hold_stakes(stakes, actor="m")
        returned = await asyncio.gather(*(one.return_stakes(stakes.table_id) for one in (ledger, other)))
        assert sorted(returned) == [0, 2]
    assert read_books(url).held == {}
    assert await ledger.reconcile() == []
