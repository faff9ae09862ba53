"""The tables of rematches: opened by the table before them, once, whatever fails in between."""

import secrets
from collections.abc import Awaitable, Callable, Sequence

from meldhall_eventlog.types import Meta
from meldhall_table.domain import between, lobby
from meldhall_table.domain.events import Event
from meldhall_table.domain.state import Table
from meldhall_table.owner.commands import TableCommand, digest, stored_id
from meldhall_table.store.stream import shard_of

_ACTOR = "table"


class Rematches:
    """Opens tables for those who want another match.

    The same table gets the same next one, by its id and by the command that opens it, so that it may be asked
    for again after a crash. It is opened before its players hear of it.

    Args:
        create: opens a table, or returns the first answer of the same command.
        draw_tip: draws the secret end of a chain, 32 bytes.
    """

    def __init__(
        self,
        create: Callable[[str, Sequence[Event], TableCommand], Awaitable[bytes]],
        draw_tip: Callable[[], bytes] = lambda: secrets.token_bytes(32),
    ) -> None:
        self._create = create
        self._draw_tip = draw_tip

    async def open(self, before: Table) -> str:
        """Open the table of the rematch and return its id.

        Raises:
            OwnerError: it cannot be opened now; to be tried again.
        """
        table_id = between.next_table_id(before.table_id, shard_of)
        new = lobby.create(between.next_table(before, table_id, self._draw_tip()))
        command = TableCommand(
            command_id=stored_id(_ACTOR, "rematch"),
            digest=digest(_ACTOR, "Rematch", before.table_id.encode()),
            meta=Meta(actor=_ACTOR, correlation_id=before.table_id),
            decide=lambda _table, _now: new,
            render=lambda _table, _steps: b"",
        )
        await self._create(table_id, new, command)
        return table_id
