"""What orders do to accounts, one case each; ``deploy/docs/ledger.md``, "Orders"."""

from uuid import UUID

import pytest
from tests.fixtures.orders import ISSUE, POT, coins, given, pending, post, single, void

from meldhall_ledger.domain.accounts import AccountId, Balance, Unit, issue, of_player
from meldhall_ledger.domain.books import (
    Books,
    Chain,
    Order,
    PendingState,
    Posted,
    accounts_of,
    chained,
    execute,
)
from meldhall_ledger.domain.refusals import Refusal
from meldhall_ledger.domain.transfers import Kind, Transfer

NOW = 1_000


def books(*chains: Chain, floor: int | None = None) -> Books:
    balances = {account: Balance(account.unit) for account in accounts_of(chains, {})}
    return Books(balances=balances, floor=floor)


def codes(*chains: Chain, on: Books | None = None) -> list[str]:
    verdicts = execute(on or books(*chains), chains, NOW)
    return [one.code if isinstance(one, Refusal) else "ok" for chain in verdicts for one in chain]


def each(*orders: Order) -> list[Chain]:
    return [(order,) for order in orders]


def balance(on: Books, account: AccountId) -> tuple[int, int]:
    return on.balances[account].posted, on.balances[account].held


def test_a_single_transfer_moves_at_once() -> None:
    chains = each(given(1, "ann", 10), single(2, coins("ann"), coins("ben"), 4))
    on = books(*chains)

    assert codes(*chains, on=on) == ["ok", "ok"]
    assert balance(on, coins("ann")) == (6, 0)
    assert balance(on, coins("ben")) == (4, 0)
    assert balance(on, ISSUE) == (-10, 0)


def test_a_pending_transfer_holds_and_moves_nothing() -> None:
    chains = each(given(1, "ann", 10), pending(2, coins("ann"), POT, 4))
    on = books(*chains)

    assert codes(*chains, on=on) == ["ok", "ok"]
    assert balance(on, coins("ann")) == (10, 4)
    assert balance(on, POT) == (0, 0)


@pytest.mark.parametrize(("amount", "moved"), [(None, 4), (3, 3), (4, 4)])
def test_posting_moves_all_or_a_part_and_releases_the_rest(amount: int | None, moved: int) -> None:
    chains = each(given(1, "ann", 10), pending(2, coins("ann"), POT, 4), post(3, 2, amount))
    on = books(*chains)

    assert codes(*chains, on=on) == ["ok"] * 3
    assert balance(on, coins("ann")) == (10 - moved, 0)
    assert balance(on, POT) == (moved, 0)
    assert on.pendings[UUID(int=2)].posted == moved


def test_voiding_releases_all() -> None:
    chains = each(given(1, "ann", 10), pending(2, coins("ann"), POT, 4), void(3, 2))
    on = books(*chains)

    assert codes(*chains, on=on) == ["ok"] * 3
    assert balance(on, coins("ann")) == (10, 0)
    assert on.pendings[UUID(int=2)].state is PendingState.VOIDED


def test_what_is_held_counts_as_gone() -> None:
    chains = each(given(1, "ann", 5_000), *(pending(n, coins("ann"), POT, 1_000) for n in range(2, 8)))

    assert codes(*chains) == ["ok"] * 6 + ["INSUFFICIENT"]


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (post(3, 2), post(4, 2), "PENDING_POSTED"),
        (post(3, 2), void(4, 2), "PENDING_POSTED"),
        (void(3, 2), void(4, 2), "PENDING_VOIDED"),
        (void(3, 2), post(4, 2), "PENDING_VOIDED"),
    ],
)
def test_a_pending_transfer_is_resolved_once(first: Order, second: Order, code: str) -> None:
    chains = each(given(1, "ann", 10), pending(2, coins("ann"), POT, 4), first, second)

    assert codes(*chains) == ["ok", "ok", "ok", code]


@pytest.mark.parametrize(
    ("expires", "code"), [(NOW - 1, "PENDING_EXPIRED"), (NOW, "PENDING_EXPIRED"), (NOW + 1, "ok")]
)
def test_an_overdue_pending_transfer_is_neither_posted_nor_voided(expires: int, code: str) -> None:
    before = each(given(1, "ann", 10), pending(2, coins("ann"), POT, 4, expires))

    assert codes(*before, *each(post(3, 2))) == ["ok", "ok", code]
    assert codes(*before, *each(void(3, 2))) == ["ok", "ok", code]


@pytest.mark.parametrize(
    ("order", "code"),
    [
        (post(3, 9), "PENDING_NOT_FOUND"),
        (void(3, 1), "PENDING_NOT_FOUND"),
        (post(3, 2, 5), "EXCEEDS_PENDING"),
        (single(3, coins("ann"), coins("ben"), 7), "INSUFFICIENT"),
        (pending(3, coins("ann"), POT, 7), "INSUFFICIENT"),
        (pending(2, coins("ann"), POT, 5), "TRANSFER_EXISTS"),
        (single(2, coins("ann"), POT, 4), "TRANSFER_EXISTS"),
        (post(2, 2), "TRANSFER_EXISTS"),
    ],
)
def test_an_order_that_cannot_be_done_is_refused_and_changes_nothing(order: Order, code: str) -> None:
    before = each(given(1, "ann", 10), pending(2, coins("ann"), POT, 4))
    chains = [*before, (order,)]
    on = books(*chains)

    assert codes(*chains, on=on) == ["ok", "ok", code]
    assert balance(on, coins("ann")) == (10, 4)
    assert len(on.entries) == 2
    assert on.pendings[UUID(int=2)].state is PendingState.PENDING


def test_the_same_order_again_has_the_same_answer() -> None:
    orders = (given(1, "ann", 10), pending(2, coins("ann"), POT, 4), post(3, 2))
    on = books(*each(*orders))

    first = execute(on, each(*orders), NOW)
    again = execute(on, each(*orders), NOW)

    assert [one.transfer for (one,) in again if isinstance(one, Posted)] == [
        one.transfer for (one,) in first if isinstance(one, Posted)
    ]
    assert [one.created for (one,) in again if isinstance(one, Posted)] == [False] * 3
    assert len(on.entries) == 3


def test_a_refusal_names_what_differs() -> None:
    (verdict,) = execute(books(*(chains := each(given(1, "ann", 10), given(1, "ben", 11)))), chains, NOW)[1]

    assert isinstance(verdict, Refusal)
    assert verdict.parameters["different"] == "credit,amount"


def test_a_chain_is_done_whole_or_not_at_all() -> None:
    good = (pending(2, coins("ann"), POT, 4), pending(3, coins("ben"), POT, 4))
    bad = (pending(4, coins("ann"), POT, 4), void(6, 2), pending(5, coins("cid"), POT, 4))
    chains = [*each(given(1, "ann", 10), given(7, "ben", 4)), good, bad]
    on = books(*chains)

    assert codes(*chains, on=on) == ["ok"] * 4 + ["LINKED_REFUSED", "LINKED_REFUSED", "INSUFFICIENT"]
    assert balance(on, coins("ann")) == (10, 4)
    assert on.pendings.keys() == {UUID(int=2), UUID(int=3)}
    assert on.pendings[UUID(int=2)].state is PendingState.PENDING
    assert on.touched == {UUID(int=2), UUID(int=3)}
    assert UUID(int=4) not in on.transfers
    assert codes(*each(pending(4, coins("ann"), POT, 6)), on=on) == ["ok"]


def test_a_whole_chain_again_is_answered_and_a_part_of_it_is_refused() -> None:
    start = each(given(1, "ann", 10), given(2, "ben", 10))
    chain = (pending(3, coins("ann"), POT, 4), pending(4, coins("ben"), POT, 4))
    other = (pending(3, coins("ann"), POT, 4), pending(5, coins("ben"), POT, 4))
    on = books(*start, chain, other)

    assert codes(*start, chain, chain, other, on=on) == ["ok"] * 6 + ["TRANSFER_EXISTS", "LINKED_REFUSED"]


def test_one_order_twice_in_a_chain_is_not_two_orders() -> None:
    chain = (given(1, "ann", 10), given(1, "ann", 10))
    on = books(chain)

    assert codes(chain, on=on) == ["LINKED_REFUSED", "TRANSFER_EXISTS"]
    assert on.entries == []


def test_points_may_go_below_zero_down_to_the_floor() -> None:
    ann, nobody = of_player(Unit.POINTS, "ann"), issue(Unit.POINTS)
    chains = each(
        Transfer(
            UUID(int=1), ann, nobody, 150, kind=Kind.CORRECTION, actor="op", reason="r", refers_to=UUID(int=1)
        )
    )
    on = books(*chains)
    assert codes(*chains, on=on) == ["CORRECTED_NOT_FOUND"]

    lost = single(1, ann, nobody, 150)
    assert codes((lost,)) == ["ok"]
    assert codes((lost,), on=books((lost,), floor=-100)) == ["INSUFFICIENT"]
    assert codes((lost,), on=books((lost,), floor=-150)) == ["ok"]


def test_a_correction_names_the_transfer_that_it_makes_good() -> None:
    wrong = given(1, "ann", 10)
    right = Transfer(
        UUID(int=2), coins("ann"), ISSUE, 10, kind=Kind.CORRECTION, actor="op", reason="r", refers_to=wrong.id
    )

    assert codes(*each(wrong, right)) == ["ok", "ok"]


def test_orders_are_cut_into_chains_where_the_link_ends() -> None:
    orders = [given(number, "ann", 1) for number in range(1, 6)]

    assert chained(orders, [False, True, True, False, False]) == [
        (orders[0],),
        (orders[1], orders[2], orders[3]),
        (orders[4],),
    ]
    with pytest.raises(ValueError, match="linked to nothing"):
        chained(orders[:1], [True])
