"""The end of a round whose time is up, apart from any game."""

from typing import Any

import pytest

from meldhall_rules.events import Discarded, Finish, RoundEnded, StockDrawn
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.time_up import finish

RESULT = RoundEnded(Finish.EXHAUSTED, None, (5, -5))
DRAWN, DISCARDED = StockDrawn(0, 7), Discarded(0, 7)
WON = RoundEnded(Finish.NORMAL, 0, (9, -9))


@pytest.mark.parametrize(
    ("rest", "ends"),
    [
        ((), (RESULT,)),
        ((DRAWN, DISCARDED), (DRAWN, DISCARDED, RESULT)),
        ((DISCARDED, WON), (DISCARDED, WON)),
        (Rejection(Code.STOCK_EMPTY, "no tile"), Rejection(Code.STOCK_EMPTY, "no tile")),
    ],
)
def test_a_round_ends_after_the_turn_that_has_begun(rest: Any, ends: Any) -> None:
    seen: list[Any] = []

    def evolve(state: tuple[Any, ...], event: Any) -> tuple[Any, ...]:
        return (*state, event)

    def result(after: tuple[Any, ...]) -> RoundEnded:
        seen.append(after)
        return RESULT

    assert finish((), rest, evolve=evolve, result=result) == ends
    if isinstance(ends, tuple) and ends[-1] is RESULT:
        assert seen == [tuple(rest)]
    else:
        assert seen == []
