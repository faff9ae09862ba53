"""The end of a round whose time is up, which is the same in every game but for the result.

The rules of the games know no such limit. What comes nearest to it is a stock that runs out: whoever has
begun a turn finishes it, and then the round is over as it stands. Source: ``deploy/docs/tables.md``, limits.
"""

from collections.abc import Callable, Sequence
from typing import Any

from meldhall_rules.events import Event, RoundEnded
from meldhall_rules.rejections import Rejection


def finish(
    state: Any,
    rest: Sequence[Event] | Rejection,
    *,
    evolve: Callable[[Any, Event], Any],
    result: Callable[[Any], RoundEnded],
) -> tuple[Event, ...] | Rejection:
    """Return the rest of the turn, then the result unless that turn has ended the round by itself.

    Args:
        state: the round when its time was up.
        rest: what finishes the turn that has begun; empty between two turns.
        evolve: the game's fold.
        result: gives the result of a round that nobody ends.
    """
    if isinstance(rest, Rejection):
        return rest
    if rest and isinstance(rest[-1], RoundEnded):
        return tuple(rest)
    after = state
    for event in rest:
        after = evolve(after, event)
    return *rest, result(after)
