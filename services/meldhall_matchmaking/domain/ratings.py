"""How strong a player is in a game, as far as results tell.

A rating is a mean and an uncertainty, updated by the Plackett-Luce model of openskill after every ranked
match: sides in order of their result, a side of several being a team. Source: Weng and Lin, "A Bayesian
Approximation Method for Online Ranking", 2011; the package's defaults.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from openskill.models import PlackettLuce

MU: Final = 25.0
"""The mean of who never played."""

SIGMA: Final = MU / 3
MIDDLE: Final = 1_500
"""Points of who never played."""

POINTS: Final = 60
"""Points of one unit of the model: from 0 to 3,000 for nearly everybody."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating in one game.

    Attributes:
        mu: The mean, in units of the model.
        sigma: Its standard deviation.
        matches: How many it rests on.
    """

    mu: float = MU
    sigma: float = SIGMA
    matches: int = 0

    @property
    def points(self) -> int:
        """The mean as people see it, and as windows are measured."""
        return round(MIDDLE + (self.mu - MU) * POINTS)

    @property
    def uncertainty(self) -> int:
        """The true strength lies within so many points of the mean, 19 times out of 20."""
        return round(2 * self.sigma * POINTS)


def rated(sides: Sequence[Sequence[Rating]], ranks: Sequence[int]) -> list[list[Rating]]:
    """Return the ratings after a match.

    Args:
        sides: The ratings before it, by side.
        ranks: The place of each side, the best being the smallest; equal ones share it.

    Raises:
        ValueError: there is not one rank a side, or fewer than two sides, or one without players.
    """
    if len(sides) < 2 or len(sides) != len(ranks) or not all(sides):
        raise ValueError(f"{len(sides)} sides and {len(ranks)} ranks")
    model = _model()
    teams = [[model.rating(mu=one.mu, sigma=one.sigma) for one in side] for side in sides]
    after = model.rate(teams, ranks=[float(rank) for rank in ranks])
    return [
        [Rating(new.mu, new.sigma, old.matches + 1) for new, old in zip(team, side, strict=True)]
        for team, side in zip(after, sides, strict=True)
    ]


def ranks_of(winners: Sequence[int], totals: Sequence[int], *, lowest_wins: bool) -> list[int]:
    """Return the places of sides by their result: who won is first, the others follow by their totals."""
    first = set(winners)
    keys = [
        (0, 0) if side in first else (1, total if lowest_wins else -total)
        for side, total in enumerate(totals)
    ]
    order = sorted(set(keys))
    return [order.index(key) for key in keys]


@cache
def _model() -> PlackettLuce:
    return PlackettLuce(mu=MU, sigma=SIGMA)
