"""What the scenarios of the card games have in common: who sits where, and where the cards are.

Source: ``deploy/docs/scenarios.md``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from meldhall_rules.alphabet import CARDS
from meldhall_rules.cards import card_name, face_of
from meldhall_rules.commands import MeldSpec
from meldhall_rules.events import MeldLaid
from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.notation import parse_tiles
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario import matches
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.position import Open, Pool, case_key, read_parts, read_stock
from meldhall_rules.scenario.session import MeldReader, Session
from meldhall_rules.scenario.tiles import meld_of, names_in, owned_meld, tile_text
from meldhall_rules.scenario.values import at_least, by_seat, integer, listed, mapping, one_of, shown, text
from meldhall_rules.view import Phase, TableMeld

CARD_KEYS: Final = frozenset({"hands", "stock", "discard", "melds", "phase"})
"""The keys of ``given`` that describe a position in every card game."""

_SEATING_KEYS: Final = frozenset({"seed", "dealer", "turn"})
_STOCK: Final = "stock"
_DISCARD: Final = "discard"


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is and how far it is. ``taken`` is the face of the card taken from the discard pile."""

    seat: int
    phase: Phase
    taken: int | None


@dataclass(frozen=True, slots=True)
class Cards:
    """Where the cards of the position are. ``taken`` is the id of the card taken from the discard pile."""

    hands: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    discards: tuple[int, ...]
    melds: tuple[TableMeld, ...]
    taken: int | None


Build = Callable[[Mapping[str, object], Mapping[str, str], RoundSetup, int], object]
"""Builds the state of a position: ``build(given, options, setup, turn)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardGame:
    """How the cases of a card game begin.

    ``position`` are the keys of ``given`` that describe a position, ``more`` further ones that it may have,
    ``lengths`` how its matches are measured.
    """

    game: Game
    position: frozenset[str]
    more: frozenset[str]
    lengths: frozenset[str]
    build: Build
    read_meld: MeldReader

    def begin(self, case: Case) -> Session:
        """Deal, or set up the position of the case."""
        given = mapping("given", case.given, self.position | self.more | _SEATING_KEYS | matches.KEYS)
        game = self.game
        fewest = game.min_seats if case.players is None else case.players
        seats = at_least(game.min_seats, game.max_seats)("players", fewest)
        options = game.parse_options(case.options)
        if isinstance(options, Rejection):
            raise Fault("options", options.detail)
        seed = integer("given.seed", given.get("seed", 0))
        fresh = not self.position & given.keys()
        starter, turn = _seating(given, seats, at_start=fresh)
        number = matches.read_round(given)
        setup = RoundSetup(number, seats, starter, case_key(seed, number), (0,) * seats)
        form = matches.read_format(given, self.lengths)
        match = matches.read_match(given, seats, starter, game.match_rules(options))
        if fresh and "acquired" in given:
            raise Fault("given.acquired", "a fresh deal begins with a draw")
        if fresh:
            state = game.evolve(None, game.deal(options, setup))
        else:
            state = self.build(given, options, setup, turn)
        return Session(game, options, seed, form, match, (0,) * seats, state, self.read_meld)


def _seating(given: Mapping[str, object], seats: int, *, at_start: bool) -> tuple[int, int]:
    """Read who started and who is on turn; at the start of a round both are the seat after the dealer."""
    seat = at_least(0, seats - 1)
    after_dealer = (seat("given.dealer", given["dealer"]) + 1) % seats if "dealer" in given else None
    default = after_dealer if at_start and after_dealer is not None else 0
    turn = seat("given.turn", given.get("turn", default))
    starter = turn if after_dealer is None else after_dealer
    if at_start and starter != turn:
        raise Fault("given.turn", f"seat {turn} cannot start, the seat after the dealer is {starter}")
    return starter, turn


def read_turn(given: Mapping[str, object], seat: int) -> Turn:
    """Read how far the turn is; a card that was acquired puts it in play."""
    default = Phase.PLAY if "acquired" in given else Phase.DRAW
    phase = Phase(
        one_of(Phase.DRAW.value, Phase.PLAY.value)("given.phase", given.get("phase", default.value))
    )
    if phase is Phase.DRAW and "acquired" in given:
        raise Fault("given.phase", "a turn with an acquired card is in play, not in draw")
    place = "given.acquired"
    how, _, card = text(place, given.get("acquired", _STOCK)).partition(" ")
    if how == _DISCARD:
        (face,) = parse_tiles(tile_text(place, card, CARDS), CARDS)
        return Turn(seat, phase, face)
    if how != _STOCK or card:
        raise Fault(place, f"{shown(given['acquired'])} is not stock, or discard and a card")
    return Turn(seat, phase, None)


def read_cards(
    given: Mapping[str, object],
    sizes: tuple[int, ...],
    turn: Turn,
    deck: int,
    reader: Callable[[MeldSpec], MeldLaid | Rejection],
) -> Cards:
    """Give every place its cards: first what the case names, then what it leaves open, the stock last.

    Args:
        given: the position.
        sizes: by seat how many cards a hand has that the case does not name.
        turn: whose turn it is; a taken card has to be in his hand.
        deck: the number of cards, of one deck or two.
        reader: reads a meld by the rules of the table.
    """
    pool = Pool([card_name(card) for card in range(deck)])
    written = by_seat(text, len(sizes))("given.hands", given.get("hands", {}))
    hands = [
        _claim(pool, f"given.hands[{seat}]", written.get(seat, f"?{size}")) for seat, size in enumerate(sizes)
    ]
    stock = None
    if "stock" in given:
        parts = read_stock("given.stock", text("given.stock", given["stock"]))
        stock = pool.claim("given.stock", parts)
    discards = _claim(pool, "given.discard", text("given.discard", given.get("discard", "")))
    melds = _read_melds(given, len(sizes), pool, reader)
    pool.shuffle(case_key(integer("given.seed", given.get("seed", 0)), matches.read_round(given)))
    filled = tuple(tuple(sorted(pool.fill(f"given.hands[{seat}]", hand))) for seat, hand in enumerate(hands))
    return Cards(
        hands=filled,
        discards=pool.fill("given.discard", discards),
        stock=pool.rest() if stock is None else pool.fill("given.stock", stock),
        melds=melds,
        taken=_taken(turn, filled[turn.seat]),
    )


def _claim(pool: Pool, place: str, written: str) -> tuple[int | Open, ...]:
    return pool.claim(place, read_parts(place, written))


def _taken(turn: Turn, hand: tuple[int, ...]) -> int | None:
    if turn.taken is None:
        return None
    found = next((card for card in hand if face_of(card) == turn.taken), None)
    if found is None:
        raise Fault("given.acquired", f"seat {turn.seat} does not hold {card_name(turn.taken)}")
    return found


def _read_melds(
    given: Mapping[str, object],
    seats: int,
    pool: Pool,
    reader: Callable[[MeldSpec], MeldLaid | Rejection],
) -> tuple[TableMeld, ...]:
    def read(place: str, value: object) -> TableMeld:
        owner, written = owned_meld(place, value, seats)
        claimed = pool.claim(place, names_in(place, written, CARDS))
        holding = [card for card in claimed if isinstance(card, int)]
        meld = meld_of(place, written, holding, reader, CARDS)
        return TableMeld(owner, meld.kind, meld.tiles)

    return listed(read)("given.melds", given.get("melds", []))
