"""How a relay keeps its lease: renewed beside its work, and trusted no longer than it surely lasts."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from structlog.typing import FilteringBoundLogger

from meldhall_eventlog.errors import EventLogError
from meldhall_eventlog.named_leases import LeaseFence, NamedLease

ASK_EVERY: Final = 0.5
"""Seconds between two looks of one that waits for its turn."""
RENEWALS: Final = 4
"""How often a lease is renewed in the time that it lasts."""


class LeaseHold:
    """Whether this process may relay now.

    ``active`` turns false well before the database gives the lease to somebody else: by the monotonic clock,
    counted from before the renewal was asked for. Without a lease it is always true.
    """

    def __init__(self, lease: NamedLease | None, logger: FilteringBoundLogger) -> None:
        self._lease = lease
        self._logger = logger
        self._until = 0.0
        self._told = ""
        self.fault = ""
        """Why it is not known who holds the lease; empty where it is known."""

    @property
    def active(self) -> bool:
        """Whether the lease is held, and will be for a while."""
        return self._lease is None or time.monotonic() < self._until

    def fence(self) -> LeaseFence | None:
        """Return what the marks of the turn that begins now are stored under."""
        return None if self._lease is None else self._lease.fence()

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Contend for the lease and keep it for the length of a block; then let go of it."""
        if self._lease is None:
            yield
            return
        keeping = asyncio.create_task(self._keep(self._lease), name=f"lease-{self._lease.name}")
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            self._until = 0.0
            # Where the database is away it expires by itself.
            with contextlib.suppress(EventLogError):
                await self._lease.release()

    async def _keep(self, lease: NamedLease) -> None:
        ttl = lease.ttl_ms / 1000
        while True:
            asked = time.monotonic()
            try:
                epoch = await lease.acquire()
            except Exception as error:  # noqa: BLE001 - whatever it is, to ask no more would end relaying for good
                # Held until it surely lasts no longer; meanwhile asked for again.
                self.fault = f"{type(error).__name__}: {error}"
                self._tell("lease_unknown", self.fault)
                await asyncio.sleep(ASK_EVERY)
                continue
            self.fault = ""
            if epoch is None:
                self._until = 0.0
                self._tell("lease_elsewhere", "another process relays")
                await asyncio.sleep(ASK_EVERY)
                continue
            self._until = asked + ttl * (RENEWALS - 1) / RENEWALS
            self._tell("lease_held", "", epoch=epoch)
            await asyncio.sleep(ttl / RENEWALS)

    def _tell(self, event: str, fault: str, **keys: int) -> None:
        # Once for each change, not at every renewal.
        if (event + fault) != self._told:
            self._told = event + fault
            self._logger.info(event, reason=fault, **keys)
