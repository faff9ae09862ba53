from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.fixtures.ledger_api import api
from tests.fixtures.nats import nats

from meldhall_ledger.store import Ledger, migrate, open_database

__all__ = ["api", "nats"]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of the ledger's database, of each kind one after the other."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    return str(request.getfixturevalue("postgres_ledger_url"))


@pytest_asyncio.fixture
async def ledger(url: str) -> AsyncIterator[Ledger]:
    migrate(url)
    opened = Ledger(open_database(url), now_ms=lambda: 1_700_000_000_000)
    yield opened
    await opened.close()
