"""Comparing melds of cards: their order counts, that of the cards inside does not.

What a wild stands for is compared only where the case says it. Source: ``deploy/docs/scenarios.md``.
"""

from typing import Final

from meldhall_rules.alphabet import CARDS
from meldhall_rules.commands import MeldSpec
from meldhall_rules.notation import NotationError, parse_meld, write_meld
from meldhall_rules.scenario.adapter import Expected, Outcome
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.session import Session
from meldhall_rules.scenario.tiles import owned_meld
from meldhall_rules.scenario.values import listed
from meldhall_rules.view import TableMeld

_Written = tuple[int, MeldSpec]


def _expected(place: str, value: object, session: Session) -> tuple[_Written, ...]:
    seats = session.table().seats

    def read(where: str, written: object) -> _Written:
        owner, meld = owned_meld(where, written, seats)
        try:
            return owner, parse_meld(meld, None, CARDS)
        except NotationError as error:
            raise Fault(where, error.reason) from None

    return listed(read)(place, value)


def _texts(place: str, value: object, session: Session) -> Expected:
    return tuple(_text(owner, spec) for owner, spec in _expected(place, value, session))


def _observed(session: Session, case: Case) -> Expected:
    expected = _expected("then.melds", case.then.get("melds", []), session)
    melds = session.table().melds
    return tuple(
        _text(*expected[at]) if at < len(expected) and _agrees(expected[at], meld) else _full_text(meld)
        for at, meld in enumerate(melds)
    )


def _agrees(expected: _Written, meld: TableMeld) -> bool:
    """Tell whether a meld is the one expected: for each card as many copies, standing for what is stated."""
    owner, spec = expected
    if owner != meld.owner or spec.kind is not meld.kind or len(spec.tiles) != len(meld.tiles):
        return False
    rest = [(CARDS.name_of(laid.tile), laid.face) for laid in meld.tiles]
    # A stated identity first, so that one left open does not use it up.
    for placed in sorted(spec.tiles, key=lambda placed: placed.stands_for is None):
        name = CARDS.name_of(placed.tile)
        found = next((one for one in rest if one[0] == name and placed.stands_for in {None, one[1]}), None)
        if found is None:
            return False
        rest.remove(found)
    return True


def _text(owner: int, spec: MeldSpec) -> str:
    cards = (
        CARDS.name_of(placed.tile)
        + ("" if placed.stands_for is None else f"={CARDS.names[placed.stands_for]}")
        for placed in spec.tiles
    )
    return f"{owner} {spec.kind}:{','.join(sorted(cards))}"


def _full_text(meld: TableMeld) -> str:
    return f"{meld.owner} {write_meld(meld, CARDS)}"


MELDS: Final = Outcome(_texts, _observed)
"""The whole table."""
