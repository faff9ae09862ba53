"""How a relay keeps its lease: renewed beside its work, and trusted no longer than it surely lasts."""

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from structlog.typing import FilteringBoundLogger

from meldhall_eventlog.errors import EventLogError
from meldhall_eventlog.named_leases import LeaseFence, NamedLease

ASK_EVERY: Final = 0.5
"""Seconds between two looks of one that waits for its turn."""
LET_GO_AFTER: Final = 5.0
"""Seconds after which a holder that does not reach NATS lets somebody have the lease who may."""
END_WITHIN: Final = 5.0
"""Seconds that a renewal under way has at the end."""
RENEWALS: Final = 4
"""How often a lease is renewed in the time that it lasts."""


class LeaseHold:
    """Whether this process may relay now.

    ``active`` turns false well before the database gives the lease to somebody else: by the monotonic clock,
    counted from before the renewal was asked for. Without a lease it is always true.

    Args:
        lease: What several processes contend for.
        fit: Whether this one could do the work; one that could not does not ask.
        logger: For who holds it.
    """

    def __init__(
        self, lease: NamedLease | None, fit: Callable[[], bool], logger: FilteringBoundLogger
    ) -> None:
        self._lease = lease
        self._fit = fit
        self._fit_at = -math.inf
        self._logger = logger
        self._until = 0.0
        self._told = ""
        self._ending = asyncio.Event()
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
            # Ended and not cancelled: a renewal that is under way must come before the letting go.
            self._ending.set()
            await asyncio.wait({keeping}, timeout=END_WITHIN)
            keeping.cancel()
            await self._let_go(self._lease)

    async def _keep(self, lease: NamedLease) -> None:
        ttl = lease.ttl_ms / 1000
        while not self._ending.is_set():
            asked = time.monotonic()
            if self._fit():
                self._fit_at = asked
            elif asked - self._fit_at > LET_GO_AFTER:
                self._tell("lease_let_go", "this process does not reach NATS")
                await self._let_go(lease)
                await self._pause(ASK_EVERY)
                continue
            try:
                epoch = await lease.acquire()
            except Exception as error:  # noqa: BLE001 - whatever it is, to ask no more would end relaying for good
                # Held until it surely lasts no longer; meanwhile asked for again.
                self.fault = f"{type(error).__name__}: {error}"
                self._tell("lease_unknown", self.fault)
                await self._pause(ASK_EVERY)
                continue
            self.fault = ""
            if epoch is None:
                self._until = 0.0
                self._tell("lease_elsewhere", "another process relays")
                await self._pause(ASK_EVERY)
                continue
            self._until = asked + ttl * (RENEWALS - 1) / RENEWALS
            self._tell("lease_held", "", epoch=epoch)
            await self._pause(ttl / RENEWALS)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ending.wait(), seconds)

    async def _let_go(self, lease: NamedLease) -> None:
        self._until = 0.0
        # Where the database is away as well it expires by itself.
        with contextlib.suppress(EventLogError):
            await lease.release()

    def _tell(self, event: str, fault: str, **keys: int) -> None:
        # Once for each change, not at every renewal.
        if (event + fault) != self._told:
            self._told = event + fault
            self._logger.info(event, reason=fault, **keys)
