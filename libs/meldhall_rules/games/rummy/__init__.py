"""Basic Rummy: meld groups and sequences, lay off on the table, and be the first without a card.

Source: ``deploy/docs/rules/rummy.md``.
"""

from typing import Final

from meldhall_rules.games.rummy.rules import BasicRummy

RUMMY: Final = BasicRummy()

__all__ = ["RUMMY", "BasicRummy"]
