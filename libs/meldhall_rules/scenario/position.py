"""Building a position out of the tiles or cards that a case names, and of those that it leaves open.

A case names faces, a state holds ids. Names are claimed first, each time the lowest id that is free; what
is named nowhere is then shuffled by the key of the case under the label ``fill`` and dealt to every ``?n``,
hands by seat first and the stock last. The same case is the same position on every machine.
Source: ``deploy/docs/scenarios.md``.
"""

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.values import shown
from meldhall_rules.shuffle import permutation

FILL: Final = "fill"
"""Label of the shuffle that fills open places."""

_OPEN: Final = re.compile(r"\?([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Open:
    """A number of tiles that the case does not name: ``?n``."""

    count: int


def case_key(seed: int, round_number: int, redeals: int = 0) -> bytes:
    """Return the 32-byte shuffle key of a round of a case; another one after each void round."""
    again = f"/{redeals}" if redeals else ""
    return hashlib.sha256(f"meldhall/scenario/1/{seed}/{round_number}{again}".encode()).digest()


def read_parts(place: str, written: str) -> tuple[str | Open, ...]:
    """Read ``R1 R2 * ?3``: names and open parts.

    Raises:
        Fault: for an open part that is no number.
    """
    parts: list[str | Open] = []
    for word in written.split():
        count = _OPEN.fullmatch(word)
        if word.startswith("?") and count is None:
            raise Fault(place, f"{shown(word)} is not '?' and a number of tiles")
        parts.append(Open(int(count[1])) if count else word)
    return tuple(parts)


def read_stock(place: str, written: str) -> tuple[str | Open, ...]:
    """Read a stock in drawing order, whose open part can only be the end."""
    parts = read_parts(place, written)
    if any(isinstance(part, Open) for part in parts[:-1]):
        raise Fault(place, "'?n' can only be the end of a stock")
    return parts


class Pool:
    """The tiles that are not yet anywhere. ``names`` are the names of all ids from 0, jokers included."""

    def __init__(self, names: Sequence[str]) -> None:
        """Start with every tile free."""
        self._free: dict[str, list[int]] = {name: [] for name in names}
        for tile in reversed(range(len(names))):
            self._free[names[tile]].append(tile)
        self._copies = {name: len(tiles) for name, tiles in self._free.items()}
        self._shuffled: list[int] = []

    def claim(self, place: str, parts: Sequence[str | Open]) -> tuple[int | Open, ...]:
        """Take the named tiles, for each name the lowest id that is free; open parts stay open.

        Raises:
            Fault: for a name that the set does not have, or one written more often than the set has it.
        """
        return tuple(part if isinstance(part, Open) else self._claim(place, part) for part in parts)

    def _claim(self, place: str, name: str) -> int:
        if name not in self._free:
            raise Fault(place, f"there is no tile {shown(name)}")
        if not self._free[name]:
            raise Fault(
                place, f"{name} once more, but the position cannot hold more than {self._copies[name]}"
            )
        return self._free[name].pop()

    def shuffle(self, key: bytes) -> None:
        """End the naming: shuffle what is free, for ``fill`` and ``rest``."""
        free = sorted(tile for tiles in self._free.values() for tile in tiles)
        self._shuffled = [free[at] for at in permutation(key, FILL, len(free))]

    def fill(self, place: str, claimed: Sequence[int | Open], avoid: Collection[int] = ()) -> tuple[int, ...]:
        """Replace the open parts of a list by tiles that are named nowhere.

        Args:
            place: where the list stands in the case.
            claimed: the list, its names claimed.
            avoid: tiles that cannot be there.

        Raises:
            Fault: when fewer are left.
        """
        tiles: list[int] = []
        for part in claimed:
            if not isinstance(part, Open):
                tiles.append(part)
                continue
            fitting = [tile for tile in self._shuffled if tile not in avoid]
            if part.count > len(fitting):
                raise Fault(place, f"?{part.count}, but only {len(fitting)} tiles are left for it")
            taken = fitting[: part.count]
            tiles.extend(taken)
            self._shuffled = [tile for tile in self._shuffled if tile not in taken]
        return tuple(tiles)

    def rest(self) -> tuple[int, ...]:
        """Return all that is left."""
        return tuple(self._shuffled)
