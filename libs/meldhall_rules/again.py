"""The command behind events: what a seat must have asked for to cause them.

For checking a log: the events of a round are folded and never decided again, but whoever doubts them can
ask the rules whether a command exists that causes just these events at this place.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from meldhall_rules import commands
from meldhall_rules import events as rules
from meldhall_rules.commands import Command, MeldSpec, Placed
from meldhall_rules.events import Event, Laid, MeldLaid
from meldhall_rules.game import Game

Use = commands.LayOpening | commands.LayMelds | commands.LayOff | commands.SwapJoker


def is_caused(game: Game, state: Any, seat: int, caused: Sequence[Event]) -> bool:
    """Tell whether a command of a seat, or its automatic turn, causes exactly these events in this state."""
    return any(game.decide(state, command) == tuple(caused) for command in _candidates(seat, caused))


def _candidates(seat: int, caused: Sequence[Event]) -> Iterator[Command]:
    match caused[0]:
        case rules.StockDrawn() | rules.BonusExposed() | rules.StockReshuffled() | rules.RoundEnded():
            yield commands.Draw(seat)
        case rules.DiscardTaken() | rules.PileTaken():
            yield commands.TakeDiscard(seat)
        case rules.JokerIssued():
            yield commands.PressJokerButton(seat)
        case rules.Discarded(_, tile):
            yield commands.Discard(seat, tile)
    # What a tile stood for was declared in some games, and may not be in others.
    for placed in (_declared, _plain):
        for event in caused[:2]:
            yield from _layings(seat, event, placed)
    yield commands.AutoTurn(seat)


def _layings(seat: int, event: Event, placed: Callable[[Laid], Placed]) -> Iterator[Command]:
    match event:
        case rules.WentOut(_, melds, discard):
            yield commands.GoOut(seat, _specs(melds, placed), discard)
            return
        case rules.OpeningLaid(_, _, _, melds):
            use: Use = commands.LayOpening(seat, _specs(melds, placed))
        case rules.MeldsLaid(_, melds):
            use = commands.LayMelds(seat, _specs(melds, placed))
        case rules.LaidOff(_, meld, tiles, _):
            use = commands.LayOff(seat, meld, tuple(map(placed, tiles)))
        case rules.JokerSwapped(_, meld, tile, _):
            use = commands.SwapJoker(seat, meld, tile)
        case _:
            return
    yield use
    yield commands.TakeDiscard(seat, use)


def _specs(melds: Sequence[MeldLaid], placed: Callable[[Laid], Placed]) -> tuple[MeldSpec, ...]:
    return tuple(MeldSpec(meld.kind, tuple(map(placed, meld.tiles))) for meld in melds)


def _declared(laid: Laid) -> Placed:
    return Placed(laid.tile, laid.face)


def _plain(laid: Laid) -> Placed:
    return Placed(laid.tile)
