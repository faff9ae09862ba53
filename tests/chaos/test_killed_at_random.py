"""Processes are killed at random while people play: nothing is lost, nothing happens twice.

A short form runs with every other test; with MELDHALL_CHAOS=long it goes on for many kills and seeds.
"""

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from random import Random  # noqa: TID251 - seeded by the test

import nats
import pytest
from nats.js.errors import NotFoundError
from tests.fixtures.stack import NAMES, Game, OwnBackend, backend
from tests.fixtures.stack_checks import everything_acknowledged_is_there, one_history, settled_once

from meldhall_embedded import StartFailed

LONG = os.environ.get("MELDHALL_CHAOS") == "long"
SEEDS = range(10) if LONG else range(1)
KILLS = 12 if LONG else 3
TABLES = 4 if LONG else 2
SECONDS = 300 if LONG else 60
VICTIMS = ("table", "ledger", "nats")

pytestmark = pytest.mark.timeout(2 * SECONDS)


async def ready(made: OwnBackend) -> None:
    """Wait until every process of the stack is ready."""
    async with asyncio.timeout(60):
        for child in made.supervisor.children.values():
            while True:
                try:
                    await child.wait_ready()
                except StartFailed:
                    await asyncio.sleep(0.05)
                else:
                    break


async def everything_holds(made: OwnBackend, games: list[Game]) -> None:
    for game in games:
        one_history(made, game.table_id)
        everything_acknowledged_is_there(made, game)
        audit = await made.audit(game.table_id)
        assert (audit.difference, audit.rounds) == (None, game.finals[0].match_result.rounds)
        await settled_once(made, game)
    assert made.one("table", "SELECT count(*) - count(DISTINCT event_id) FROM events") == 0


def players_of(table: int) -> tuple[str, ...]:
    """Each table has players of its own: their points are then the totals of one match."""
    return tuple(f"{name}-{table}" for name in NAMES[: 2 + table % 3])


@pytest.mark.parametrize("seed", SEEDS)
async def test_kills_at_random_moments_lose_nothing_and_do_nothing_twice(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - the same kills in every run
    async with backend(tmp_path) as made:
        games = []
        for table in range(TABLES):
            names = players_of(table)
            for name in names:
                await made.give_joker(name, 3)
            games.append(Game(made, await made.open_for(*names, rounds=KILLS), names))
        killed = []
        for _ in range(KILLS):
            await asyncio.sleep(chance.uniform(0.05, 0.6))
            if all(game.done for game in games):
                break
            victim = chance.choice(VICTIMS)
            killed.append(victim)
            made.kill(victim, chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
            await asyncio.sleep(chance.uniform(0, 0.3))
            if victim == "table":
                # Play stands still until it is back; the others are killed while it goes on.
                await ready(made)
        async with asyncio.timeout(SECONDS):
            for game in games:
                await game.finish()
        await ready(made)
        assert len(killed) >= 2
        await everything_holds(made, games)


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_machine_that_loses_power_again_and_again_goes_on_where_it_was(
    tmp_path: Path, seed: int
) -> None:
    chance = Random(f"power {seed}")  # noqa: S311 - the same moments in every run
    names = NAMES[:3]
    acknowledged: dict[str, int] = {}
    table_id = ""
    for cut in range(KILLS // 2 + 1):
        async with backend(tmp_path) as made:
            table_id = table_id or await made.open_for(*names, rounds=4)
            game = Game(made, table_id, names, session=f"{cut}")
            if cut == KILLS // 2:
                async with asyncio.timeout(SECONDS):
                    await game.finish()
                game.remember(acknowledged)
                await everything_holds(made, [game])
                return
            await game.until_moves(5)
            await asyncio.sleep(chance.uniform(0, 0.2))
            for service in made.supervisor.children:
                made.kill(service)
            game.stop()
            acknowledged |= game.acknowledged


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_stream_deleted_again_and_again_while_rounds_end_settles_each_once(
    tmp_path: Path, seed: int
) -> None:
    chance = Random(f"stream {seed}")  # noqa: S311 - the same moments in every run
    names = NAMES[:2]
    async with backend(tmp_path) as made:
        game = Game(made, await made.open_for(*names, rounds=2 * KILLS), names)
        client = await nats.connect(f"nats://127.0.0.1:{made.ports.nats}")
        for _ in range(KILLS):
            await asyncio.sleep(chance.uniform(0.1, 0.5))
            # The relay may not have noticed the last time yet.
            with contextlib.suppress(NotFoundError):
                await client.jetstream().delete_stream("MELDHALL_EVENTS")
        await client.close()
        async with asyncio.timeout(SECONDS):
            await game.finish()
        await everything_holds(made, [game])
