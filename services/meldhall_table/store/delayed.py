"""A table's stream as it was some time ago, read from the log alone."""

from collections.abc import AsyncGenerator, Awaitable, Callable

from meldhall_eventlog.store import EventLog
from meldhall_runtime.clock import Clock
from meldhall_table.domain.evolve import evolve
from meldhall_table.domain.state import Table
from meldhall_table.store.decode import decode
from meldhall_table.store.snapshot import newest
from meldhall_table.store.stream import PAGE, Step


async def ripe_table(
    log: EventLog, table_id: str, *, at_most: int | None, recorded_by_ms: int
) -> Table | None:
    """Return the newest snapshot that is old enough to begin with; None where there is none.

    Args:
        log: where the stream lies.
        table_id: the stream.
        at_most: its version is not above this; None: any will do.
        recorded_by_ms: its last event was recorded then or before, Unix milliseconds.
    """
    table = await newest(log, table_id, at_most=at_most, logger=None)
    while table is not None and table.last_at_ms > recorded_by_ms:
        table = await newest(log, table_id, at_most=table.version - 1, logger=None)
    return table


async def delayed_steps(
    log: EventLog,
    table_id: str,
    table: Table | None,
    *,
    delay_ms: int,
    clock: Clock,
    rest: Callable[[int], Awaitable[bool]],
) -> AsyncGenerator[Step | None, None]:
    """Give every event that follows a state, each so long after it was recorded.

    Nothing is subscribed: what is recorded after nothing more was found in the log cannot be ripe before the
    delay has passed again, and then it is read.

    Args:
        log: where the stream lies.
        table_id: the stream.
        table: the state; None: before the first event.
        delay_ms: how long after it was recorded an event is given.
        clock: says what time it is.
        rest: waits so many milliseconds; False when there is no use in going on.

    Yields:
        Steps, and None whenever no other is ripe yet.

    Raises:
        UnknownEventError: the log holds what this version cannot read.
        FoldError: the stream is not a table's.
    """
    while True:
        after = table.version if table else 0
        page = await log.read_stream(table_id, after_version=after, limit=PAGE)
        for stored in page:
            if (wait := stored.recorded_at_ms + delay_ms - clock.now_ms()) > 0:
                yield None
                if not await rest(wait):
                    return
            form = table.form if table else None
            event = decode(stored.type, stored.schema_version, stored.payload, form)
            table = evolve(table, event, stored.recorded_at_ms)
            yield Step(stored.version, stored.recorded_at_ms, event, table)
        if not page:
            yield None
            if not await rest(delay_ms):
                return
