import time

import pytest

from meldhall_runtime.clock import SystemClock
from meldhall_runtime.testing import ManualClock
from meldhall_table.owner.lag import IN_TIME, TOO_LATE, LagWatch


class Told:
    def __init__(self) -> None:
        self.changes: list[bool] = []

    async def __call__(self, slow: bool) -> None:
        self.changes.append(slow)


async def test_one_hiccup_is_no_reason_to_give_tables_away() -> None:
    told = Told()
    watch = LagWatch(ManualClock(), 1.0, told)
    for lag in (30.0, 0.0, 1.5, 0.9, 1.5):
        await watch.measured(lag)
    assert told.changes == []


async def test_an_engine_that_stays_slow_is_slow_and_comes_back_when_it_is_well_below_the_limit() -> None:
    told = Told()
    watch = LagWatch(ManualClock(), 1.0, told)
    for _ in range(TOO_LATE + 5):
        await watch.measured(1.1)
    assert told.changes == [True]
    for _ in range(3 * IN_TIME):
        await watch.measured(0.9)
    assert told.changes == [True], "that is not well below"
    for _ in range(IN_TIME - 1):
        await watch.measured(0.1)
    await watch.measured(0.6)
    for _ in range(IN_TIME):
        assert told.changes == [True]
        await watch.measured(0.1)
    assert told.changes == [True, False]


class Stuck(SystemClock):
    """A loop in which every sleeper is woken late, because something blocks it."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(0)
        time.sleep(seconds + 0.06)  # noqa: ASYNC251 - it is the fault that is tried


async def test_a_blocked_loop_is_measured() -> None:
    class Enough(Exception):
        pass

    async def change(slow: bool) -> None:
        assert slow
        raise Enough

    with pytest.raises(Enough):
        await LagWatch(Stuck(), 0.05, change).run()
