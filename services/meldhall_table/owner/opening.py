"""The first append of a new table."""

from collections.abc import Sequence

from meldhall_eventlog.errors import DuplicateCommand, EventLogError, StreamArchived, WrongVersion
from meldhall_eventlog.types import Append
from meldhall_table.domain.events import Event
from meldhall_table.domain.state import Table
from meldhall_table.domain.timing import due
from meldhall_table.owner.commands import TableCommand
from meldhall_table.owner.errors import CommandReused, TableArchived, TableLost
from meldhall_table.owner.receipts import first_answer
from meldhall_table.owner.tools import Tools
from meldhall_table.store.stream import CATEGORY, Step, fold, shard_of, to_append


async def open_table(
    tools: Tools, table_id: str, epoch: int, new: Sequence[Event], command: TableCommand
) -> tuple[bytes, Table | None]:
    """Open a table in the log.

    Returns:
        The answer and the new table; the first answer and None where the same command opened it before.

    Raises:
        CommandReused: the command id opened another table.
        TableArchived: the command opened a table that was played to its end long ago.
        TableLost: the log failed; whether the table is there is not known.
    """
    steps = fold(None, new, tools.clock.now_ms())
    response = command.render(steps[-1].table, steps)
    try:
        with tools.metrics.append_seconds.time():
            await tools.log.append(_first(tools, epoch, steps, command, response))
    except (DuplicateCommand, WrongVersion):
        first = await first_answer(tools, table_id, command)
        if first is None:
            raise CommandReused(table_id) from None
        return first, None
    except StreamArchived as error:
        raise TableArchived(table_id) from error
    except EventLogError as error:
        raise TableLost(table_id) from error
    tools.metrics.commands.labels("accepted").inc()
    return response, steps[-1].table


def _first(tools: Tools, epoch: int, steps: Sequence[Step], command: TableCommand, response: bytes) -> Append:
    table = steps[-1].table
    wanted = due(table)
    return Append(
        stream_id=table.table_id,
        category=CATEGORY,
        shard=shard_of(table.table_id),
        expected_version=0,
        epoch=epoch,
        events=to_append([step.event for step in steps], tools.event_id),
        recorded_at_ms=steps[0].at_ms,
        command_id=command.command_id,
        response=command.digest + response,
        meta=command.meta,
        wake_at_ms=wanted.at_ms if wanted else None,
    )
