"""What many ask for at the same time, made once a version: a tournament, and its standings."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall_tournament.api import codec
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import Tournament

T = TypeVar("T")

KEPT: Final = 64
"""Tournaments whose messages are kept at most."""


class _Latest(Generic[T]):
    """What was made of the latest version of each tournament."""

    def __init__(self, make: Callable[[Tournament], T]) -> None:
        self._make = make
        self._made: OrderedDict[str, tuple[int, T]] = OrderedDict()

    def of(self, state: Tournament) -> T:
        made = self._made.get(state.tournament_id)
        if made is None or made[0] != state.version:
            made = (state.version, self._make(state))
            self._made[state.tournament_id] = made
        self._made.move_to_end(state.tournament_id)
        while len(self._made) > KEPT:
            self._made.popitem(last=False)
        return made[1]


class Shown:
    """See the module. What it returns is shared and not to be changed."""

    def __init__(self) -> None:
        self._tournaments = _Latest(codec.write_tournament)
        self._standings = _Latest(_standings)

    def tournament(self, state: Tournament) -> pb.Tournament:
        """Return a tournament as everybody sees it."""
        return self._tournaments.of(state)

    def standings(self, state: Tournament) -> Sequence[pb.Standing]:
        """Return all standings, the best first."""
        return self._standings.of(state)


def _standings(state: Tournament) -> Sequence[pb.Standing]:
    won = codec.won_by_player(state)
    return [codec.write_standing(row, won) for row in standings(state)]
