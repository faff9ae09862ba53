"""What the ledger does by itself, again and again: release what is overdue, check all books."""

from collections import Counter

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import LogUnavailable
from meldhall_ledger.metrics import LedgerMetrics
from meldhall_ledger.store import CHECKS, Ledger
from meldhall_runtime.clock import Clock


class Upkeep:
    """The loops of a ledger. An outage of the database is logged and outlived."""

    def __init__(self, ledger: Ledger, metrics: LedgerMetrics, clock: Clock, log: BoundLogger) -> None:
        self._ledger = ledger
        self._metrics = metrics
        self._clock = clock
        self._log = log

    async def keep_expiring(self, every_seconds: float) -> None:
        """Release overdue pending transfers, for ever."""
        while True:
            if not await self.expire():
                await self._clock.sleep(every_seconds)

    async def keep_reconciling(self, every_seconds: float) -> None:
        """Check the books, for ever."""
        while True:
            await self.reconcile()
            await self._clock.sleep(every_seconds)

    async def expire(self) -> int:
        """Release overdue pending transfers; return how many that were."""
        try:
            released = await self._ledger.expire()
        except LogUnavailable as error:
            self._log.warning("expiry_failed", error=str(error))
            return 0
        if released:
            self._log.info("pendings_expired", count=released)
        return released

    async def reconcile(self) -> None:
        """Check the books once, and say what is wrong with them."""
        try:
            found = await self._ledger.reconcile()
        except LogUnavailable as error:
            self._log.warning("reconciliation_failed", error=str(error))
            return
        counts = Counter(one.check for one in found)
        for check in CHECKS:
            self._metrics.findings.labels(check).set(counts[check])
        self._metrics.checked.set(self._clock.now_ms() / 1000)
        for one in found:
            self._log.error("books_differ", check=one.check, subject=one.subject, detail=one.detail)
