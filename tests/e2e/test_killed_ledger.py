"""The ledger dies around its commit, or is away for a whole match: each round is settled once."""

import asyncio
import signal
from pathlib import Path

import pytest
from tests.fixtures.stack import NAMES, backend
from tests.fixtures.stack_checks import settled_once, settlements
from tests.fixtures.waiting import until

RESERVING = 2.0
"""Seconds that the table gives the ledger before a round is dealt; nothing else may wait for it."""


@pytest.mark.parametrize(("failpoint", "settled"), [("ledger.before_commit", 0), ("ledger.after_commit", 1)])
async def test_a_ledger_killed_around_its_commit_settles_each_round_once(
    tmp_path: Path, failpoint: str, settled: int
) -> None:
    names = NAMES[:2]
    async with backend(tmp_path, {"MELDHALL_FAILPOINT": failpoint}) as made:
        table_id = await made.open_for(*names, rounds=2)
        game = await made.play(table_id, *names)
        await until(lambda: made.supervisor.restarts["ledger"] >= 1, 20)
        # Killed before the commit: nothing, however often it is tried; after it: a round each time.
        if settled:
            await made.settled(table_id, 1)
        else:
            assert settlements(made, table_id) == []
            assert made.books().transfers == frozenset()

        made.set_environment("ledger", MELDHALL_FAILPOINT="")
        made.kill("ledger")
        await settled_once(made, game)


async def test_a_match_is_played_without_a_ledger_which_then_catches_up(tmp_path: Path) -> None:
    names = NAMES[:3]
    async with backend(tmp_path) as made:
        for name in names:
            await made.give_joker(name)
        async with made.down("ledger"):
            table_id = await made.open_for(*names, rounds=2)
            game = await made.play(table_id, *names)
            assert game.slowest < RESERVING
            # Nobody could hold jokers ready: the button stayed dark, and the rounds were dealt.
            assert [view.round.own_spare_jokers for view in game.finals] == [0, 0, 0]
        await settled_once(made, game)
        assert made.supervisor.restarts["table"] == 0


async def test_a_ledger_that_hangs_holds_up_a_deal_for_its_budget_and_no_move(tmp_path: Path) -> None:
    names = NAMES[:2]
    async with backend(tmp_path) as made:
        made.kill("ledger", signal.SIGSTOP)
        started = asyncio.get_running_loop().time()
        table_id = await made.open_for(*names)
        await made.sit(table_id, *names)
        await made.on_turn(table_id, names)
        assert asyncio.get_running_loop().time() - started < 2 * RESERVING
        game = await made.play(table_id, *names)
        assert game.slowest < RESERVING / 2
        made.kill("ledger", signal.SIGCONT)
        await settled_once(made, game)
        assert made.supervisor.restarts["ledger"] == 0
