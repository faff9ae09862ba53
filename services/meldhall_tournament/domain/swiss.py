"""Swiss pairing: equal scores meet, nobody meets the same twice, nobody has a second bye.

Players come in the order of the standings. An odd one out gets the bye: the lowest of those with the fewest
byes. Small fields are matched as a whole. Large ones from the top down: a score group and whoever was left
over from the one above is cut into blocks, each with as many of its upper as of its lower half; what finds
nobody goes down to the next group, and what is left at the bottom is matched anew with the lowest pairs.

Of a block of w players each has met at most r others. By Dirac's theorem (1952) a graph of w (even) points
that are joined to at least w/2 others each has a perfect matching, and w - 1 - r >= w/2 for w >= 2(r + 1).
So in blocks that large nobody has to meet the same again. Each block is a maximum weight matching (blossom
algorithm) by rustworkx.

Weights rank in this order: not again, small differences of score (squared, so that two small ones are
better than a large one), upper half against lower half of a score group.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import rustworkx

BLOCK: Final = 64
"""Players that are matched as a whole, at least where there are that many."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody to be paired. ``met`` has those whom he has met."""

    number: int
    score: int
    met: AbstractSet[int]
    byes: int = 0


Pair = tuple[int, int]


def pair(players: Sequence[Candidate]) -> tuple[list[Pair], int | None]:
    """Return the pairs, the best first, and who has the bye; players in the order of the standings."""
    field, bye = _with_bye(players)
    return _pair_even(field), bye


def _with_bye(players: Sequence[Candidate]) -> tuple[list[Candidate], int | None]:
    if len(players) % 2 == 0:
        return list(players), None
    fewest = min(one.byes for one in players)
    candidates = [at for at in range(len(players) - 1, -1, -1) if players[at].byes == fewest]
    if len(players) <= _block_size(players):
        # In a small field the lowest may be the only one whom somebody else can still meet.
        for at in candidates:
            rest = [*players[:at], *players[at + 1 :]]
            if not _repeats(rest, _match(rest)):
                return rest, players[at].number
    at = candidates[0]
    return [*players[:at], *players[at + 1 :]], players[at].number


def _repeats(players: Sequence[Candidate], pairs: Iterable[Pair]) -> int:
    met = {one.number: one.met for one in players}
    return sum(other in met[one] for one, other in pairs)


def _block_size(players: Sequence[Candidate]) -> int:
    return max(BLOCK, 2 * (max((len(one.met) for one in players), default=0) + 1))


def _pair_even(players: Sequence[Candidate]) -> list[Pair]:
    size = _block_size(players)
    if len(players) <= size:
        return _match(players)
    pairs: list[tuple[Candidate, Candidate]] = []
    waiting: list[Candidate] = []
    for _, group in groupby(players, key=lambda one: one.score):
        found, waiting = _pair_pool([*waiting, *group], size)
        pairs += found
    while waiting:
        # As many of the lowest pairs as make a block in which nobody has to meet the same again.
        wanted = max(1, (size - len(waiting) + 1) // 2)
        lowest, pairs = pairs[-wanted:], pairs[:-wanted]
        pool = sorted([*waiting, *(one for two in lowest for one in two)], key=_place(players).__getitem__)
        return [(one.number, other.number) for one, other in pairs] + _match(pool)
    return [(one.number, other.number) for one, other in pairs]


def _place(players: Sequence[Candidate]) -> "dict[Candidate, int]":
    return {one: at for at, one in enumerate(players)}


def _pair_pool(
    pool: Sequence[Candidate], size: int
) -> tuple[list[tuple[Candidate, Candidate]], list[Candidate]]:
    """Pair a score group and those from above; return the pairs and who found nobody, in order."""
    paired: list[tuple[Candidate, Candidate]] = []
    left: list[Candidate] = []
    over = [pool[-1]] if len(pool) % 2 else []
    even = pool[: len(pool) - len(over)]
    half = len(even) // 2
    blocks = max(1, len(even) // size)
    for block in range(blocks):
        start, end = half * block // blocks, half * (block + 1) // blocks
        members = [*even[start:end], *even[half + start : half + end]]
        matched = _matching(members, again=False)
        seated = {at for two in matched for at in two}
        paired += [(members[one], members[other]) for one, other in matched]
        left += [member for at, member in enumerate(members) if at not in seated]
    return paired, [*left, *over]


def _match(players: Sequence[Candidate]) -> list[Pair]:
    return [(players[one].number, players[other].number) for one, other in _matching(players, again=True)]


def _matching(players: Sequence[Candidate], *, again: bool) -> list[tuple[int, int]]:
    """Return the best pairs of places, the best first; ``again`` allows those who have met, at a price."""
    count = len(players)
    scores = [one.score for one in players]
    ideal = _ideal(scores)
    spread = max(scores, default=0) - min(scores, default=0)
    score_price = count**3 + 1
    again_price = score_price * (count * spread * spread + 1)
    top = again_price * 64
    edges = []
    for one in range(count):
        mine = players[one]
        for other in range(one + 1, count):
            theirs = players[other]
            price = (mine.score - theirs.score) ** 2 * score_price
            price += (other - one - ideal[one]) ** 2
            if theirs.number in mine.met:
                if not again:
                    continue
                price += again_price
            edges.append((one, other, top - price))
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * count)
    graph.extend_from_weighted_edge_list(edges)
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(two), max(two)) for two in found)


def _ideal(scores: Sequence[int]) -> list[int]:
    """Return how far below each player his opponent should be: half of his score group."""
    ideal: list[int] = []
    for _, group in groupby(scores):
        size = len(list(group))
        ideal += [max(1, size // 2)] * size
    return ideal
