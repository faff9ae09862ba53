"""The position of a case of Rummy 101 as a state of the rules.

Source: ``deploy/docs/scenarios.md``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from meldhall_rules.commands import MeldKind
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101.options import ButtonSource, OpeningMode, Options, from_canonical
from meldhall_rules.games.rummy101.state import (
    HAND_SIZE,
    MELDS,
    PAIRS,
    STARTING_NEED,
    Frame,
    Hidden,
    Jokers,
    State,
    Table,
    need_after,
)
from meldhall_rules.notation import write_tile
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.position import Open, Pool, read_parts, read_stock
from meldhall_rules.scenario.tiles import meld_of, names_in, owned_meld, tile_text
from meldhall_rules.scenario.values import boolean, by_seat, listed, one_of, shown, text
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import Opening, Phase, TableMeld

POSITION_KEYS: Final = frozenset(
    {"phase", "first_turn", "acquired", "hands", "stock", "discard", "melds", "opened"}
)
"""The keys of ``given`` that describe a position; without any of them it is a fresh deal."""

_STOCK: Final = "stock"
_BUTTON: Final = "button"
_DISCARD: Final = "discard"

_OPENED: Final = re.compile(rf"({MELDS}|{PAIRS}) +([0-9]{{1,4}})")


@dataclass(frozen=True, slots=True)
class Seating:
    """Who started the round and who is on turn."""

    starter: int
    turn: int


@dataclass(frozen=True, slots=True)
class _Turn:
    """How far the turn is, and whether its tile came from the Joker button."""

    phase: Phase
    first: bool
    button: bool


@dataclass(frozen=True, slots=True)
class _Tiles:
    """Where the tiles of the position are."""

    hands: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    discards: tuple[int, ...]
    melds: tuple[TableMeld, ...]


def state_from_position(
    given: Mapping[str, object], options: Mapping[str, str], setup: RoundSetup, seating: Seating
) -> State:
    """Build the state that ``given`` describes.

    Raises:
        Fault: for a value that cannot be read and for a position that cannot exist.
    """
    turn = _read_turn(given)
    rules = from_canonical(options)
    tiles = _read_tiles(given, setup, seating, turn, rules)
    opened = _read_opened(given, setup.seats, tiles.melds)
    need = STARTING_NEED
    if rules.opening is OpeningMode.RISING:
        for opening in filter(None, opened):
            need = need_after(need, opening)
    return State(
        frame=Frame(rules, setup.round, setup.seats, seating.starter),
        turn=seating.turn,
        phase=turn.phase,
        first_turn=turn.first,
        discards=tiles.discards,
        table=Table(tiles.melds, opened, need, opened_before=any(opened)),
        jokers=Jokers(
            spare=setup.spare_jokers,
            used=tuple(turn.button and seat == seating.turn for seat in range(setup.seats)),
            issued=int(_has_extra(turn, rules)),
        ),
        hidden=Hidden(tiles.stock, 0, tiles.hands, None, setup.shuffle_key),
        fines=(0,) * setup.seats,
        ending=None,
    )


def _read_turn(given: Mapping[str, object]) -> _Turn:
    first = boolean("given.first_turn", given.get("first_turn", False))
    in_play = first or "acquired" in given
    default = Phase.PLAY if in_play else Phase.DRAW
    phase = Phase(
        one_of(Phase.DRAW.value, Phase.PLAY.value)("given.phase", given.get("phase", default.value))
    )
    if phase is Phase.DRAW and in_play:
        why = "the first turn begins" if first else "a turn with an acquired tile is"
        raise Fault("given.phase", f"{why} in play, not in draw")
    if first and "acquired" in given:
        raise Fault("given.acquired", "nothing is acquired in the first turn")
    return _Turn(phase, first, _acquired(given) == _BUTTON)


def _acquired(given: Mapping[str, object]) -> str:
    """Read how the tile of the turn came. Which tile was taken matters to no rule once it is on the table."""
    place = "given.acquired"
    written = text(place, given.get("acquired", _STOCK))
    how, _, tile = written.partition(" ")
    if how == _DISCARD:
        tile_text(place, tile)
        return how
    if written not in {_STOCK, _BUTTON}:
        raise Fault(place, f"{shown(written)} is not stock, button or discard and a tile")
    return written


def _has_extra(turn: _Turn, rules: Options) -> bool:
    """Tell whether the Joker button has added a tile."""
    return turn.button and rules.joker_button_source is ButtonSource.EXTRA


def _read_tiles(
    given: Mapping[str, object], setup: RoundSetup, seating: Seating, turn: _Turn, rules: Options
) -> _Tiles:
    """Give every place its tiles: first what the case names, then what it leaves open, the stock last."""
    pool = Pool([write_tile(tile) for tile in range(SET_SIZE + _has_extra(turn, rules))])
    written = by_seat(text, setup.seats)("given.hands", given.get("hands", {}))
    hands: list[tuple[int | Open, ...]] = []
    for seat in range(setup.seats):
        size = HAND_SIZE + (turn.first and seat == seating.turn)
        place = f"given.hands[{seat}]"
        hands.append(pool.claim(place, read_parts(place, written.get(seat, f"?{size}"))))
    stock = discards = None
    if "stock" in given:
        stock = pool.claim("given.stock", read_stock("given.stock", text("given.stock", given["stock"])))
    pile = read_parts("given.discard", text("given.discard", given.get("discard", "")))
    discards = pool.claim("given.discard", pile)
    melds = _read_melds(given, setup.seats, pool)
    pool.shuffle(setup.shuffle_key)
    return _Tiles(
        hands=tuple(
            tuple(sorted(pool.fill(f"given.hands[{seat}]", hand))) for seat, hand in enumerate(hands)
        ),
        discards=pool.fill("given.discard", discards),
        stock=pool.rest() if stock is None else pool.fill("given.stock", stock),
        melds=melds,
    )


def _read_melds(given: Mapping[str, object], seats: int, pool: Pool) -> tuple[TableMeld, ...]:
    def read(place: str, value: object) -> TableMeld:
        owner, written = owned_meld(place, value, seats)
        holding = [tile for tile in pool.claim(place, names_in(place, written)) if isinstance(tile, int)]
        meld = meld_of(place, written, holding)
        return TableMeld(owner, meld.kind, meld.tiles)

    return listed(read)("given.melds", given.get("melds", []))


def _read_opened(
    given: Mapping[str, object], seats: int, melds: tuple[TableMeld, ...]
) -> tuple[Opening | None, ...]:
    """Read who has opened; the owner of a meld has, if nothing else is said with the least that opens."""
    written = by_seat(_opening, seats)("given.opened", given.get("opened", {}))
    opened: list[Opening | None] = [written.get(seat) for seat in range(seats)]
    for meld in melds:
        opened[meld.owner] = opened[meld.owner] or _least_opening(meld.owner, melds)
    return tuple(opened)


def _least_opening(owner: int, melds: tuple[TableMeld, ...]) -> Opening:
    only_pairs = all(meld.kind is MeldKind.PAIR for meld in melds if meld.owner == owner)
    points, pairs = STARTING_NEED
    return Opening(PAIRS, pairs) if only_pairs else Opening(MELDS, points)


def _opening(place: str, value: object) -> Opening:
    found = _OPENED.fullmatch(text(place, value))
    if found is None:
        raise Fault(place, f"{shown(value)} is not melds or pairs and a number")
    opening = Opening(found[1], int(found[2]))
    least = STARTING_NEED[1 if opening.by == PAIRS else 0]
    if opening.value < least:
        raise Fault(place, f"{shown(value)}: nobody opens with less than {least}")
    return opening
