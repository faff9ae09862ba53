"""What every live table works with."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from structlog.stdlib import BoundLogger

from meldhall_eventlog.store import EventLog
from meldhall_runtime.clock import Clock
from meldhall_table.metrics import TableMetrics
from meldhall_table.owner.alarms import Alarms
from meldhall_table.owner.purse import JokerPurse
from meldhall_table.owner.shards import Shards
from meldhall_table.owner.snapshots import Snapshots


@dataclass(frozen=True, slots=True)
class Tools:
    """What every live table works with.

    Attributes:
        log: where its events go.
        clock: the time that it is played by.
        event_id: makes ids of events.
        shards: whether this engine still owns it.
        alarms: tell it when something is due.
        snapshots: keep its state now and then.
        purse: the players' jokers.
        metrics: what is counted.
        logger: what is told.
    """

    log: EventLog
    clock: Clock
    event_id: Callable[[], UUID]
    shards: Shards
    alarms: Alarms
    snapshots: Snapshots
    purse: JokerPurse
    metrics: TableMetrics
    logger: BoundLogger
