"""What a meld of Canasta is, by how many naturals, twos and jokers it has.

Source: ``deploy/docs/rules/canasta.md`` 7-13.
"""

from dataclasses import dataclass
from typing import Final

from meldhall_rules.canasta_tiles import THREE, TWO

SMALLEST_MELD: Final = 3
MOST_WILDS: Final = 3
MOST_JOKERS_WITH_TWOS: Final = 2
CANASTA: Final = 7
"""Tiles of the smallest canasta."""

CLEAN_BONUS: Final = 500
DIRTY_BONUS: Final = 300
CLEAN_TWOS_BONUS: Final = 1000
DIRTY_TWOS_BONUS: Final = 700


@dataclass(frozen=True, slots=True)
class Shape:
    """How many tiles of each sort a meld has; in the twos meld (``number`` 2) the twos are the naturals."""

    number: int
    naturals: int
    twos: int
    jokers: int

    @property
    def wilds(self) -> int:
        """Return the wilds: twos and jokers, in the twos meld the jokers."""
        return self.jokers if self.number == TWO else self.twos + self.jokers

    @property
    def size(self) -> int:
        """Return the number of tiles."""
        return self.naturals + self.wilds

    @property
    def is_canasta(self) -> bool:
        """Tell whether the meld has seven tiles or more (rule 12)."""
        return self.size >= CANASTA

    @property
    def bonus(self) -> int:
        """Return the bonus of a canasta, 0 for a smaller meld (rule 12)."""
        if not self.is_canasta:
            return 0
        if self.number == TWO:
            return DIRTY_TWOS_BONUS if self.wilds else CLEAN_TWOS_BONUS
        return DIRTY_BONUS if self.wilds else CLEAN_BONUS


def fault_of(shape: Shape) -> str | None:
    """Say what is wrong with a shape as a whole meld, None if nothing is (rules 7-9)."""
    if shape.number == THREE:
        return "threes are not melded"
    if shape.size < SMALLEST_MELD:
        return f"a meld of {shape.size} tiles"
    if shape.wilds >= shape.naturals:
        return f"{shape.naturals} naturals and {shape.wilds} wilds: naturals have to be more"
    most = MOST_JOKERS_WITH_TWOS if shape.number == TWO else MOST_WILDS
    return f"{shape.wilds} wilds, {most} at most" if shape.wilds > most else None
