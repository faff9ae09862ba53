"""NATS dies, or forgets everything: play does not notice, and the ledger still settles every round once."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import nats
import pytest
import pytest_asyncio
from tests.fixtures.stack import NAMES, Backend, Game, OwnBackend, backend
from tests.fixtures.stack_checks import everything_acknowledged_is_there, one_history, settled_once
from tests.fixtures.waiting import until

STREAM = "MELDHALL_EVENTS"
A_MOVE_WITHOUT_WAITING = 2.0
"""Seconds; a move on a busy machine takes hundredths, a timeout on NATS five."""

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OwnBackend]:
    async with backend(tmp_path_factory.mktemp("backend")) as running:
        yield running


async def test_play_goes_on_while_nats_is_dead_and_the_ledger_catches_up(made: OwnBackend) -> None:
    names = NAMES[:3]
    table_id = await made.open_for(*names, rounds=3)
    game = Game(made, table_id, names)
    await game.until_moves(6)
    async with made.down("nats"):
        moves = game.moves
        async with asyncio.timeout(30):
            await game.finish()
        assert game.moves > moves + 20
        assert game.slowest < A_MOVE_WITHOUT_WAITING
    assert (made.supervisor.restarts["table"], made.supervisor.restarts["ledger"]) == (0, 0)
    await settled_once(made, game)
    everything_acknowledged_is_there(made, game)
    one_history(made, table_id)


async def stored_ids(made: Backend) -> list[str]:
    """Read the whole stream of NATS: the message ids, which are those of the events."""
    client = await nats.connect(f"nats://127.0.0.1:{made.ports.nats}")
    try:
        js = client.jetstream()
        info = await js.stream_info(STREAM)
        found = []
        for sequence in range(info.state.first_seq, info.state.last_seq + 1):
            message = await js.get_msg(STREAM, sequence)
            found.append((message.headers or {})["Nats-Msg-Id"])
        return found
    finally:
        await client.close()


async def wholly_relayed(made: Backend) -> None:
    """Wait until the relay has nothing left to publish, and fail unless the stream then has every event."""
    last = "SELECT max(position) FROM events WHERE public_seq IS NOT NULL"
    relayed = "SELECT position FROM checkpoints WHERE name = 'table-engine'"
    await until(lambda: made.one("table", relayed) == made.one("table", last), 20)
    in_log = [
        event_id
        for (event_id,) in made.sql(
            "table", "SELECT event_id FROM events WHERE public_seq IS NOT NULL ORDER BY position"
        )
    ]
    in_nats = await stored_ids(made)
    assert [one.split("/")[0].split(".")[0] for one in in_nats[-len(in_log) :]] == in_log


async def test_a_stream_deleted_while_everything_runs_is_filled_again_and_settles_nothing_twice(
    made: OwnBackend,
) -> None:
    names = ("eve", "finn")
    first = await made.play(await made.open_for(*names, rounds=2), *names)
    await settled_once(made, first)
    before = made.books()

    client = await nats.connect(f"nats://127.0.0.1:{made.ports.nats}")
    await client.jetstream().delete_stream(STREAM)
    await client.close()
    second = await made.play(await made.open_for("gus", "hana"), "gus", "hana")

    await settled_once(made, second)
    await settled_once(made, first)
    assert before.transfers < made.books().transfers
    await wholly_relayed(made)


async def test_a_stream_whose_folder_was_deleted_is_filled_again_and_settles_nothing_twice(
    tmp_path: Path,
) -> None:
    names = NAMES[:2]
    async with backend(tmp_path) as before_it:
        first = await before_it.play(await before_it.open_for(*names, rounds=2), *names)
        await settled_once(before_it, first)
        books = before_it.books()
    shutil.rmtree(tmp_path / "nats" / "jetstream")

    async with backend(tmp_path) as after_it:
        await wholly_relayed(after_it)
        await settled_once(after_it, first)
        assert after_it.books() == books
        second = await after_it.play(await after_it.open_for("cleo", "dan"), "cleo", "dan")
        await settled_once(after_it, second)
        await settled_once(after_it, first)
