"""Reading a scenario file: YAML text to cases, with every key and type checked.

A mapping with a key written twice is refused, where YAML itself would silently keep the last one.
Source: ``deploy/docs/scenarios.md``.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from meldhall_rules.scenario.faults import Fault, fail
from meldhall_rules.scenario.values import free_mapping, integer, listed, mapping, shown, text

_FILE_KEYS: Final = frozenset({"game", "players", "options", "cases"})
_CASE_KEYS: Final = frozenset({"id", "why", "options", "players", "given", "play", "then", "melds_to_check"})
_MOVE_KEYS: Final = frozenset({"do", "error"})


@dataclass(frozen=True, slots=True)
class Move:
    """A move of ``play``; ``error`` is None for one that must be accepted, else ``any`` or the code."""

    text: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """A case as it was written, its keys checked; what ``given`` and ``then`` hold is the game's business.

    ``players`` is None where neither the case nor its file says it. ``given`` is None for a fresh deal.
    """

    id: str
    game: str
    players: int | None
    options: Mapping[str, object]
    given: Mapping[str, object]
    play: tuple[Move, ...]
    melds_to_check: tuple[str, ...] | None
    then: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BadCase:
    """A case that cannot be run, and why."""

    id: str
    detail: str


def load(source: str) -> tuple[Case | BadCase, ...]:
    """Read the cases of a file. A fault of the file itself is a fault of each of its cases.

    Returns:
        The cases in order, at least one.
    """
    try:
        document = load_document(source)
    except Fault as fault:
        return (BadCase(WHOLE_FILE, str(fault)),)
    raw_cases = document.get("cases") if isinstance(document, dict) else None
    try:
        head = mapping("file", document, _FILE_KEYS)
        game, players, options = _head(head)
        cases = listed(_anything)("cases", head.get("cases"))
        if not cases:
            fail("cases", "there is no case")
    except Fault as fault:
        names = _names(raw_cases) or [WHOLE_FILE]
        return tuple(BadCase(name, str(fault)) for name in names)
    seen: set[str] = set()
    return tuple(
        _case_or_fault(raw, name, seen, (game, players, options))
        for raw, name in zip(cases, _names(raw_cases), strict=True)
    )


WHOLE_FILE: Final = "-"
"""The id in the result of a file that holds no readable case."""


class _StrictLoader(yaml.SafeLoader):
    """YAML's safe loader, but a key written twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - the signature is PyYAML's
        seen: set[object] = set()
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                key = self.construct_object(key_node)
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"key {key!r} is written twice", key_node.start_mark
                    )
                seen.add(key)
        return super().construct_mapping(node, deep)


def load_document(source: str) -> object:
    """Read YAML text strictly.

    Raises:
        Fault: for what is not one YAML document without repeated keys.
    """
    loader = None
    try:
        loader = _StrictLoader(source)
        return loader.get_single_data()
    except yaml.YAMLError as error:
        raise Fault("", f"not readable as YAML: {' '.join(str(error).split())}") from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise Fault("", f"not readable as YAML: {type(error).__name__}") from None
    finally:
        if loader is not None:
            loader.dispose()


def _anything(_: str, value: object) -> object:
    return value


def _head(head: Mapping[str, object]) -> tuple[str, int | None, Mapping[str, object]]:
    if "game" not in head:
        raise Fault("file", "the key 'game' is missing")
    if "cases" not in head:
        raise Fault("file", "the key 'cases' is missing")
    players = integer("players", head["players"]) if "players" in head else None
    options = free_mapping("options", head["options"]) if "options" in head else {}
    return text("game", head["game"]), players, options


def _names(raw_cases: object) -> list[str]:
    """Name every case: by its id, or by its place where it has none."""
    if not isinstance(raw_cases, list):
        return []
    ids = [raw.get("id") if isinstance(raw, dict) else None for raw in raw_cases]
    return [found if isinstance(found, str) and found else f"cases[{at}]" for at, found in enumerate(ids)]


def _case_or_fault(
    raw: object, name: str, seen: set[str], head: tuple[str, int | None, Mapping[str, object]]
) -> Case | BadCase:
    try:
        case = _case(raw, head)
        if case.id in seen:
            fail("id", f"{shown(case.id)} is the id of an earlier case")
    except Fault as fault:
        return BadCase(name, str(fault))
    seen.add(case.id)
    return case


def _case(raw: object, head: tuple[str, int | None, Mapping[str, object]]) -> Case:
    game, players, options = head
    case = mapping("case", raw, _CASE_KEYS)
    name = text("id", case.get("id"))
    if not name:
        raise Fault("id", "is empty")
    text("why", case.get("why", ""))
    if "play" in case and "melds_to_check" in case:
        raise Fault("case", "'play' and 'melds_to_check' exclude each other")
    return Case(
        id=name,
        game=game,
        players=integer("players", case["players"]) if "players" in case else players,
        options={**options, **free_mapping("options", case.get("options", {}))},
        given=free_mapping("given", case.get("given", {})),
        play=listed(_move)("play", case.get("play", [])),
        melds_to_check=listed(text)("melds_to_check", case["melds_to_check"])
        if "melds_to_check" in case
        else None,
        then=free_mapping("then", case.get("then", {})),
    )


def _move(place: str, value: object) -> Move:
    if isinstance(value, str):
        return Move(value, None)
    move = mapping(place, value, _MOVE_KEYS)
    for key in sorted(_MOVE_KEYS):
        if key not in move:
            raise Fault(place, f"the key {key!r} is missing")
    return Move(text(f"{place}.do", move["do"]), text(f"{place}.error", move["error"]))
