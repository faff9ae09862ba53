"""What is best in a hand of Canasta or of Basic Rummy as an integer program for CP-SAT.

Written from the rules and from nothing of the solvers.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from ortools.sat.python.cp_model import IntVar, LinearExpr

from meldhall_cli.bench.cpsat import Model

VALUES = {0: 50, 1: 25, 2: 20, **dict.fromkeys(range(4, 10), 5), **dict.fromkeys(range(10, 14), 10)}
"""By number, jokers as 0."""
ORDINARY = (1, *range(4, 14))


def canasta_opening_model(hand: Sequence[int], pile: Sequence[int] = ()) -> Model:
    """Ask for the dearest new melds that leave a discard; with a pile, the top last, they have its top."""
    held = Counter(tile // 2 % 13 + 1 if tile < 104 else 0 for tile in (*hand, *pile[-1:]))
    model = Model()
    laid = [_meld(model, number, held) for number in ORDINARY]
    twos, jokers = _twos_meld(model, held)
    canastas = [_canasta(model, sum(meld)) for meld in laid] + [_canasta(model, twos + jokers)]
    model.cp.add(sum(meld[1] for meld in laid) + twos <= held[2])
    model.cp.add(sum(meld[2] for meld in laid) + jokers <= held[0])
    if pile:
        top = pile[-1] // 2 % 13 + 1
        model.cp.add(laid[ORDINARY.index(top)][0] >= 3)
    some = model.count(1)
    model.cp.add(some <= sum(canastas))
    out = sum(sum(meld) for meld in laid) + twos + jokers
    model.cp.add(len(hand) + len(pile) - out >= 2 - some)
    naturals = sum(meld[0] * VALUES[number] for number, meld in zip(ORDINARY, laid, strict=True))
    wilds = sum(meld[1] * VALUES[2] + meld[2] * VALUES[0] for meld in laid)
    model.cp.maximize(naturals + wilds + twos * VALUES[2] + jokers * VALUES[0])
    return model


def _meld(model: Model, number: int, held: Counter[int]) -> tuple[IntVar, IntVar, IntVar]:
    """Return naturals, twos and jokers of the meld of a number, all zero without one."""
    there = model.count(1)
    naturals, twos, jokers = model.count(held[number]), model.count(held[2]), model.count(held[0])
    model.cp.add(naturals + twos + jokers >= 3 * there)
    model.cp.add(naturals <= held[number] * there)
    model.cp.add(twos + jokers <= 3 * there)
    model.cp.add(naturals >= twos + jokers + there)
    return naturals, twos, jokers


def _twos_meld(model: Model, held: Counter[int]) -> tuple[IntVar, IntVar]:
    there, twos, jokers = model.count(1), model.count(held[2]), model.count(held[0])
    model.cp.add(twos + jokers >= 3 * there)
    model.cp.add(twos <= held[2] * there)
    model.cp.add(jokers <= 2 * there)
    model.cp.add(twos >= jokers + there)
    return twos, jokers


def _canasta(model: Model, size: LinearExpr | int) -> IntVar:
    canasta = model.count(1)
    model.cp.add(size >= 7 * canasta)
    return canasta


def rummy_model(hand: Sequence[int], *, ace_high: bool, new_melds: int | None = None) -> Model:
    """Ask for the least points that stay in a hand of one deck; an ace counts 15 where it may be high."""
    values = {card: _points(card, ace_high=ace_high) for card in hand}
    model = Model()
    chosen: list[IntVar] = []
    used: dict[int, list[IntVar]] = {card: [] for card in hand}
    for meld in _rummy_melds(set(hand), ace_high=ace_high):
        laid = model.count(1)
        chosen.append(laid)
        for card in meld:
            used[card].append(laid)
    for found in used.values():
        model.cp.add(sum(found) <= 1)
    if new_melds is not None:
        model.cp.add(sum(chosen) <= new_melds)
    model.cp.minimize(sum((1 - sum(used[card])) * values[card] for card in hand))
    return model


def _points(card: int, *, ace_high: bool) -> int:
    rank = card % 13 + 1
    return 15 if rank == 1 and ace_high else min(rank, 10)


def _rummy_melds(held: set[int], *, ace_high: bool) -> Iterator[tuple[int, ...]]:
    for rank in range(13):
        same = [suit * 13 + rank for suit in range(4)]
        for size in (3, 4):
            yield from (group for group in combinations(same, size) if held.issuperset(group))
    highest = 14 if ace_high else 13
    for suit in range(4):
        for low in range(highest - 2):
            for high in range(low + 3, highest + 1):
                row = tuple(suit * 13 + rank % 13 for rank in range(low, high))
                if len(set(row)) == len(row) and held.issuperset(row):
                    yield row
