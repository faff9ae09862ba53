"""The log's suite over PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from meldhall_eventlog import LOG_SCHEMA, Database
from meldhall_eventlog.postgres import PostgresDatabase, create_engine
from meldhall_eventlog.testing import EventLogConformance, LeaseConformance, ManyWriterCases


class TestPostgres(EventLogConformance, ManyWriterCases, LeaseConformance):
    @pytest.fixture
    def url(self, postgres_log_url: str) -> str:
        return postgres_log_url

    async def execute_raw(self, url: str, statement: str) -> None:
        async with self.transaction(url) as connection:
            await connection.execute(text(statement))
            await connection.commit()

    @asynccontextmanager
    async def transaction(self, url: str) -> AsyncIterator[AsyncConnection]:
        engine = create_engine(url, schema=LOG_SCHEMA)
        try:
            async with engine.connect() as connection:
                yield connection
        finally:
            await engine.dispose()

    def impatient(self, url: str) -> Database:
        return PostgresDatabase(url, schema=LOG_SCHEMA, session={"lock_timeout": "300ms"})
