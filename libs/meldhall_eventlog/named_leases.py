"""Leases by name, for work that one process at a time does: relays, reconcilers, the leader of a pool.

A lease lies in the database that the work writes to (``migrate.upgrade_named_leases`` makes the table), goes
by that database's clock, and counts its holders: each new one gets a higher epoch. Work that must not happen
twice is fenced: the work takes the lease's ``fence()`` when it begins, the transaction that writes calls its
``check`` first, and one whose lease was stolen writes nothing.
"""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from meldhall_eventlog.clock import DatabaseClock, now_ms
from meldhall_eventlog.database import Database
from meldhall_eventlog.errors import LeaseLost
from meldhall_eventlog.tables import named_leases

TTL_MS: Final = 8_000
"""How long a holder keeps a lease after it last renewed it."""


@dataclass(frozen=True, slots=True)
class LeaseFence:
    """A lease as it was held when some work began; ``epoch`` is None where it was not."""

    name: str
    holder: str
    epoch: int | None

    def check(self, connection: Connection) -> None:
        """Make sure, inside the transaction of a write, that nobody takes the lease until it commits.

        Raises:
            LeaseLost: somebody had it since, even if it came back, or it was never held.
        """
        still = (
            select(named_leases.c.epoch)
            .where(
                named_leases.c.name == self.name,
                named_leases.c.holder == self.holder,
                named_leases.c.epoch == self.epoch,
            )
            .with_for_update(read=True)
        )
        if self.epoch is None or connection.execute(still).one_or_none() is None:
            raise LeaseLost(self.name, epoch=self.epoch)


@dataclass(frozen=True, slots=True)
class Holding:
    """Who holds a lease at this moment."""

    holder: str
    epoch: int


async def who_holds(database: Database, name: str, clock: DatabaseClock = now_ms) -> Holding | None:
    """Return who holds a lease, None where nobody does or the one who did is dead."""

    def look(connection: Connection) -> Holding | None:
        row = connection.execute(select(named_leases).where(named_leases.c.name == name)).one_or_none()
        if row is None or row.holder is None or row.expires_at_ms <= clock(connection):
            return None
        return Holding(row.holder, row.epoch)

    return await database.read(look)


class NamedLease:
    """One contender for one lease.

    Args:
        database: where the lease lies, which is where the work under it writes.
        name: of the lease, one name for each kind of work.
        holder: who contends; no two contenders have the same, nor a process that starts anew its old one.
        ttl_ms: how long it is kept without renewal.
        clock: the database's clock.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        holder: str,
        *,
        ttl_ms: int = TTL_MS,
        clock: DatabaseClock = now_ms,
    ) -> None:
        self._database = database
        self._clock = clock
        self._epoch: int | None = None
        self.name = name
        self.holder = holder
        self.ttl_ms = ttl_ms

    @property
    def epoch(self) -> int | None:
        """The epoch that it is held with, as far as is known here."""
        return self._epoch

    async def acquire(self) -> int | None:
        """Take the lease, or renew it; return the epoch, None where somebody else holds it.

        Renewing keeps the epoch, even after it expired, as long as nobody took it.

        Raises:
            LogUnavailable: the database failed. Whether the lease is held is then unknown: after ``ttl_ms``
                it may be somebody else's.
        """
        if self._epoch is None and await who_holds(self._database, self.name, self._clock) is not None:
            # Found out without a lock, so that those who wait do not stand in the holder's way.
            return None
        try:
            self._epoch = await self._database.write(self._acquire)
        except IntegrityError:
            # Somebody else made the row of this lease in the same moment.
            self._epoch = None
        return self._epoch

    async def release(self) -> None:
        """Let go of the lease, so that somebody else need not wait until it expires."""
        epoch, self._epoch = self._epoch, None
        if epoch is None:
            return
        mine = update(named_leases).where(
            named_leases.c.name == self.name,
            named_leases.c.holder == self.holder,
            named_leases.c.epoch == epoch,
        )

        def let_go(connection: Connection) -> None:
            connection.execute(mine.values(holder=None))

        await self._database.write(let_go)

    def fence(self) -> LeaseFence:
        """Return what the writes of the work that begins now are to be stored under."""
        return LeaseFence(self.name, self.holder, self._epoch)

    def _acquire(self, connection: Connection) -> int | None:
        row = connection.execute(
            select(named_leases).where(named_leases.c.name == self.name).with_for_update()
        ).one_or_none()
        now = self._clock(connection)
        values = {"holder": self.holder, "expires_at_ms": now + self.ttl_ms}
        if row is None:
            connection.execute(insert(named_leases), {"name": self.name, "epoch": 1, **values})
            return 1
        mine = row.holder == self.holder and row.epoch == self._epoch
        if not mine and row.holder is not None and row.expires_at_ms > now:
            return None
        epoch: int = row.epoch if mine else row.epoch + 1
        connection.execute(
            update(named_leases).where(named_leases.c.name == self.name).values(epoch=epoch, **values)
        )
        return epoch
