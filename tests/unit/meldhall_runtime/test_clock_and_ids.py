"""Time and identifiers, and their versions for tests."""

import asyncio

import pytest

from meldhall_runtime.clock import Clock, SystemClock
from meldhall_runtime.ids import ALPHABET, Ids, SystemIds, encode_sortable, is_table_id
from meldhall_runtime.testing import ManualClock, SequentialIds


async def test_a_manual_clock_wakes_sleepers_in_the_order_of_their_times() -> None:
    clock = ManualClock(start_ms=1000)
    woken: list[tuple[str, int]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.now_ms()))

    tasks = [asyncio.create_task(sleeper(name, at)) for name, at in (("b", 2.0), ("a", 0.5), ("c", 9.0))]
    await clock.advance(2.5)
    assert woken == [("a", 1500), ("b", 3000)]
    assert clock.sleepers() == 1
    assert (clock.now_ms(), clock.monotonic()) == (3500, 2.5)
    await clock.advance(6.5)
    await asyncio.gather(*tasks)
    assert woken[-1] == ("c", 10000)


async def test_a_sleep_of_no_time_needs_no_advance() -> None:
    await ManualClock().sleep(0)


async def test_a_cancelled_sleeper_does_not_stop_the_clock() -> None:
    clock = ManualClock()
    task = asyncio.create_task(clock.sleep(1))
    await asyncio.sleep(0)
    task.cancel()
    await clock.advance(2)
    assert clock.sleepers() == 0


async def test_the_system_clock_goes_forward() -> None:
    clock: Clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(0.01)
    assert clock.monotonic() > before
    assert clock.now_ms() > 1_700_000_000_000


def test_table_ids_sort_by_time_and_have_26_letters() -> None:
    ids: Ids = SystemIds(ManualClock(start_ms=1))
    later = SystemIds(ManualClock(start_ms=2))
    assert is_table_id(ids.table_id())
    assert ids.table_id() < later.table_id()
    assert ids.table_id() != ids.table_id()


def test_event_ids_are_version_7_and_sort_by_time() -> None:
    first, second = (SystemIds(ManualClock(start_ms=ms)).event_id() for ms in (1_000_000, 1_000_001))
    assert (first.version, first.variant) == (7, "specified in RFC 4122")
    assert first < second
    assert first.int >> 80 == 1_000_000


def test_sequential_ids_count_and_are_valid() -> None:
    ids = SequentialIds()
    assert (ids.event_id().version, ids.event_id().int & 0xFF) == (7, 2)
    assert ids.table_id() == "0" * 25 + "3"
    assert is_table_id(ids.table_id())


def test_text_order_is_number_order() -> None:
    numbers = [0, 1, 31, 32, 1 << 64, (1 << 128) - 1]
    texts = [encode_sortable(number) for number in numbers]
    assert texts == sorted(texts)
    assert texts[-1] == "7" + "z" * 25
    assert set("".join(texts)) <= set(ALPHABET)


@pytest.mark.parametrize("number", [-1, 1 << 128])
def test_a_number_of_more_than_128_bits_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="128 bits"):
        encode_sortable(number)


@pytest.mark.parametrize("text", ["", "0" * 25, "0" * 27, "8" + "0" * 25, "0" * 25 + "u", "0" * 25 + "A"])
def test_what_is_no_table_id_is_told_apart(text: str) -> None:
    assert not is_table_id(text)
