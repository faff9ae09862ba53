"""Rummy 101: reach 101 points in melds or five pairs, then be the first to get rid of every tile.

Source: ``deploy/docs/rules/rummy101.md``.
"""

from typing import Final

from meldhall_rules.games.rummy101.rules import Rummy101

RUMMY101: Final = Rummy101()

__all__ = ["RUMMY101", "Rummy101"]
