"""Pull consumers over nats-py: fetches that always end in time, and deliveries."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import nats.errors
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from meldhall_messaging.bus import Delivery
from meldhall_messaging.errors import BusUnavailable

LONGEST_FETCH: Final = 1.0
"""Seconds. A request that the server lost in a restart stalls its fetch, and no longer than this."""
SHORTEST_EMPTY_FETCH: Final = 0.05


class PullDelivery:
    """``Delivery`` over a message of nats-py."""

    def __init__(self, message: Msg) -> None:
        self._message = message
        self._metadata = message.metadata
        self._settled = False

    @property
    def subject(self) -> str:
        """The message's subject."""
        return self._message.subject

    @property
    def data(self) -> bytes:
        """The message's bytes."""
        return self._message.data

    @property
    def headers(self) -> Mapping[str, str]:
        """The message's headers."""
        return self._message.headers or {}

    @property
    def sequence(self) -> int:
        """The message's place in the JetStream stream."""
        return self._metadata.sequence.stream

    @property
    def attempt(self) -> int:
        """How often the message was delivered."""
        return self._metadata.num_delivered

    async def ack(self) -> None:
        """Acknowledge. A lost acknowledgement only means another delivery."""
        self._settled = True
        with contextlib.suppress(nats.errors.Error):
            await self._message.ack()

    async def nak(self, delay: float) -> None:
        """Ask for another delivery after so many seconds; when that is lost it comes after ``ack_wait``."""
        self._settled = True
        with contextlib.suppress(nats.errors.Error):
            await self._message.nak(delay)

    async def in_progress(self) -> None:
        """Tell the server to go on waiting. Nothing once settled: it would put off the delivery asked for."""
        if self._settled:
            return
        with contextlib.suppress(nats.errors.Error):
            await self._message.in_progress()


class PullDoor:
    """``Subscription`` over a pull subscription of nats-py."""

    def __init__(self, pull: JetStreamContext.PullSubscription, is_connected: Callable[[], bool]) -> None:
        self._pull = pull
        self._is_connected = is_connected
        self.closed = False

    async def fetch(self, batch: int, seconds: float) -> Sequence[Delivery]:
        """Wait for messages at most that long, and never longer than a second."""
        bound = min(seconds, LONGEST_FETCH)
        if not self._is_connected():
            # A request made now would be buffered and served after the reconnect, to nobody.
            await asyncio.sleep(bound)
            return ()
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            messages = await self._pull.fetch(batch, timeout=bound)
        except TimeoutError:
            # nats-py's own is one too: both mean that there was nothing.
            return ()
        except (nats.errors.Error, OSError) as error:
            raise BusUnavailable(f"fetch: {type(error).__name__} {error}") from error
        if not messages and loop.time() - started < SHORTEST_EMPTY_FETCH:
            # The server refused the request at once, and would again.
            await asyncio.sleep(SHORTEST_EMPTY_FETCH)
        return tuple(PullDelivery(message) for message in messages)

    async def close(self) -> None:
        """Give the subscription back. A second call is a no-op."""
        if self.closed:
            return
        self.closed = True
        with contextlib.suppress(nats.errors.Error, ValueError, OSError):
            await self._pull.unsubscribe()
