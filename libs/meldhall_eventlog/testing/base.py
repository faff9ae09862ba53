"""What the parts of the suite share: a database, a log over it, and a way around the log."""

from collections.abc import AsyncIterator

import pytest

from meldhall_eventlog.sql import SqlEventLog


class EventLogCase:
    """A fresh, migrated database for each test. Subclasses say which."""

    @pytest.fixture
    def url(self) -> str:
        """Return the URL of a fresh, migrated database that ``open_log`` and another process can open."""
        raise NotImplementedError

    async def open_log(self, url: str) -> SqlEventLog:
        """Open a log over the database."""
        return await SqlEventLog.open(url)

    async def execute_raw(self, url: str, statement: str) -> None:
        """Run and commit one statement without the log; raise what the database says against it."""
        raise NotImplementedError

    @pytest.fixture
    async def log(self, url: str) -> AsyncIterator[SqlEventLog]:
        """Open a log for the time of a test."""
        log = await self.open_log(url)
        yield log
        await log.close()
