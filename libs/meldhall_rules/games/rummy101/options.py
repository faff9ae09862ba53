"""The options of a Rummy 101 table.

Everything that the rules settle once for all is not an option.
Source: ``deploy/docs/rules/rummy101.md`` 8, 10, 22, 29, 30, 38.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from meldhall_rules import settings
from meldhall_rules.rejections import Rejection

_NAME = "rummy101"


class OpeningMode(StrEnum):
    """What an opening needs: the same for everybody, or more than the opening before it."""

    FIXED = "fixed"
    RISING = "rising"


class ButtonSource(StrEnum):
    """Where the joker of the Joker button comes from: a tile more, or out of the stock."""

    EXTRA = "extra"
    STOCK = "stock"


class SetJoker(StrEnum):
    """What a joker in a set of three with two naturals stands for: one colour, or either missing one."""

    FIXED = "fixed"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one table.

    Attributes:
        opening: what an opening needs, rules 29 and 30.
        starter_may_meld: whether the starter may lay tiles in his first turn, rule 8.
        playable_discard_penalty: points for the discard of a natural tile that fits a meld, rule 10.
        joker_discard_penalty: points for the discard of a joker, rule 10.
        joker_button_source: where the joker of the Joker button comes from, rule 38.
        set_joker_color: what a joker in a set of three stands for, rule 22.
    """

    opening: OpeningMode = OpeningMode.FIXED
    starter_may_meld: bool = True
    playable_discard_penalty: int = 0
    joker_discard_penalty: int = 0
    joker_button_source: ButtonSource = ButtonSource.EXTRA
    set_joker_color: SetJoker = SetJoker.FIXED

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
