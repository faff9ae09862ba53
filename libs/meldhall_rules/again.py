"""The command behind events: what a seat must have asked for to cause them.

For checking a log: the events of a round are folded and never decided again, but whoever doubts them can
ask the rules whether a command exists that causes just these events at this place.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from meldhall_rules import commands
from meldhall_rules import events as rules
from meldhall_rules.commands import Command, MeldSpec, Placed
from meldhall_rules.events import Event, Laid, MeldLaid
from meldhall_rules.game import Game
from meldhall_rules.tiles import FACES

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
        case rules.WentOut(_, melds, discard):
            yield commands.GoOut(seat, _specs(melds), discard)
    for event in caused[:2]:
        use = _use(seat, event)
        if use is not None:
            yield use
            yield commands.TakeDiscard(seat, use)
    yield commands.AutoTurn(seat)


def _use(seat: int, event: Event) -> Use | None:
    match event:
        case rules.OpeningLaid(_, _, _, melds):
            return commands.LayOpening(seat, _specs(melds))
        case rules.MeldsLaid(_, melds):
            return commands.LayMelds(seat, _specs(melds))
        case rules.LaidOff(_, meld, tiles, _):
            return commands.LayOff(seat, meld, tuple(map(_placed, tiles)))
        case rules.JokerSwapped(_, meld, tile, _):
            return commands.SwapJoker(seat, meld, tile)
        case _:
            return None


def _specs(melds: Sequence[MeldLaid]) -> tuple[MeldSpec, ...]:
    return tuple(MeldSpec(meld.kind, tuple(map(_placed, meld.tiles))) for meld in melds)


def _placed(laid: Laid) -> Placed:
    return Placed(laid.tile, laid.face if 0 <= laid.face < FACES else None)
