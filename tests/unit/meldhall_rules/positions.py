"""Positions of Rummy 101 written in the notation, and moves played from them."""

from collections.abc import Mapping, Sequence

from meldhall_rules.commands import Command, MeldSpec
from meldhall_rules.events import Event
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.options import OpeningMode, Options
from meldhall_rules.games.rummy101.state import (
    STARTING_NEED,
    Frame,
    Hidden,
    Jokers,
    State,
    Table,
    need_after,
)
from meldhall_rules.melds import read_meld
from meldhall_rules.notation import parse_meld, parse_move, parse_tiles, seat_of
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Opening, Phase, TableMeld


class Box:
    """The tiles that are nowhere yet; the lowest id of a name goes first."""

    def __init__(self) -> None:
        self.free = list(range(110))

    def tiles(self, names: str) -> tuple[int, ...]:
        taken: list[int] = []
        for shown in parse_tiles(names):
            tile = next(t for t in self.free if (t >= 104 if shown is None else t // 2 == shown))
            self.free.remove(tile)
            taken.append(tile)
        return tuple(taken)

    def rest(self, count: int) -> tuple[int, ...]:
        """Take the last naturals that are left."""
        taken = [tile for tile in self.free if tile < 104][-count:]
        self.free = [tile for tile in self.free if tile not in taken]
        return tuple(taken)

    def meld(self, text: str) -> TableMeld:
        owner, _, meld = text.partition(" ")
        spec: MeldSpec = parse_meld(meld, self.free)
        laid = read_meld(spec)
        assert not isinstance(laid, Rejection), laid
        for placed in laid.tiles:
            self.free.remove(placed.tile)
        return TableMeld(int(owner), laid.kind, laid.tiles)


def position(
    hands: Sequence[str],
    *,
    turn: int = 0,
    phase: Phase = Phase.PLAY,
    stock: str | None = None,
    discard: str = "",
    melds: Sequence[str] = (),
    opened: Mapping[int, str] | None = None,
    jokers: Sequence[int] | None = None,
    opening: OpeningMode = OpeningMode.FIXED,
    options: Options | None = None,
    first_turn: bool = False,
    drawn: str | None = None,
) -> State:
    """Build a state; ``opened`` is by seat, ``melds 116`` or ``pairs 5``, and was so before this turn."""
    box = Box()
    held = [box.tiles(names) for names in hands]
    table = tuple(box.meld(text) for text in melds)
    pile = box.tiles(discard)
    undealt = box.rest(4) if stock is None else box.tiles(stock)
    seats = len(held)
    openings: list[Opening | None] = [None] * seats
    need = STARTING_NEED
    for seat, text in (opened or {}).items():
        by, _, value = text.partition(" ")
        one = Opening(by, int(value))
        openings[seat] = one
        if opening is OpeningMode.RISING:
            need = need_after(need, one)
    drawn_tile = None
    if drawn is not None:
        drawn_tile = next(t for t, name in zip(held[turn], hands[turn].split(), strict=True) if name == drawn)
    everything = [*undealt, *pile]
    everything += [tile for tiles in held for tile in tiles]
    everything += [laid.tile for meld in table for laid in meld.tiles]
    return State(
        frame=Frame(options or Options(opening=opening), 1, seats, 0),
        turn=turn,
        phase=phase,
        first_turn=first_turn,
        discards=pile,
        table=Table(table, tuple(openings), need, opened_before=any(openings)),
        jokers=Jokers(tuple(jokers or (0,) * seats), (False,) * seats, max(0, max(everything) - 105)),
        hidden=Hidden(undealt, 0, tuple(tuple(sorted(hand)) for hand in held), drawn_tile, bytes(32)),
        fines=(0,) * seats,
        ending=None,
    )


def command(state: State, text: str) -> Command:
    hand = state.hidden.hands[seat_of(text)]
    return parse_move(text, hand, state.discards[-1] if state.discards else None)


def events(state: State, text: str) -> tuple[Event, ...]:
    """Play a move that must be accepted and return what happened."""
    answer = RUMMY101.decide(state, command(state, text))
    assert not isinstance(answer, Rejection), (text, answer)
    return answer


def play(state: State, *moves: str) -> State:
    """Play moves that must be accepted."""
    for text in moves:
        for event in events(state, text):
            state = RUMMY101.evolve(state, event)
    return state


def refusal(state: State, text: str) -> Rejection:
    """Play a move that must be refused."""
    answer = RUMMY101.decide(state, command(state, text))
    assert isinstance(answer, Rejection), (text, answer)
    return answer


def refused(state: State, text: str) -> Code:
    """Play a move that must be refused and return the code."""
    return refusal(state, text).code


def hand(state: State, seat: int) -> tuple[int, ...]:
    return state.hidden.hands[seat]
