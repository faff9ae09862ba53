"""What ``then`` can say of a game with tiles, and where it shows in a session.

Everything is read from views, as a player, a bot or an operator would see it.
"""

from collections.abc import Callable, Mapping
from typing import Final

from meldhall_rules.events import Finish, MeldLaid
from meldhall_rules.match import is_over, winners
from meldhall_rules.melds import meld_value
from meldhall_rules.scenario.adapter import Expected, Outcome
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.session import Session
from meldhall_rules.scenario.tiles import (
    hand_text,
    meld_of,
    owned_meld,
    tile_text,
    written_hand,
    written_meld,
)
from meldhall_rules.scenario.values import (
    Reader,
    at_least,
    boolean,
    by_seat,
    integer,
    listed,
    mapping,
    one_of,
    or_null,
)
from meldhall_rules.view import Phase, View

_COUNT: Final = at_least(0)


def plain(reader: Reader[Expected], observed: Callable[[Session], Expected]) -> Outcome:
    """Make an outcome whose reader does not need to know the table."""
    return Outcome(
        lambda place, value, _: reader(place, value),
        lambda session, _: observed(session),
    )


def seated(reader: Reader[Expected], observed: Callable[[Session, int], Expected]) -> Outcome:
    """Make an outcome by seat."""
    return Outcome(
        lambda place, value, session: by_seat(reader, session.table().seats)(place, value),
        lambda session, _: {seat: observed(session, seat) for seat in range(session.table().seats)},
    )


def by_seat_list(observed: Callable[[Session], Expected]) -> Outcome:
    """Make an outcome that is a list of numbers, one for each seat."""
    return Outcome(
        lambda place, value, session: listed(integer, session.table().seats)(place, value),
        lambda session, _: observed(session),
    )


def by_side_list(observed: Callable[[Session], Expected]) -> Outcome:
    """Make an outcome that is a list of numbers, one for each seat or, in games of teams, each team."""
    return Outcome(
        lambda place, value, session: listed(integer, len(session.match.totals))(place, value),
        lambda session, _: observed(session),
    )


def _melds_expected(place: str, value: object, session: Session) -> Expected:
    seats = session.table().seats

    def read(where: str, written: object) -> str:
        owner, meld = owned_meld(where, written, seats)
        return written_meld(owner, meld_of(where, meld))

    return listed(read)(place, value)


def _melds_observed(session: Session) -> Expected:
    return tuple(written_meld(meld.owner, meld) for meld in session.table().melds)


def _need_expected(place: str, value: object) -> Expected:
    written = mapping(place, value, frozenset({"melds", "pairs"}))
    return {key: _COUNT(f"{place}.{key}", number) for key, number in written.items()}


def _discard_top(session: Session) -> Expected:
    discards = session.table().discards
    return written_hand(discards[-1:], session.game.alphabet) if discards else None


def _hands_expected(place: str, value: object, session: Session) -> Expected:
    def read(where: str, written: object) -> str:
        return hand_text(where, written, session.game.alphabet)

    return by_seat(read, session.table().seats)(place, value)


def _top_expected(place: str, value: object, session: Session) -> Expected:
    return None if value is None else tile_text(place, value, session.game.alphabet)


def _hands_observed(session: Session) -> Expected:
    seats = range(session.table().seats)
    return {seat: written_hand(session.hand(seat), session.game.alphabet) for seat in seats}


def tiles_in_play(table: View) -> int:
    """Count all tiles of a table: hands, stock, pile, melds and exposed bonus threes."""
    melds = sum(len(meld.tiles) for meld in table.melds)
    bonus = sum(map(len, table.bonus))
    return sum(table.hand_sizes) + table.stock_size + len(table.discards) + melds + bonus


def judged(session: Session, case: Case) -> tuple[MeldLaid | None, ...]:
    """Read the melds to check, None where it is none, or names what is no tile."""
    if case.melds_to_check is None:
        raise Fault("then", "'valid' and 'values' go with 'melds_to_check'")
    table, alphabet = session.table(), session.game.alphabet

    def judge(written: str) -> MeldLaid | None:
        try:
            return meld_of("", written, None, lambda spec: session.read_meld(table, spec), alphabet)
        except Fault:
            return None

    return tuple(map(judge, case.melds_to_check))


def _valid(session: Session, case: Case) -> Expected:
    return tuple(meld is not None for meld in judged(session, case))


def _values(session: Session, case: Case) -> Expected:
    return tuple(meld_value(meld) for meld in judged(session, case) if meld is not None)


TURN: Final[Mapping[str, Outcome]] = {
    "turn": plain(_COUNT, lambda session: session.table().turn),
    "phase": plain(one_of(Phase.DRAW.value, Phase.PLAY.value), lambda session: session.table().phase.value),
    "stock_size": plain(_COUNT, lambda session: session.table().stock_size),
    "discard_top": Outcome(_top_expected, lambda session, _: _discard_top(session)),
    "hands": Outcome(_hands_expected, lambda session, _: _hands_observed(session)),
    "hand_sizes": seated(_COUNT, lambda session, seat: session.table().hand_sizes[seat]),
    "melds": Outcome(_melds_expected, lambda session, _: _melds_observed(session)),
    "need": plain(
        _need_expected, lambda session: dict(zip(("melds", "pairs"), session.table().need, strict=True))
    ),
    "jokers": seated(_COUNT, lambda session, seat: session.spare_jokers()[seat]),
    "tiles_in_play": plain(_COUNT, lambda session: tiles_in_play(session.table())),
    "valid": Outcome(lambda place, value, _: listed(boolean)(place, value), _valid),
    "values": Outcome(lambda place, value, _: listed(_COUNT)(place, value), _values),
}
"""What holds inside a round."""

RESULT: Final[Mapping[str, Outcome]] = {
    "round": plain(at_least(1), lambda session: session.table().round),
    "dealer": plain(_COUNT, lambda session: (session.table().starter - 1) % session.table().seats),
    "round_over": plain(boolean, lambda session: session.table().finish is not None),
    "winner": plain(or_null(_COUNT), lambda session: session.table().winner),
    "finish": plain(or_null(one_of(*Finish)), lambda session: session.table().finish),
    "scores": by_side_list(lambda session: session.table().scores),
    "totals": by_side_list(lambda session: session.match.totals),
    "match_over": plain(boolean, lambda session: is_over(session.form, session.match)),
    "match_winners": plain(
        lambda place, value: tuple(sorted(listed(_COUNT)(place, value))),
        lambda session: winners(session.form, session.match),
    ),
    "account": by_seat_list(lambda session: session.account),
}
"""What a round and a match come to."""
