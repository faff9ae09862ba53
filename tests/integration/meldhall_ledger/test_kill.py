import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from tests.fixtures.ledger import envelopes, read_books, round_ended
from tests.fixtures.table_streams import Publisher, TableServer, publisher, table_server
from tests.fixtures.waiting import until

from meldhall_embedded import NatsServer
from meldhall_ledger.store import migrate
from meldhall_runtime import TokenVerifier, generate_keypair

RUN = (
    "import sys; from meldhall_ledger.app import bind; from meldhall_ledger.config import LedgerSettings; "
    "from meldhall_runtime import load_settings, run_service; "
    "sys.exit(run_service('ledger', load_settings(LedgerSettings), bind))"
)
ROOT = Path(__file__).parents[3]


class Installation:
    """A ledger that is a process of its own, and all that it needs."""

    def __init__(self, url: str, environment: dict[str, str], table: TableServer, events: Publisher) -> None:
        self.url = url
        self.table = table
        self.events = events
        self._environment = environment
        self.processes: list[asyncio.subprocess.Process] = []

    async def start(self, failpoint: str = "") -> asyncio.subprocess.Process:
        environment = {**self._environment, "MELDHALL_FAILPOINT": failpoint}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", RUN, env=environment, stderr=asyncio.subprocess.DEVNULL
        )
        self.processes.append(process)
        return process


@pytest_asyncio.fixture
async def installation(nats: NatsServer, tmp_path: Path) -> AsyncIterator[Installation]:
    files = generate_keypair(tmp_path / "keys")
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    migrate(url)
    verifier = TokenVerifier.from_file(files.public_key_file)
    async with table_server(verifier) as table, publisher(nats) as events:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT / "libs"), str(ROOT / "services"))),
            "MELDHALL_NATS_URL": nats.url,
            "MELDHALL_AUTH_PUBLIC_KEY_FILE": str(files.public_key_file),
            "MELDHALL_AUTH_SIGNING_KEY_FILE": str(files.signing_key_file),
            "MELDHALL_LEDGER_DATABASE_URL": url,
            "MELDHALL_LEDGER_PORT": "0",
            "MELDHALL_LEDGER_ADMIN_PORT": "0",
            "MELDHALL_LEDGER_TABLE_ADDRESS": table.address,
            "MELDHALL_LEDGER_ACK_WAIT_SECONDS": "1",
            "MELDHALL_DIE_WITH_PARENT": "1",
        }
        made = Installation(url, environment, table, events)
        yield made
        for process in made.processes:
            if process.returncode is None:
                process.kill()
                await process.wait()


@pytest.mark.parametrize(
    ("failpoint", "settled_at_death"), [("ledger.before_commit", 0), ("ledger.after_commit", 1)]
)
async def test_a_ledger_killed_around_its_commit_settles_the_round_once(
    installation: Installation, failpoint: str, settled_at_death: int
) -> None:
    stream = envelopes("t", [round_ended("t", n, {"ann": 101, "ben": -101}) for n in (1, 2)])
    installation.table.streams["t"] = stream
    await installation.events.publish(stream)

    dying = await installation.start(failpoint)
    assert await asyncio.wait_for(dying.wait(), 20) == 137
    assert read_books(installation.url).settled == settled_at_death

    living = await installation.start()
    await until(lambda: read_books(installation.url).settled == 2, 20)
    books = read_books(installation.url)
    living.send_signal(signal.SIGTERM)

    assert await asyncio.wait_for(living.wait(), 20) == 0
    assert books.balances == {"player:ann:points": 202, "player:ben:points": -202}
    assert len(books.transfers) == 4
    assert read_books(installation.url) == books


def _settled(url: str, least: int) -> bool:
    return read_books(url).settled >= least


async def test_a_ledger_that_is_killed_again_and_again_settles_everything_once(
    installation: Installation,
) -> None:
    stream = envelopes("t", [round_ended("t", n, {"ann": 101, "ben": -101}) for n in range(1, 101)])
    installation.table.streams["t"] = stream
    await installation.events.publish(stream)

    for least in (1, 40):
        process = await installation.start()
        await until(partial(_settled, installation.url, least), 20)
        process.kill()
        await process.wait()
    await installation.start()
    await until(lambda: read_books(installation.url).settled == 100, 20)

    assert read_books(installation.url).balances["player:ann:points"] == 100 * 101
