from tests.fixtures.matchmaking import THREE, TWO

from meldhall_matchmaking.holdoff import FIRST_SECONDS, LONGEST_SECONDS, HoldOff


def test_only_the_wish_that_failed_is_held() -> None:
    hold_off = HoldOff()
    hold_off.failed(TWO, 100.0)

    assert hold_off.holds(TWO, 100.0)
    assert not hold_off.holds(TWO, 100.0 + FIRST_SECONDS)
    assert not hold_off.holds(THREE, 100.0)


def test_each_failure_in_a_row_doubles_the_pause_up_to_the_longest() -> None:
    hold_off = HoldOff()
    hold_off.failed(TWO, 0.0)
    hold_off.failed(TWO, 0.0)
    assert hold_off.holds(TWO, 2 * FIRST_SECONDS - 0.01)
    assert not hold_off.holds(TWO, 2 * FIRST_SECONDS)

    for _ in range(10_000):
        hold_off.failed(TWO, 0.0)
    assert hold_off.holds(TWO, LONGEST_SECONDS - 0.01)
    assert not hold_off.holds(TWO, LONGEST_SECONDS)


def test_a_success_forgets_the_failures() -> None:
    hold_off = HoldOff()
    for _ in range(5):
        hold_off.failed(TWO, 0.0)
    hold_off.succeeded(TWO)
    assert not hold_off.holds(TWO, 0.0)

    hold_off.failed(TWO, 0.0)
    assert not hold_off.holds(TWO, FIRST_SECONDS)
