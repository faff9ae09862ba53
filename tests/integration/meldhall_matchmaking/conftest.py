from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.fixtures.matchmaking import FakeTables

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
