"""What the runner needs to know of a game beyond ``Game``: how its scenarios describe positions and outcomes.

A game joins by a module of its own and a line in ``adapters.py``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.session import Session

Expected = object
"""What a case expects, or what came out: text, number, truth, None, a tuple or a mapping of them."""

Expectation = Callable[[str, object, Session], Expected]
"""Reads an expected value at a place: ``read(place, value, session)``; raises ``Fault``."""

Observation = Callable[[Session, Case], Expected]
"""Reads from a session what has come out, in the form in which it is expected."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A key of ``then``: how the case writes it and how the session shows it.

    Mappings are compared only for the keys that the case writes.
    """

    expected: Expectation
    observed: Observation


@dataclass(frozen=True, slots=True)
class Adapter:
    """The scenarios of a game: how to begin a case and the outcomes that it may name."""

    begin: Callable[[Case], Session]
    outcomes: Mapping[str, Outcome]
