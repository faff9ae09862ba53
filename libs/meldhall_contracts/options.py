"""Options of a game between their message and their canonical text form.

By the message's own description, so that a new game needs a field of ``GameOptions`` and nothing here: the
name of the field is the name of the game, an enum value's text is its name without the enum's, in lower
case, what is unspecified is absent, and so is what is unlimited.
"""

import re
from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from meldhall.common.v1 import game_pb2
from meldhall_rules import registry
from meldhall_rules.rejections import Rejection
from meldhall_rules.settings import UNLIMITED


def game_of(message: game_pb2.GameOptions) -> tuple[str, dict[str, object]] | None:
    """Read which game is asked for and the options given; None where no game is named.

    Raises:
        ValueError: naming the option whose enum value this version does not know.
    """
    name = message.WhichOneof("game")
    if name is None:
        return None
    options: Any = getattr(message, name)
    given: dict[str, object] = {}
    for field in options.DESCRIPTOR.fields:
        value = getattr(options, field.name)
        if field.enum_type is None:
            if not field.has_presence or options.HasField(field.name):
                given[field.name] = value
        elif value:
            given[field.name] = _enum_text(field.enum_type, value, f"options.{name}.{field.name}")
    return name, given


def to_message(game: str, canonical: Mapping[str, str]) -> game_pb2.GameOptions:
    """Write canonical options as the game's message."""
    message = game_pb2.GameOptions()
    options: Any = getattr(message, game)
    options.SetInParent()
    for name, text in canonical.items():
        if text == UNLIMITED:
            continue
        setattr(options, name, _value(options.DESCRIPTOR.fields_by_name[name], text))
    return message


def canonical_of(message: game_pb2.GameOptions) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Read back what ``to_message`` wrote: the game, and all its options in text form, sorted by name.

    What is absent is the game's default: nothing else is ever unlimited, and a message that was written
    before an option existed is of the game as it was then.

    Raises:
        ValueError: no game is named, or an option has a value that the game does not know.
    """
    found = game_of(message)
    if found is None:
        raise ValueError("the options name no game")
    name, given = found
    canonical = registry.game(name).parse_options(given)
    if isinstance(canonical, Rejection):
        raise ValueError(canonical.detail)  # noqa: TRY004 - a value that cannot be, not a wrong type
    return name, tuple(sorted(canonical.items()))


def _value(field: FieldDescriptor, text: str) -> object:
    if field.enum_type is not None:
        return field.enum_type.values_by_name[f"{_prefix(field.enum_type)}{text.upper()}"].number
    if field.type == FieldDescriptor.TYPE_BOOL:
        return text == "true"
    return text if field.type == FieldDescriptor.TYPE_STRING else int(text)


def _enum_text(kind: EnumDescriptor, number: int, where: str) -> str:
    value = kind.values_by_number.get(number)
    if value is None:
        raise ValueError(f"{where} has no value {number}")
    return str(value.name).removeprefix(_prefix(kind)).lower()


def _prefix(kind: EnumDescriptor) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.name).upper() + "_"
