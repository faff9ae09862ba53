"""Options of a game as values and as text."""

from dataclasses import dataclass
from enum import StrEnum

import pytest

from meldhall_rules import settings
from meldhall_rules.rejections import Code, Rejection


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    loud: bool = False
    rounds: int = 6
    limit: int | None = None
    colour: Colour = Colour.RED


def test_what_is_not_given_is_the_default() -> None:
    assert settings.parse(Options, "game", {}) == Options()


def test_values_and_their_text_forms_are_the_same() -> None:
    values = settings.parse(Options, "game", {"loud": True, "rounds": 0, "limit": 3, "colour": Colour.BLUE})
    texts = settings.parse(Options, "game", {"loud": "true", "rounds": "0", "limit": "3", "colour": "blue"})
    assert values == texts == Options(loud=True, rounds=0, limit=3, colour=Colour.BLUE)
    assert isinstance(texts, Options)
    assert isinstance(texts.colour, Colour)


@pytest.mark.parametrize("unlimited", [None, "unlimited"])
def test_a_count_without_a_default_may_be_unlimited(unlimited: object) -> None:
    assert settings.parse(Options, "game", {"limit": unlimited}) == Options()
    assert isinstance(settings.parse(Options, "game", {"rounds": unlimited}), Rejection)


def test_the_canonical_text_has_all_options_and_is_read_back() -> None:
    text = settings.canonical(Options(loud=True))
    assert text == {"loud": "true", "rounds": "6", "limit": "unlimited", "colour": "red"}
    assert settings.from_canonical(Options, "game", text) == Options(loud=True)
    with pytest.raises(ValueError, match="rounds is 'many', not a count"):
        settings.from_canonical(Options, "game", {"rounds": "many"})


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({"color": 1}, "game has no option 'color'"),
        ({"colour": "green"}, "colour is 'green', not one of red, blue"),
        ({"colour": 1}, "colour is 1, not one of red, blue"),
        ({"loud": 1}, "loud is 1, not true or false"),
        ({"loud": "yes"}, "loud is 'yes', not true or false"),
        ({"rounds": True}, "rounds is True, not a count"),
        ({"rounds": -1}, "rounds is -1, not a count"),
        ({"rounds": "01"}, "rounds is '01', not a count"),
        ({"rounds": 10**6}, "rounds is 1000000, not a count"),
        ({"limit": []}, "limit is [], not a count"),
        ({"limit": 1.5}, "limit is 1.5, not a count"),
    ],
)
def test_another_option_or_value_is_refused_by_name(given: dict[str, object], detail: str) -> None:
    assert settings.parse(Options, "game", given) == Rejection(Code.UNKNOWN_OPTION, detail)
