"""Takes the events of all tables, each once in effect.

The ledger listens to every public event, also those that move nothing: it counts the events of a table to see
that it missed none. An event that cannot be what a correct table writes stops its table's events, and no
others, until people have looked at it; nothing that moves points or jokers is ever skipped.
"""

from collections.abc import Callable
from typing import Final

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall_ledger.domain.happenings import JokerSpent, Numbered
from meldhall_ledger.domain.refusals import Fault
from meldhall_ledger.domain.results import Ended
from meldhall_ledger.domain.rounds import RoundEnded
from meldhall_ledger.domain.transfers import Kind
from meldhall_ledger.events import read_event
from meldhall_ledger.metrics import LedgerMetrics
from meldhall_ledger.store import Applied, Duplicate, Gap, Ledger
from meldhall_messaging import ConsumerSpec, GapFound, PoisonMessage, area_filter
from meldhall_runtime.failpoints import failpoint

AREA: Final = "table"

BEFORE_COMMIT: Final = "ledger.before_commit"
"""Failpoint: a round was received and its transaction written, not committed."""

AFTER_COMMIT: Final = "ledger.after_commit"
"""Failpoint: a round's transaction is committed, its message not acknowledged."""


def consumer_spec(durable: str, ack_wait: float) -> ConsumerSpec:
    """Return the durable consumer of a ledger: all events of all tables."""
    return ConsumerSpec(durable, (area_filter(AREA),), ack_wait=ack_wait)


class TableEvents:
    """Applies one envelope to the ledger; the handler of a ``meldhall_messaging.Consumer``."""

    def __init__(self, ledger: Ledger, metrics: LedgerMetrics) -> None:
        self._ledger = ledger
        self._metrics = metrics
        self._before_commit = failpoint(BEFORE_COMMIT)
        self._after_commit = failpoint(AFTER_COMMIT)

    async def apply(self, envelope: EventEnvelope) -> None:
        """Apply an event. What it does is durable on return.

        Raises:
            GapFound: events before it are missing; nothing changed.
            PoisonMessage: people have to look at it; nothing changed.
            LogUnavailable: the database did not answer; to be tried again.
        """
        event = read_event(envelope)
        answer = await self._ledger.apply(event, before_commit=self._hook(event, self._before_commit))
        match answer:
            case Applied():
                self._hook(event, self._after_commit)()
                self._metrics.events.labels("applied").inc()
                self._count(event, answer)
            case Duplicate():
                self._metrics.events.labels("duplicate").inc()
            case Gap():
                self._metrics.events.labels("gap").inc()
                raise GapFound(event.stream_id, last=answer.last_sequence, sequence=event.sequence)
            case Fault():
                self._metrics.events.labels("poison").inc()
                raise PoisonMessage(f"{answer.code}: {answer.detail}")

    def _count(self, event: Numbered, answer: Applied) -> None:
        if isinstance(event.happening, JokerSpent):
            self._metrics.transfers_posted.labels(Kind.JOKER_SPENT).inc()
        if isinstance(event.happening, RoundEnded):
            self._metrics.rounds_settled.inc()
        if isinstance(event.happening, Ended):
            posted = sum(seat.transfer is not None for seat in answer.seats)
            self._metrics.transfers_posted.labels(event.happening.kind).inc(posted)

    @staticmethod
    def _hook(event: Numbered, hook: Callable[[], None]) -> Callable[[], None]:
        """Return the hook where a round ends: the place where being killed would hurt most."""
        return hook if isinstance(event.happening, RoundEnded) else lambda: None
