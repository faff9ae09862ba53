"""Orders of many callers at once: nobody spends what another has spent, and a lock is no lack of funds."""

import asyncio
from collections import Counter
from random import Random  # noqa: TID251 - of a test

from tests.fixtures.ledger import read_books
from tests.fixtures.orders import POT, coins, given, pending, post, single, void

from meldhall_ledger.domain.books import Order, Posted
from meldhall_ledger.store import Ledger


async def verdict(ledger: Ledger, order: Order) -> str:
    ((one,),) = await ledger.carry_out([(order,)])
    return "done" if isinstance(one, Posted) else one.code


async def all_at_once(ledger: Ledger, *orders: Order) -> Counter[str]:
    return Counter(await asyncio.gather(*(verdict(ledger, order) for order in orders)))


async def test_two_hundred_debits_of_a_balance_good_for_a_hundred(ledger: Ledger, url: str) -> None:
    await verdict(ledger, given(1, "ann", 100))

    found = await all_at_once(ledger, *(single(10 + n, coins("ann"), POT, 1) for n in range(200)))

    assert found == {"done": 100, "INSUFFICIENT": 100}
    assert read_books(url).balances == {"issue:coins": -100, str(POT): 100}


async def test_one_of_many_posts_of_one_escrow_wins(ledger: Ledger) -> None:
    await verdict(ledger, given(1, "ann", 10))
    await verdict(ledger, pending(2, coins("ann"), POT, 10))

    found = await all_at_once(ledger, *(post(10 + n, 2) if n % 2 else void(10 + n, 2) for n in range(50)))

    assert found["done"] == 1
    assert found.keys() <= {"done", "PENDING_POSTED", "PENDING_VOIDED"}


async def test_one_id_from_many_callers_is_one_transfer(ledger: Ledger, url: str) -> None:
    await verdict(ledger, given(1, "ann", 100))

    found = await all_at_once(ledger, *[single(2, coins("ann"), POT, 7)] * 60)

    assert found == {"done": 60}
    assert read_books(url).balances[str(POT)] == 7


async def test_opposing_transfers_in_any_order_never_stand_in_each_others_way(
    ledger: Ledger, url: str
) -> None:
    names = ("ann", "ben", "cid", "dan")
    chance = Random(5)  # noqa: S311 - a test
    for number, name in enumerate(names, 1):
        await verdict(ledger, given(number, name, 1_000))
    pairs = [chance.sample(names, 2) for _ in range(200)]

    found = await all_at_once(
        ledger, *(single(10 + n, coins(one), coins(two), 1) for n, (one, two) in enumerate(pairs))
    )

    assert found == {"done": 200}
    gained = Counter(two for _, two in pairs)
    gained.subtract(one for one, _ in pairs)
    assert {name: read_books(url).balances[str(coins(name))] for name in names} == {
        name: 1_000 + gained[name] for name in names
    }


async def test_a_caller_that_goes_away_leaves_nothing_half_done(ledger: Ledger, url: str) -> None:
    await verdict(ledger, given(1, "ann", 1_000))
    callers = [asyncio.create_task(verdict(ledger, single(10 + n, coins("ann"), POT, 1))) for n in range(100)]
    await asyncio.sleep(0)
    for caller in callers[::2]:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)

    # Whatever became of those that went away, sending the same again ends in the same place.
    assert await all_at_once(ledger, *(single(10 + n, coins("ann"), POT, 1) for n in range(100))) == {
        "done": 100
    }
    assert read_books(url).balances[str(POT)] == 100


async def test_what_is_overdue_is_released_once(ledger: Ledger, url: str) -> None:
    past = 1_600_000_000_000
    await verdict(ledger, given(1, "ann", 10))
    await verdict(ledger, pending(2, coins("ann"), POT, 4, past))
    await verdict(ledger, pending(3, coins("ann"), POT, 3))
    assert read_books(url).held == {str(coins("ann")): 7}

    assert sorted(await asyncio.gather(*(ledger.expire() for _ in range(5)))) == [0, 0, 0, 0, 1]

    assert read_books(url).held == {str(coins("ann")): 3}
    assert await verdict(ledger, post(4, 2)) == "PENDING_EXPIRED"
