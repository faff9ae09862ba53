"""The options of a Basic Rummy table.

Source: ``deploy/docs/rules/rummy.md`` 3, 6, 10, 14, 15.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from meldhall_rules import settings
from meldhall_rules.rejections import Rejection

_NAME = "rummy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one table; None is no limit.

    Attributes:
        ace_high_low: queen, king, ace is a sequence too, and an ace left in a hand counts 15.
        must_discard_to_go_out: the last card leaves the hand by a discard only.
        max_melds_per_turn: new melds in one turn.
        max_reshuffles: how often the stock is rebuilt in a hand.
        max_idle_reshuffles: how often it is rebuilt in a row while nobody lays a card.
        two_player_winner_deals: of two players the winner of a hand deals the next.
    """

    ace_high_low: bool = False
    must_discard_to_go_out: bool = False
    max_melds_per_turn: int | None = None
    max_reshuffles: int | None = None
    max_idle_reshuffles: int = 6
    two_player_winner_deals: bool = False

    def canonical(self) -> dict[str, str]:
        """Return all options by name in their text form."""
        return settings.canonical(self)


def parse(given: Mapping[str, object]) -> Options | Rejection:
    """Read options by name; ``UNKNOWN_OPTION`` names the option or the value that the game does not have."""
    return settings.parse(Options, _NAME, given)


def from_canonical(text: Mapping[str, str]) -> Options:
    """Read the text form back.

    Raises:
        ValueError: for a text that ``canonical`` did not write.
    """
    return settings.from_canonical(Options, _NAME, text)
