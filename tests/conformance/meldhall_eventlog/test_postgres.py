"""The log's suite over PostgreSQL."""

import pytest
from sqlalchemy import text

from meldhall_eventlog import LOG_SCHEMA
from meldhall_eventlog.postgres import create_engine
from meldhall_eventlog.testing import EventLogConformance, LeaseConformance


class TestPostgres(EventLogConformance, LeaseConformance):
    @pytest.fixture
    def url(self, postgres_log_url: str) -> str:
        return postgres_log_url

    async def execute_raw(self, url: str, statement: str) -> None:
        engine = create_engine(url, schema=LOG_SCHEMA)
        try:
            async with engine.begin() as connection:
                await connection.execute(text(statement))
        finally:
            await engine.dispose()
