"""The position of a case of Canasta as a state of the rules.

Source: ``deploy/docs/scenarios.md``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_rules.canasta_tiles import BONUS_TILES, is_bonus
from meldhall_rules.commands import MeldKind
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.canasta.deal import Dealt, expose
from meldhall_rules.games.canasta.melds import read_meld, table_shape
from meldhall_rules.games.canasta.options import ButtonSource, Options, from_canonical
from meldhall_rules.games.canasta.state import (
    HAND_SIZE,
    MELDS,
    SEATS,
    TEAMS,
    Frame,
    Hidden,
    Jokers,
    State,
    Table,
    threshold,
)
from meldhall_rules.notation import write_tile
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.position import Open, Pool, read_parts, read_stock
from meldhall_rules.scenario.tiles import meld_of, names_in, owned_meld, tile_text
from meldhall_rules.scenario.values import boolean, by_seat, listed, one_of, shown, text
from meldhall_rules.tiles import SET_SIZE
from meldhall_rules.view import Opening, Phase, TableMeld

POSITION_KEYS: Final = frozenset({"phase", "first_turn", "hands", "stock", "discard", "melds", "bonus"})
"""The keys of ``given`` that describe a position; without any of them it is a fresh deal."""

DETAIL_KEYS: Final = frozenset({"acquired", "opened"})
"""The keys of ``given`` that say more of a position and make none by themselves."""

_STOCK: Final = "stock"
_BUTTON: Final = "button"
_DISCARD: Final = "discard"


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
    bonus: tuple[tuple[int, ...], ...]


def state_from_position(
    given: Mapping[str, object], options: Mapping[str, str], setup: RoundSetup, seating: Seating
) -> State:
    """Build the state that ``given`` describes.

    Raises:
        Fault: for a value that cannot be read and for a position that cannot exist.
    """
    rules = from_canonical(options)
    turn = _read_turn(given)
    tiles = _read_tiles(given, setup, seating, turn, rules)
    dealt = _replaced(tiles, seating) if turn.first else Dealt(tiles.hands, ((),) * TEAMS, 0)
    bonus = tuple(one + other for one, other in zip(tiles.bonus, dealt.bonus, strict=True))
    frame = Frame(rules, setup.round, seating.starter, setup.totals)
    return State(
        frame=frame,
        turn=seating.turn,
        phase=turn.phase,
        first_turn=turn.first,
        discards=tiles.discards,
        table=Table(tiles.melds, _read_opened(given, frame, tiles.melds), bonus),
        jokers=Jokers(
            spare=setup.spare_jokers,
            used=tuple(turn.button and seat == seating.turn for seat in range(SEATS)),
            issued=int(turn.button and rules.joker_button_source is ButtonSource.EXTRA),
        ),
        hidden=Hidden(tiles.stock, dealt.next_draw, dealt.hands, None, setup.shuffle_key),
        ending=None,
    )


def _replaced(tiles: _Tiles, seating: Seating) -> Dealt:
    """Make the replacements of the deal (rule 5)."""
    try:
        return expose(tiles.hands, tiles.stock, 0, seating.starter)
    except ValueError as error:
        raise Fault("given.stock", str(error)) from None


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
    """Read how the tile of the turn came. Which pile was taken matters to no rule afterwards."""
    place = "given.acquired"
    written = text(place, given.get("acquired", _STOCK))
    how, _, tile = written.partition(" ")
    if how == _DISCARD:
        tile_text(place, tile)
        return how
    if written not in {_STOCK, _BUTTON}:
        raise Fault(place, f"{shown(written)} is not stock, button or discard and a tile")
    return written


def _read_tiles(
    given: Mapping[str, object], setup: RoundSetup, seating: Seating, turn: _Turn, rules: Options
) -> _Tiles:
    """Give every place its tiles: first what the case names, then what it leaves open, the stock last."""
    extra = turn.button and rules.joker_button_source is ButtonSource.EXTRA
    pool = Pool([write_tile(tile) for tile in range(SET_SIZE + extra)])
    written = by_seat(text, SEATS)("given.hands", given.get("hands", {}))
    hands: list[tuple[int | Open, ...]] = []
    for seat in range(SEATS):
        size = HAND_SIZE + (turn.first and seat == seating.turn)
        place = f"given.hands[{seat}]"
        hands.append(pool.claim(place, read_parts(place, written.get(seat, f"?{size}"))))
        if not turn.first:
            _no_bonus(place, hands[-1])
    stock = None
    if "stock" in given:
        stock = pool.claim("given.stock", read_stock("given.stock", text("given.stock", given["stock"])))
    pile = read_parts("given.discard", text("given.discard", given.get("discard", "")))
    discards = pool.claim("given.discard", pile)
    _no_bonus("given.discard", discards)
    melds = _read_melds(given, pool)
    bonus = _read_bonus(given, pool)
    pool.shuffle(setup.shuffle_key)
    return _Tiles(
        hands=tuple(
            tuple(sorted(pool.fill(f"given.hands[{seat}]", hand, BONUS_TILES)))
            for seat, hand in enumerate(hands)
        ),
        discards=pool.fill("given.discard", discards, BONUS_TILES),
        stock=pool.rest() if stock is None else pool.fill("given.stock", stock),
        melds=melds,
        bonus=bonus,
    )


def _no_bonus(place: str, tiles: Sequence[int | Open]) -> None:
    for tile in tiles:
        if not isinstance(tile, Open) and is_bonus(tile):
            raise Fault(place, f"{write_tile(tile)} cannot be here, it is exposed at once")


def _read_melds(given: Mapping[str, object], pool: Pool) -> tuple[TableMeld, ...]:
    numbers: set[tuple[int, int]] = set()

    def read(place: str, value: object) -> TableMeld:
        owner, written = owned_meld(place, value, TEAMS)
        holding = [tile for tile in pool.claim(place, names_in(place, written)) if isinstance(tile, int)]
        meld = meld_of(place, written, holding, read_meld)
        number = table_shape(meld).number
        if (owner, number) in numbers:
            raise Fault(place, f"team {owner} has a meld of {number}s already")
        numbers.add((owner, number))
        return TableMeld(owner, MeldKind.SET, meld.tiles)

    return listed(read)("given.melds", given.get("melds", []))


def _read_bonus(given: Mapping[str, object], pool: Pool) -> tuple[tuple[int, ...], ...]:
    written = by_seat(text, TEAMS)("given.bonus", given.get("bonus", {}))
    bonus = []
    for team in range(TEAMS):
        place = f"given.bonus[{team}]"
        claimed = pool.claim(place, written.get(team, "").split())
        tiles = tuple(tile for tile in claimed if not isinstance(tile, Open))
        for tile in tiles:
            if not is_bonus(tile):
                raise Fault(place, f"{write_tile(tile)} is no bonus three")
        bonus.append(tiles)
    return tuple(bonus)


def _read_opened(
    given: Mapping[str, object], frame: Frame, melds: tuple[TableMeld, ...]
) -> tuple[Opening | None, ...]:
    """Read which teams have opened: those that own melds, and no others."""
    written = by_seat(boolean, TEAMS)("given.opened", given.get("opened", {}))
    owners = {meld.owner for meld in melds}
    opened: list[Opening | None] = []
    for team in range(TEAMS):
        if written.get(team, False) != (team in owners):
            without = "melds, but has not opened" if team in owners else "opened, but no melds"
            raise Fault(f"given.opened[{team}]", f"team {team} has {without}")
        opened.append(Opening(MELDS, threshold(frame.totals[team])) if team in owners else None)
    return tuple(opened)
