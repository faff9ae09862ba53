"""Where a consumer stands in a stream: the rule that makes every event count once.

The public events of a stream are numbered 1, 2, 3, … without holes. A consumer stores the number of the last
one that it applied in the transaction of the effect, and so knows of each event whether it is old, next, or
too early.
"""

from enum import StrEnum

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_messaging.errors import GapFound


class Standing(StrEnum):
    """What an event is to a consumer."""

    DUPLICATE = "duplicate"
    """Applied already: do nothing and be content."""
    APPLY = "apply"
    """The next one."""
    GAP = "gap"
    """Too early: events before it are missing."""


def classify(last: int, sequence: int) -> Standing:
    """Compare an event's sequence with the last one that was applied, 0 for none."""
    if sequence <= last:
        return Standing.DUPLICATE
    return Standing.APPLY if sequence == last + 1 else Standing.GAP


def admit(last: int, envelope: EventEnvelope) -> bool:
    """Return whether a handler should apply an event, given the last sequence that it applied of this stream.

    Call it inside the transaction that loads and stores ``last``.

    Raises:
        GapFound: events are missing; let it pass, the consumer fetches them and calls the handler for each.
    """
    match classify(last, envelope.sequence):
        case Standing.APPLY:
            return True
        case Standing.DUPLICATE:
            return False
        case Standing.GAP:
            raise GapFound(envelope.stream_id, last=last, sequence=envelope.sequence)
