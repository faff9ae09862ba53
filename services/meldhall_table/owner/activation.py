"""Reading a table back from the log."""

from dataclasses import dataclass

from meldhall_eventlog.errors import EventLogError, Fenced, StreamArchived
from meldhall_table.domain.state import Status, Table
from meldhall_table.domain.timing import resume
from meldhall_table.owner.errors import TableArchived, TableLost, TableUnknown
from meldhall_table.owner.mailbox import Mailbox
from meldhall_table.owner.tools import Tools
from meldhall_table.store.stream import CATEGORY, replay


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A table from the log.

    ``events`` were read after its newest snapshot; ``first`` tells whether it had not been read under this
    epoch before.
    """

    table: Table
    events: int
    first: bool


async def read_back(tools: Tools, table_id: str, epoch: int) -> ReadBack:
    """Claim a stream, and only then read it: a late append of another owner is seen, or it fails.

    Raises:
        NotOwner: somebody claimed the stream under a higher epoch.
        TableUnknown, TableArchived, TableLost: as they say.
    """
    outcomes = tools.metrics.activations
    try:
        found = await _read_back(tools, table_id, epoch)
    except Fenced as error:
        outcomes.labels("fenced").inc()
        raise tools.shards.not_owner(table_id) from error
    except StreamArchived as error:
        raise TableArchived(table_id) from error
    except EventLogError as error:
        outcomes.labels("failed").inc()
        raise TableLost(table_id) from error
    outcomes.labels("ok").inc()
    return found


async def _read_back(tools: Tools, table_id: str, epoch: int) -> ReadBack:
    info = await tools.log.info(table_id)
    if info is None or info.category != CATEGORY:
        raise TableUnknown(table_id)
    first = info.owner_epoch != epoch
    if first and not info.closed:
        await tools.log.claim(table_id, epoch)
    found = await replay(tools.log, table_id, logger=tools.logger)
    if found is None:
        raise TableUnknown(table_id)
    if found.table.status is Status.CLOSED and not info.closed:
        await tools.log.close_stream(table_id, epoch)
    return ReadBack(found.table, found.events, first)


async def make_good(tools: Tools, mailbox: Mailbox, outage_ms: int) -> None:
    """Give the players the time back in which nobody served the table: move what is due by the outage.

    Args:
        tools: what tables work with.
        mailbox: the table.
        outage_ms: time since the last sign of life of the shard's former owner. The table may have gone on a
            little longer, so that no more is given back than passed since its last event.

    Raises:
        TableLost, NotOwner, Draining: the table was dropped before it was done.
    """
    now = tools.clock.now_ms()
    quiet = now - mailbox.table.last_at_ms
    # A last event from the future only says that the former owner's clock was ahead of this one.
    outage = min(outage_ms, quiet) if quiet > 0 else outage_ms

    async def work() -> None:
        new = resume(mailbox.table, outage)
        if new:
            await mailbox.commit(new, at_ms=now)

    await mailbox.submit(work, inner=True)
