"""The log's suite over SQLite."""

from pathlib import Path

import pytest
from sqlalchemy import text

from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.sqlite import create_engine
from meldhall_eventlog.testing import EventLogConformance, LeaseConformance


class TestSqlite(EventLogConformance, LeaseConformance):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        url = f"sqlite+aiosqlite:///{tmp_path / 'log.db'}"
        upgrade(url)
        return url

    async def execute_raw(self, url: str, statement: str) -> None:
        engine = create_engine(url)
        try:
            async with engine.begin() as connection:
                await connection.execute(text(statement))
        finally:
            await engine.dispose()
