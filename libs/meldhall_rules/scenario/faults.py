"""What is wrong with a scenario: the place in the file and what stands there.

Internal to the runner. Every fault ends as a failed case; none leaves ``run_text``.
"""

from typing import Never


class Fault(Exception):
    """Something in a scenario that cannot be read, or a position that cannot exist."""

    def __init__(self, place: str, what: str) -> None:
        """Name the place, ``given.hands[0]``, and say what is wrong there."""
        super().__init__(f"{place}: {what}" if place else what)


def fail(place: str, what: str) -> Never:
    """Raise a fault, where a ``try`` of the same function catches it."""
    raise Fault(place, what)
