"""Playing the moves of a case."""

from typing import Final

from meldhall_rules.notation import NotationError
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Move
from meldhall_rules.scenario.session import Session

ANY: Final = "any"
"""The error of a move that must be refused for whatever reason."""


def play(session: Session, moves: tuple[Move, ...]) -> None:
    """Make the moves in order; accepted where they must be, refused where they must be and without a trace.

    Raises:
        Fault: at the first move that went otherwise, or is no move.
    """
    for at, move in enumerate(moves):
        place = f"play[{at}] {move.text!r}"
        if move.error is not None and move.error != ANY and move.error not in set(Code):
            raise Fault(place, f"there is no rejection code {move.error!r}")
        _make(session, move, place)


def _make(session: Session, move: Move, place: str) -> None:
    before = session.fingerprint()
    try:
        refused = session.move(move.text)
    except NotationError as error:
        raise Fault(place, f"is no move: {error.reason} (character {error.place + 1})") from None
    if move.error is None:
        if refused is not None:
            raise Fault(place, f"refused with {_written(refused)}")
        return
    if refused is None:
        raise Fault(place, f"accepted, but must be refused with {move.error}")
    if session.fingerprint() != before:
        raise Fault(place, f"refused with {refused.code}, but the position has changed")
    if move.error not in {ANY, refused.code}:
        raise Fault(place, f"refused with {_written(refused)}, not with {move.error}")


def _written(refused: Rejection) -> str:
    return f"{refused.code} ({refused.detail})"
