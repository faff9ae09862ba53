"""Canasta with rummy tiles: two teams of two build melds of seven tiles and more.

Source: ``deploy/docs/rules/canasta.md``.
"""

from typing import Final

from meldhall_rules.games.canasta.rules import Canasta

CANASTA: Final = Canasta()

__all__ = ["CANASTA", "Canasta"]
