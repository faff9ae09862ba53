"""Tables that are not in memory and have something to do later: an alarm each, and nothing else."""

from collections.abc import Callable, Collection
from typing import Final

from meldhall_table.owner.alarms import Alarm
from meldhall_table.owner.tools import Tools
from meldhall_table.store.stream import shard_of

FAR_MS: Final = 60_000
"""How far away something due has to be for a table to sleep until then."""


class Sleepers:
    """The tables that sleep.

    Args:
        tools: their clock and alarms.
        wake: reads a table back, in the background.
    """

    def __init__(self, tools: Tools, wake: Callable[[str], None]) -> None:
        self._tools = tools
        self._wake = wake
        self._alarms: dict[str, Alarm] = {}

    def may_sleep(self, due_ms: int | None) -> bool:
        """Tell whether a table with something due at a time, Unix milliseconds, need not be in memory."""
        return due_ms is None or due_ms - self._tools.clock.now_ms() >= FAR_MS

    def put(self, table_id: str, due_ms: int) -> None:
        """Let a table sleep until something is due."""
        self.take(table_id)
        self._alarms[table_id] = self._tools.alarms.set(due_ms, lambda: self._ring(table_id))

    def take(self, table_id: str) -> None:
        """Forget a table that is awake."""
        alarm = self._alarms.pop(table_id, None)
        if alarm is not None:
            alarm.cancel()

    def take_all(self, shards: Collection[int]) -> None:
        """Forget the tables of shards that are not ours any more."""
        for table_id in [one for one in self._alarms if shard_of(one) in shards]:
            self.take(table_id)

    def _ring(self, table_id: str) -> None:
        self._alarms.pop(table_id, None)
        self._wake(table_id)
