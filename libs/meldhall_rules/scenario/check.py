"""Comparing what a case expects with what has come out."""

from collections.abc import Mapping

from meldhall_rules.scenario.adapter import Adapter
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.session import Session
from meldhall_rules.scenario.values import shown


def refuse_unknown(case: Case, adapter: Adapter) -> None:
    """Refuse keys of ``then`` that the game does not have.

    Raises:
        Fault: naming the key and what there is.
    """
    for key in case.then:
        if key not in adapter.outcomes:
            raise Fault("then", f"unknown key {shown(key)}, known are {', '.join(sorted(adapter.outcomes))}")


def differences(case: Case, adapter: Adapter, session: Session) -> tuple[str, ...]:
    """Return every difference between what the case expects and what has come out, each as a sentence.

    Raises:
        Fault: for an expected value that cannot be read.
    """
    found: list[str] = []
    for key, written in case.then.items():
        outcome = adapter.outcomes[key]
        expected = outcome.expected(f"then.{key}", written, session)
        found.extend(_compare(key, expected, outcome.observed(session, case)))
    return tuple(found)


def _compare(key: str, expected: object, observed: object) -> list[str]:
    if isinstance(expected, Mapping) and isinstance(observed, Mapping):
        return [
            difference
            for part, value in expected.items()
            for difference in _compare(f"{key}[{part}]", value, observed[part])
        ]
    if expected == observed:
        return []
    return [f"{key}: expected {_written(expected)}, found {_written(observed)}"]


def _written(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value) if isinstance(value, int) else f'"{value}"'
