from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.fixtures.matchmaking import FakeTables

from meldhall_matchmaking.store import TicketStore, migrate, open_database
from meldhall_runtime.testing import Keys


@pytest.fixture
def keys() -> Keys:
    return Keys()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matchmaking.sqlite"


@pytest.fixture
def tables(keys: Keys) -> FakeTables:
    return FakeTables(keys)


@pytest_asyncio.fixture
async def table_address(tables: FakeTables) -> AsyncIterator[str]:
    async with tables.serve() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of matchmaking's database, of each kind one after the other."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'matchmaking.sqlite'}"
    return str(request.getfixturevalue("postgres_matchmaking_url"))


@pytest_asyncio.fixture
async def store(url: str) -> AsyncIterator[TicketStore]:
    migrate(url)
    opened = TicketStore(open_database(url))
    yield opened
    await opened.close()
