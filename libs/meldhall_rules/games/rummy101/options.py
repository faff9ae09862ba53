"""The options of a Rummy 101 table.

Everything that the rules settle once for all is not an option.
Source: ``deploy/docs/rules/rummy101.md`` 29, 30.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from meldhall_rules.rejections import Code, Rejection


class OpeningMode(StrEnum):
    """What an opening needs: the same for everybody, or more than the opening before it."""

    FIXED = "fixed"
    RISING = "rising"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one table."""

    opening: OpeningMode = OpeningMode.FIXED

    def canonical(self) -> dict[str, str]:
        """Return all options by name in their text form."""
        return {"opening": self.opening.value}


DEFAULTS: Final = Options()


def parse(given: Mapping[str, object]) -> Options | Rejection:
    """Read options by name; ``UNKNOWN_OPTION`` names the option or the value that the game does not have."""
    unknown = sorted(set(given) - {"opening"})
    if unknown:
        return Rejection(Code.UNKNOWN_OPTION, f"rummy101 has no option {unknown[0]!r}")
    opening = given.get("opening", DEFAULTS.opening)
    if not isinstance(opening, str) or opening not in set(OpeningMode):
        values = ", ".join(OpeningMode)
        return Rejection(Code.UNKNOWN_OPTION, f"opening is {opening!r}, not one of {values}")
    return Options(opening=OpeningMode(opening))


def from_canonical(text: Mapping[str, str]) -> Options:
    """Read the text form back.

    Raises:
        ValueError: for a text that ``canonical`` did not write.
    """
    options = parse(text)
    if isinstance(options, Options):
        return options
    raise ValueError(options.detail)
