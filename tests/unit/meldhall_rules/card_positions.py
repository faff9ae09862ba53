"""Positions of card games written as scenarios write them, and moves played from them."""

from collections.abc import Mapping
from typing import Any

from meldhall_rules.events import Event
from meldhall_rules.notation import parse_move, seat_of
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.scenario.adapters import ADAPTERS
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.session import Session


def session(
    game: str, players: int = 2, options: Mapping[str, object] | None = None, **given: object
) -> Session:
    case = Case("test", game, players, options or {}, given, (), None, {})
    return ADAPTERS[game].begin(case)


def answer(table: Session, move: str) -> tuple[Event, ...] | Rejection:
    """Ask the rules about a move without making it."""
    view = table.table()
    top = view.discards[-1] if view.discards else None
    command = parse_move(move, table.hand(seat_of(move)), top, table.game.alphabet)
    return table.game.decide(table.state, command)


def events(table: Session, move: str) -> tuple[Event, ...]:
    found = answer(table, move)
    assert not isinstance(found, Rejection), (move, found)
    return found


def refused(table: Session, move: str) -> Code:
    """Make a move that must be refused, and see that nothing changed."""
    before = table.fingerprint()
    found = table.move(move)
    assert found is not None, move
    assert table.fingerprint() == before
    assert found.detail
    return found.code


def play(table: Session, *moves: str) -> Any:
    for move in moves:
        found = table.move(move)
        assert found is None, (move, found)
    return table.state


def hand(table: Session, seat: int) -> str:
    """Write a hand, sorted by face."""
    alphabet = table.game.alphabet
    return " ".join(map(alphabet.name_of, alphabet.in_order(table.hand(seat))))
