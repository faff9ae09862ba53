"""Who matches which part of the pools: one process a part, by a lease with an epoch.

The pools are divided into ``PARTS``. Every process serves players; for each part one of them leads, puts
people together and opens tables. Correctness does not rest on it: a claim takes its tickets by compare and
set, under the lease's fence, so that a leader who was replaced and does not know claims nothing.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import Connection, update
from structlog.stdlib import BoundLogger

from meldhall_eventlog.database import Database
from meldhall_eventlog.errors import EventLogError
from meldhall_eventlog.named_leases import LeaseFence, NamedLease
from meldhall_eventlog.tables import named_leases
from meldhall_matchmaking.store import PARTS
from meldhall_matchmaking.store.inspecting import lease_name

ASK_SECONDS: Final = 0.5
"""How often who does not lead a part looks whether nobody does."""

RENEWALS: Final = 4
"""How often a lease is renewed in the time that it lasts."""

END_SECONDS: Final = 5.0


class Leadership:
    """The parts that this process leads.

    Args:
        database: Where the leases lie, beside the tickets.
        address: Of this process: whoever led from there before is gone.
        instance: Names this run of the process; no other run has the same.
        ttl_ms: How long a leader keeps a part after it last renewed it.
        changed: Is called when a part was won or lost.
        log: For who leads what.
    """

    def __init__(
        self,
        database: Database,
        address: str,
        instance: str,
        *,
        ttl_ms: int,
        changed: Callable[[], None],
        log: BoundLogger,
    ) -> None:
        self._database = database
        self._address = address
        self._holder = f"{address}#{instance}"
        self._leases = {
            part: NamedLease(database, lease_name(part), self._holder, ttl_ms=ttl_ms) for part in range(PARTS)
        }
        self._until = dict.fromkeys(self._leases, 0.0)
        self._ttl = ttl_ms / 1000
        self._changed = changed
        self._log = log
        self._told: Mapping[int, int] = {}
        self._ending = asyncio.Event()

    def led(self) -> Mapping[int, int]:
        """Return the parts that are surely led from here, with the epochs of their leases."""
        now = time.monotonic()
        return {
            part: lease.epoch
            for part, lease in self._leases.items()
            if lease.epoch is not None and now < self._until[part]
        }

    def fence(self, part: int) -> LeaseFence:
        """Return what a claim in a part is written under."""
        return self._leases[part].fence()

    async def run(self) -> None:
        """Contend for every part until ``stop``; then let go of those that are led."""
        with contextlib.suppress(EventLogError):
            await self._database.write(self._bury)
        while not self._ending.is_set():
            for part in self._leases:
                await self._ask(part)
            if (led := self.led()).items() != self._told.items():
                self._told = led
                self._log.info("parts_led", parts=sorted(led))
                self._changed()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), min(ASK_SECONDS, self._ttl / RENEWALS))
        self._until = dict.fromkeys(self._leases, 0.0)
        with contextlib.suppress(EventLogError, TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                for lease in self._leases.values():
                    await lease.release()

    def stop(self) -> None:
        """Let ``run`` return: somebody else is to lead."""
        self._ending.set()

    async def _ask(self, part: int) -> None:
        asked = time.monotonic()
        if asked < self._until[part] - self._ttl / 2:
            # Renewed a moment ago.
            return
        try:
            epoch = await self._leases[part].acquire()
        except EventLogError as error:
            # Led until the lease surely lasts no longer; meanwhile asked for again.
            self._log.warning("lease_unknown", part=part, reason=str(error))
            return
        self._until[part] = 0.0 if epoch is None else asked + self._ttl * (RENEWALS - 1) / RENEWALS

    def _bury(self, connection: Connection) -> None:
        """End the leases of whoever ran at this address before: it would lead on until they expire."""
        before = update(named_leases).where(
            named_leases.c.name.in_([lease_name(part) for part in self._leases]),
            named_leases.c.holder.startswith(f"{self._address}#", autoescape=True),
            named_leases.c.holder != self._holder,
        )
        connection.execute(before.values(expires_at_ms=0))
