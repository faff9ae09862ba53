from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection
from tests.fixtures.ledger import ended, grant, read_books, reservation

from meldhall_eventlog import Database, LogUnavailable
from meldhall_ledger.domain.accounts import Balance, Unit
from meldhall_ledger.domain.happenings import Numbered
from meldhall_ledger.store import Applied, Ledger, migrate, open_database

T = TypeVar("T")
NOW = 1_700_000_000_000


class FlakyDatabase:
    """Fails a number of transactions, half of them before and half of them after their work was done."""

    def __init__(self, inner: Database, failures: int) -> None:
        self._inner = inner
        self.left = failures
        self.one_writer = inner.one_writer

    async def write(self, work: Callable[[Connection], T]) -> T:
        def fail(connection: Connection) -> Any:
            work(connection)
            raise LogUnavailable("could not serialise access")

        if self.left:
            self.left -= 1
            if self.left % 2:
                raise LogUnavailable("database is locked")
            return await self._inner.write(fail)
        return await self._inner.write(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._inner.read(work)

    async def close(self) -> None:
        await self._inner.close()


async def test_a_transaction_that_had_to_wait_is_done_again_with_the_same_result(url: str) -> None:
    migrate(url)
    database = FlakyDatabase(open_database(url), 3)
    ledger = Ledger(database, now_ms=lambda: NOW)

    assert await ledger.grant(grant(1, "ann", 2)) == Balance(Unit.JOKERS, posted=2)
    database.left = 3
    assert await ledger.reserve_jokers(reservation("t", 1, "ann", "ann", "ann")) == (0, 1)
    database.left = 3
    assert isinstance(await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 1, "ben": -1}))), Applied)

    assert database.left == 0
    assert read_books(url).balances["player:ann:points"] == 1
    await ledger.close()


async def test_a_database_that_stays_away_is_never_a_lack_of_funds(url: str) -> None:
    migrate(url)
    ledger = Ledger(FlakyDatabase(open_database(url), 1_000), now_ms=lambda: NOW)

    with pytest.raises(LogUnavailable):
        await ledger.grant(grant(1, "ann", 2))
    await ledger.close()
