import asyncio

from meldhall_runtime.testing import START_MS, ManualClock
from meldhall_table.owner.alarms import LEAST_TO_CLEAR, Alarms


async def test_alarms_ring_in_the_order_of_their_times_and_not_before() -> None:
    clock, rung = ManualClock(), []
    alarms = Alarms(clock)
    for name, after in (("late", 900), ("soon", 300), ("next", 600)):
        alarms.set(START_MS + after, lambda name=name: rung.append((name, clock.now_ms() - START_MS)))  # type: ignore[misc]
    await clock.advance(0.299)
    assert rung == []
    await clock.advance(0.4)
    assert rung == [("soon", 300), ("next", 600)]
    await clock.advance(1)
    assert rung[2:] == [("late", 900)]
    assert len(alarms) == 0


async def test_an_alarm_that_is_earlier_than_all_others_is_not_slept_over() -> None:
    clock, rung = ManualClock(), []
    alarms = Alarms(clock)
    alarms.set(START_MS + 60_000, lambda: rung.append("late"))
    await clock.advance(1)
    alarms.set(START_MS + 2_000, lambda: rung.append("soon"))
    await clock.advance(1.5)
    assert rung == ["soon"]


async def test_what_is_past_rings_at_once_also_from_within_another_alarm() -> None:
    clock, rung = ManualClock(), []
    alarms = Alarms(clock)

    def again() -> None:
        rung.append("first")
        alarms.set(START_MS - 1, lambda: rung.append("second"))

    alarms.set(START_MS - 5, again)
    await clock.advance(0)
    assert rung == ["first", "second"]


async def test_an_alarm_that_was_taken_back_is_silent() -> None:
    clock, rung = ManualClock(), []
    alarms = Alarms(clock)
    alarm = alarms.set(START_MS + 10, lambda: rung.append("never"))
    alarms.set(START_MS + 20, lambda: rung.append("rings"))
    alarm.cancel()
    alarm.cancel()
    assert len(alarms) == 1
    await clock.advance(1)
    assert rung == ["rings"]
    assert len(alarms) == 0


async def test_a_table_that_sets_its_alarm_again_and_again_fills_no_memory() -> None:
    alarms = Alarms(ManualClock())
    for number in range(20 * LEAST_TO_CLEAR):
        alarms.set(START_MS + 60_000 + number, lambda: None).cancel()
    assert len(alarms) == 0
    assert len(alarms._heap) < 3 * LEAST_TO_CLEAR
    alarms.close()


async def test_all_alarms_share_one_task() -> None:
    clock = ManualClock()
    alarms = Alarms(clock)
    before = len(asyncio.all_tasks())
    for number in range(5_000):
        alarms.set(START_MS + 1_000 + number, lambda: None)
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == before + 1
    assert clock.sleepers() == 1
    alarms.close()
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == before
