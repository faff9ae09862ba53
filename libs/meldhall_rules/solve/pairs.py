"""The most pairs in a hand. Exact.

Every pair holds a natural tile, so twins pair themselves, jokers pair tiles without a twin, and jokers left
over part twins: two jokers make two pairs of one.
Source: ``deploy/docs/rules/rummy101.md`` 19, 25, 27; ``deploy/docs/solvers.md``.
"""

from collections.abc import Sequence

from meldhall_rules.commands import MeldKind
from meldhall_rules.solve.build import Form, Slot, counts_of, fill
from meldhall_rules.solve.opening import Opening
from meldhall_rules.tiles import FACES, face_of, is_joker, number_of


def best_pairs(hand: Sequence[int], *, keep: int = 1, must: int | None = None) -> Opening | None:
    """Find the most pairs; of equally many, those of the highest numbers.

    Args:
        hand: tile ids, no two equal.
        keep: how many tiles have to stay in the hand.
        must: a tile of the hand that has to be in one of the pairs.

    Returns:
        The pairs, their number as the value, or None if ``must`` cannot be in one.
    """
    counts, jokers = counts_of(hand)
    wanted = None if must is None or is_joker(must) else face_of(must)
    by_joker = must is not None and wanted is None
    order = sorted(range(FACES), key=lambda shown: (shown != wanted, -number_of(shown), shown))
    twins = [shown for shown in order if counts[shown] == 2]
    singles = [shown for shown in order if counts[shown] == 1][:jokers]
    spare = jokers - len(singles)
    parted = twins[: spare // 2]
    faces = [(shown, False) for shown in twins if shown not in parted]
    faces += [(shown, True) for shown in (*singles, *parted, *parted)]
    if by_joker and not singles and not parted and twins:
        # No tile without a twin, one joker: it takes the place of a twin.
        faces = [(shown, shown == twins[0]) for shown in twins]
    faces.sort(key=lambda pair: (pair[0] != wanted, by_joker and not pair[1], -number_of(pair[0]), pair[0]))
    del faces[max(0, (len(hand) - keep) // 2) :]
    if must is not None and not any(joker if by_joker else shown == wanted for shown, joker in faces):
        return None
    return Opening(len(faces), fill([_pair(shown, joker) for shown, joker in faces], hand, must))


def _pair(shown: int, joker: bool) -> Form:  # noqa: FBT001 - a slot is a face and whether a joker shows it
    slots: tuple[Slot, Slot] = ((shown, False), (shown, joker))
    return MeldKind.PAIR, slots
