"""The options of a Three-Thirteen table.

Source: ``deploy/docs/rules/three_thirteen.md`` 6, 10, 17.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from meldhall_rules import settings
from meldhall_rules.rejections import Rejection

_NAME = "three_thirteen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one table.

    Attributes:
        forbid_return_discard: the card taken from the discard pile may not be discarded in the same turn.
        allow_all_wild: three or more cards of the wild rank alone are a set.
        max_reshuffles: how often the stock is rebuilt in a round in which nobody goes out.
    """

    forbid_return_discard: bool = False
    allow_all_wild: bool = False
    max_reshuffles: int = 6

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
