"""The options of a Canasta table.

Everything that the rules settle once for all is not an option.
Source: ``deploy/docs/rules/canasta.md`` 30.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from meldhall_rules.rejections import Code, Rejection

_NAME: Final = "joker_button_source"


class ButtonSource(StrEnum):
    """Where the joker of the Joker button comes from: out of the stock, or as a tile more."""

    STOCK = "stock"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one table."""

    joker_button_source: ButtonSource = ButtonSource.STOCK

    def canonical(self) -> dict[str, str]:
        """Return all options by name in their text form."""
        return {_NAME: self.joker_button_source.value}


DEFAULTS: Final = Options()


def parse(given: Mapping[str, object]) -> Options | Rejection:
    """Read options by name; ``UNKNOWN_OPTION`` names the option or the value that the game does not have."""
    unknown = sorted(set(given) - {_NAME})
    if unknown:
        return Rejection(Code.UNKNOWN_OPTION, f"canasta has no option {unknown[0]!r}")
    source = given.get(_NAME, DEFAULTS.joker_button_source)
    if not isinstance(source, str) or source not in set(ButtonSource):
        values = ", ".join(ButtonSource)
        return Rejection(Code.UNKNOWN_OPTION, f"{_NAME} is {source!r}, not one of {values}")
    return Options(joker_button_source=ButtonSource(source))


def from_canonical(text: Mapping[str, str]) -> Options:
    """Read the text form back.

    Raises:
        ValueError: for a text that ``canonical`` did not write.
    """
    options = parse(text)
    if isinstance(options, Options):
        return options
    raise ValueError(options.detail)
