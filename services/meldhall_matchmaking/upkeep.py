"""What every process does for its followers, whether it leads or not, and the forgetting of what is old."""

from collections.abc import Awaitable, Callable
from typing import Final

from structlog.stdlib import BoundLogger

from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking.hub import TicketHub
from meldhall_matchmaking.store import TicketStore
from meldhall_runtime import Clock

TOUCHES_A_SECOND: Final = 1_000
"""How many tickets a second one process notes as seen, more or less: with many followers, each less often."""

TOUCH_SECONDS: Final = 2.0
"""How often a followed ticket is noted as seen, where there are few."""

NEWS_SECONDS: Final = 0.25
"""How often it is asked what other processes did to the tickets that are followed here."""

NEWS_A_SECOND: Final = 5_000
"""For how many tickets a second, more or less."""

OUTLOOK_SECONDS: Final = 1.0
STALE_MS: Final = 10_000
"""What a leader wrote of a pool so long ago is not told any more."""

PURGE_SECONDS: Final = 30.0


class Upkeep:
    """Loops over the store; ``run`` one or more of them beside each other.

    Args:
        abandon_ms: A ticket that was not seen for so long expires.
        keep_ms: What has ended is forgotten after this.
    """

    def __init__(
        self,
        store: TicketStore,
        hub: TicketHub,
        clock: Clock,
        log: BoundLogger,
        *,
        abandon_ms: int,
        keep_ms: int,
    ) -> None:
        self._store = store
        self._hub = hub
        self._clock = clock
        self._log = log
        self._abandon_ms = abandon_ms
        self._keep_ms = keep_ms

    async def touch(self) -> None:
        """Note for ever who is followed here: that keeps their tickets alive, whoever leads."""
        while True:
            most = self._abandon_ms / 4000
            await self._clock.sleep(min(most, max(TOUCH_SECONDS, self._hub.count() / TOUCHES_A_SECOND)))
            await self._try(self._touch)

    async def tell_news(self) -> None:
        """Tell followers for ever what became of their tickets elsewhere."""
        while True:
            await self._clock.sleep(max(NEWS_SECONDS, self._hub.count() / NEWS_A_SECOND))
            await self._try(self._tell_news)

    async def tell_outlooks(self) -> None:
        """Tell followers for ever what leaders wrote of their pools."""
        while True:
            await self._clock.sleep(OUTLOOK_SECONDS)
            await self._try(self._tell_outlooks)

    async def purge(self) -> None:
        """Forget for ever what ended long ago."""
        while True:
            await self._try(self._purge)
            await self._clock.sleep(PURGE_SECONDS)

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except LogUnavailable as error:
            self._log.warning("upkeep_postponed", what=work.__name__, reason=str(error))

    async def _touch(self) -> None:
        await self._store.touch(self._hub.take_seen(), self._clock.now_ms())

    async def _tell_news(self) -> None:
        known = self._hub.followed()
        if known:
            self._hub.publish(await self._store.changed(known))

    async def _tell_outlooks(self) -> None:
        if not self._hub.count():
            return
        now = self._clock.now_ms()
        notes = await self._store.outlooks(now - STALE_MS)
        self._hub.tell({wish: note.outlook for wish, note in notes.items()})

    async def _purge(self) -> None:
        # More may be left: a batch a transaction until there is none.
        while await self._store.purge(self._clock.now_ms() - self._keep_ms):
            pass
