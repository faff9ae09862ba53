"""First answers to commands, from the log. Nothing of them is kept in memory."""

from meldhall_eventlog.errors import EventLogError
from meldhall_eventlog.types import Receipt
from meldhall_table.owner.commands import TableCommand, response_of
from meldhall_table.owner.errors import CommandReused, TableLost
from meldhall_table.owner.tools import Tools


async def first_answer(tools: Tools, table_id: str, command: TableCommand) -> bytes | None:
    """Look up the first answer to a command; None where it changed nothing before.

    Raises:
        CommandReused: the id belongs to another request.
        TableLost: the log did not answer; nothing is known.
    """
    try:
        receipt = await tools.log.receipt(table_id, command.command_id)
    except EventLogError as error:
        raise TableLost(table_id) from error
    return None if receipt is None else repeated(tools, receipt, command)


def repeated(tools: Tools, receipt: Receipt, command: TableCommand) -> bytes:
    """Return the first answer that a receipt holds.

    Raises:
        CommandReused: the id belongs to another request.
    """
    response = response_of(receipt.response, command.digest)
    if response is None:
        raise CommandReused(receipt.stream_id)
    tools.metrics.commands.labels("repeated").inc()
    return response
