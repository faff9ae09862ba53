"""Three-Thirteen: eleven rounds, each with its own wild rank; the lowest total wins.

Source: ``deploy/docs/rules/three_thirteen.md``.
"""

from typing import Final

from meldhall_rules.games.three_thirteen.rules import ThreeThirteen

THREE_THIRTEEN: Final = ThreeThirteen()

__all__ = ["THREE_THIRTEEN", "ThreeThirteen"]
