"""What the cases of the leases share: two processes over one database, and a clock that a test sets."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection

from meldhall_eventlog.leases import ShardLeases
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.testing.base import EventLogCase


class Clock:
    """A database's clock that a test sets; milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self, _connection: Connection) -> int:
        """Say what time it is."""
        return self.now


class LeaseCase(EventLogCase):
    """Two logs over one database, as two processes have them, and one clock."""

    @pytest.fixture
    def clock(self) -> Clock:
        """Return the clock of the database."""
        return Clock()

    @pytest.fixture
    async def other_log(self, url: str) -> AsyncIterator[SqlEventLog]:
        """Open a second log over the same database."""
        log = await self.open_log(url)
        yield log
        await log.close()

    @pytest.fixture
    def leases(self, log: SqlEventLog, clock: Clock) -> ShardLeases:
        """Return the leases as the first process sees them."""
        return ShardLeases(log.database, clock=clock)

    @pytest.fixture
    def others(self, other_log: SqlEventLog, clock: Clock) -> ShardLeases:
        """Return the leases as the second process sees them."""
        return ShardLeases(other_log.database, clock=clock)
