"""What a simulation comes to: wins, scores, ways to finish, and by how much one bot is better.

Rounds with the same tiles are not independent of each other, so the margin is taken deal by deal, and its
interval from the spread of the deals (Student's t). Source: ``deploy/docs/bots.md``.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Final

from meldhall_rules.simulate import PlayedRound

NORMAL_97_5: Final = 1.959964
"""The point of the normal distribution with 2.5 % above it."""

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class BotResult:
    """How a bot did. ``played`` counts the sides it had over all rounds, ``wins`` those that went out."""

    bot: str
    played: int
    wins: int
    mean_score: float


@dataclass(frozen=True, slots=True)
class Margin:
    """By how many points a round the first bot is better than the second, positive when it is.

    ``low`` and ``high`` bound the 95 % confidence interval; they are None with fewer than two ``deals``.
    """

    first: str
    second: str
    mean: float
    low: float | None
    high: float | None
    deals: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a simulation comes to. ``margin`` is None for a single bot, or if the two never met."""

    rounds: int
    bots: tuple[BotResult, ...]
    finishes: tuple[tuple[str, int], ...]
    moves: int
    faults: int
    margin: Margin | None


@dataclass(slots=True)
class Tally:
    """Counts rounds as they are played. ``lowest_wins`` where scores are penalties."""

    bots: tuple[str, ...]
    lowest_wins: bool
    _scores: list[list[int]] = field(init=False)
    _wins: list[int] = field(init=False)
    _finishes: Counter[str] = field(default_factory=Counter, init=False)
    _margins: dict[int, list[float]] = field(default_factory=dict, init=False)
    _moves: int = field(default=0, init=False)
    _faults: int = field(default=0, init=False)
    _rounds: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Begin with nothing counted."""
        self._scores = [[] for _ in self.bots]
        self._wins = [0 for _ in self.bots]

    @property
    def moves(self) -> int:
        """Return the number of moves so far."""
        return self._moves

    def add(self, played: PlayedRound) -> None:
        """Count a round."""
        plan, ended = played.plan, played.ended
        self._rounds += 1
        self._moves += len(played.moves)
        self._faults += played.faults
        self._finishes[ended.finish.value] += 1
        if ended.winner is not None:
            self._wins[plan.bots[ended.winner]] += 1
        scores: dict[int, list[int]] = {}
        for bot, score in zip(plan.bots, ended.scores, strict=True):
            self._scores[bot].append(score)
            scores.setdefault(bot, []).append(score)
        if 0 in scores and 1 in scores:
            difference = fmean(scores[0]) - fmean(scores[1])
            self._margins.setdefault(plan.deal, []).append(-difference if self.lowest_wins else difference)

    def summary(self) -> Summary:
        """Return what the rounds so far come to."""
        results = tuple(
            BotResult(bot, len(scores), wins, _rounded(fmean(scores)) if scores else 0.0)
            for bot, scores, wins in zip(self.bots, self._scores, self._wins, strict=True)
        )
        finishes = tuple(sorted(self._finishes.items()))
        return Summary(self._rounds, results, finishes, self._moves, self._faults, self._margin())

    def _margin(self) -> Margin | None:
        if not self._margins:
            return None
        deals = [fmean(margins) for _, margins in sorted(self._margins.items())]
        mean, reach = fmean(deals), _reach(deals)
        low, high = (None, None) if reach is None else (_rounded(mean - reach), _rounded(mean + reach))
        return Margin(self.bots[0], self.bots[1], _rounded(mean), low, high, len(deals))


def _reach(values: Sequence[float]) -> float | None:
    """Return half the width of the 95 % interval of a mean; Student's t by its series in 1/n."""
    free = len(values) - 1
    if free < 1:
        return None
    z = NORMAL_97_5
    student = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    return float(student * stdev(values) / len(values) ** 0.5)


def _rounded(value: float) -> float:
    # Adding zero turns a negative zero into zero, which is written without a sign.
    return round(value, _DIGITS) + 0.0
