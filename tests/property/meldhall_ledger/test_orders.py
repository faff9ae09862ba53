"""Random orders: the pure books against a naive model, and the database against the pure books."""

import asyncio
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from tests.fixtures.ledger import read_books
from tests.fixtures.orders import POT, coins, given, pending, post, single, void

from meldhall_ledger.domain.accounts import Balance
from meldhall_ledger.domain.books import Books, Chain, Order, Resolve, Verdict, accounts_of, execute
from meldhall_ledger.domain.refusals import Refusal
from meldhall_ledger.domain.transfers import Phase, Transfer
from meldhall_ledger.store import Ledger, migrate, open_database

NOW = 1_000
NUMBERS = st.integers(1, 12)
NAMES = st.sampled_from(("ann", "ben", "cid"))
AMOUNTS = st.integers(1, 6)


def orders() -> st.SearchStrategy[Order]:
    return st.one_of(
        st.builds(given, NUMBERS, NAMES, AMOUNTS),
        st.builds(lambda n, a, x: single(n, coins(a), POT, x), NUMBERS, NAMES, AMOUNTS),
        st.builds(
            lambda n, a, x, e: pending(n, coins(a), POT, x, e),
            NUMBERS,
            NAMES,
            AMOUNTS,
            st.sampled_from((None, NOW, NOW + 1)),
        ),
        st.builds(post, NUMBERS, NUMBERS, st.one_of(st.none(), AMOUNTS)),
        st.builds(void, NUMBERS, NUMBERS),
    )


CHAINS = st.lists(st.lists(orders(), min_size=1, max_size=4).map(tuple), min_size=1, max_size=12)


@dataclass
class Model:
    """A ledger as one would explain it: a list of what happened, from which everything is worked out."""

    done: list[Order] = field(default_factory=list)

    def posted(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for order in self.done:
            if isinstance(order, Resolve):
                if order.phase is not Phase.POST:
                    continue
                first = self._pending(order.pending_id)
                amount = first.amount if order.amount is None else order.amount
            else:
                if order.phase is not Phase.SINGLE:
                    continue
                first, amount = order, order.amount
            found[str(first.debit)] -= amount
            found[str(first.credit)] += amount
        return found

    def held(self) -> Counter[str]:
        resolved = {order.pending_id for order in self.done if isinstance(order, Resolve)}
        found: Counter[str] = Counter()
        for order in self.done:
            if isinstance(order, Transfer) and order.phase is Phase.PENDING and order.id not in resolved:
                found[str(order.debit)] += order.amount
        return found

    def _pending(self, transfer_id: UUID) -> Transfer:
        return next(o for o in self.done if isinstance(o, Transfer) and o.id == transfer_id)

    def may(self, order: Order) -> bool:
        if any(one.id == order.id for one in self.done):
            return False
        if isinstance(order, Resolve):
            found = [
                one
                for one in self.done
                if isinstance(one, Transfer) and one.id == order.pending_id and one.phase is Phase.PENDING
            ]
            if not found or any(
                isinstance(o, Resolve) and o.pending_id == order.pending_id for o in self.done
            ):
                return False
            late = found[0].expires_at_ms is not None and found[0].expires_at_ms <= NOW
            return not late and (order.amount is None or order.amount <= found[0].amount)
        if order.debit.lowest is None:
            return True
        name = str(order.debit)
        return self.posted()[name] - self.held()[name] >= order.amount

    def chain(self, chain: Chain) -> list[bool]:
        if all(order in self.done for order in chain):
            return [True] * len(chain)
        before = len(self.done)
        for order in chain:
            if not self.may(order):
                del self.done[before:]
                return [False] * len(chain)
            self.done.append(order)
        return [True] * len(chain)


@settings(max_examples=300, deadline=None)
@drawn(chains=CHAINS)
def test_the_books_do_what_the_model_says(chains: list[Chain]) -> None:
    model = Model()
    books = Books(balances={account: Balance(account.unit) for account in accounts_of(chains, {})})

    for chain in chains:
        (verdicts,) = execute(books, [chain], NOW)
        # "Post all" and "post that much" can be the same order to the books; the model knows only equal ones.
        repeated = all(not isinstance(one, Refusal) and not one.created for one in verdicts)
        if repeated:
            continue
        assert [not isinstance(one, Refusal) for one in verdicts] == model.chain(chain)

    posted, held = model.posted(), model.held()
    assert {str(a): (b.posted, b.held) for a, b in books.balances.items()} == {
        str(a): (posted[str(a)], held[str(a)]) for a in books.balances
    }
    assert sum(balance.posted for balance in books.balances.values()) == 0
    assert all(a.lowest is None or b.available >= a.lowest for a, b in books.balances.items())


@settings(max_examples=25, deadline=None)
@drawn(chains=CHAINS, cut=st.integers(0, 12))
def test_the_database_does_what_the_books_say(chains: list[Chain], cut: int) -> None:
    books = Books(balances={account: Balance(account.unit) for account in accounts_of(chains, {})})
    wanted = execute(books, chains, NOW)

    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/ledger.sqlite"
        migrate(url)

        async def work() -> list[tuple[Verdict, ...]]:
            ledger = Ledger(open_database(url), now_ms=lambda: NOW)
            answers = [
                verdict
                for part in (chains[:cut], chains[cut:])
                if part
                for verdict in await ledger.carry_out(part)
            ]
            await ledger.close()
            return answers

        assert asyncio.run(work()) == wanted
        found = read_books(url)

    assert found.balances == {str(a): b.posted for a, b in books.balances.items() if b.posted}
    assert found.held == {str(a): b.held for a, b in books.balances.items() if b.held}
