"""A stream's way from engine to engine: what was seen, where to go on, and when to give up."""

import asyncio
from typing import Any, Final

import grpc.aio

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_routing.answers import NotOwner, Stale
from meldhall_routing.dispatch import Dispatcher, Until
from meldhall_runtime import reason_of

VERSION_AHEAD: Final = "VERSION_AHEAD"
"""An engine does not have the version that was seen: it has lost the table and does not know it yet."""


class Trip:
    """One viewer's stream of one table, over as many calls as it takes.

    Args:
        dispatcher: engines, shards, patience.
        table_id: the table.
        after: the last version seen; None: a snapshot comes first.
        within: seconds that the table may be away; None is the usual patience.

    Attributes:
        after: The last version that was given to the viewer.
    """

    def __init__(
        self, dispatcher: Dispatcher, table_id: str, after: int | None, within: float | None
    ) -> None:
        self._dispatcher = dispatcher
        self._table_id = table_id
        self._within = within
        self._search = dispatcher.search(table_id)
        self._until: Until | None = None
        self._began = 0.0
        self._address = ""
        self.after = after

    @property
    def shard(self) -> int | None:
        """The table's shard."""
        return self._search.shard

    def begin(self) -> tuple[str, Any]:
        """Return the engine to go to now, and its stub."""
        self._address = self._search.address()
        self._began = asyncio.get_running_loop().time()
        return self._address, self._dispatcher.engines.stub(self._address)

    def request(self) -> pb.WatchRequest:
        """Return what asks for everything that the viewer has not seen."""
        return pb.WatchRequest(table_id=self._table_id, after_version=self.after)

    def sees_snapshot(self, snapshot: views.TableView) -> None:
        """Go on from a snapshot."""
        self._arrived()
        self.after = snapshot.version

    def sees_event(self, event: views.TableEvent) -> bool:
        """Tell whether the viewer gets an event: not one that he has.

        Raises:
            Stale: there is a gap before it; the versions have to be read again.
        """
        after = self.after or 0
        if event.version > after + 1:
            raise Stale(f"version {event.version} came after {after}")
        self._arrived()
        if event.version <= after:
            return False
        self.after = event.version
        return True

    async def failed(self, error: grpc.aio.AioRpcError) -> None:
        """Wait until the next engine may be tried.

        Raises:
            grpc.aio.AioRpcError: the failure is an answer, or the time is over.
        """
        info = reason_of(error)
        if info is not None and info.reason == VERSION_AHEAD:
            pause = self._search.avoid(self._address)
            if self._patience().left() <= pause:
                raise error
        else:
            pause = self._search.failed(self._address, error)
        await self._pause(pause, error)

    async def lost(self, why: Stale) -> None:
        """Wait until the next engine may be tried, after a call that told nothing or the wrong thing.

        Raises:
            TableUnreachable: the time is over.
        """
        await self._pause(0.0 if why.moved else self._search.avoid(self._address), why)

    async def not_owned(self, told: NotOwner) -> None:
        """Go where an engine sends us.

        Raises:
            TableUnreachable: the time is over.
        """
        pause = self._search.moved(self._address, told.address, told.epoch, told.shard)
        await self._pause(pause, Stale("NOT_OWNER"))

    async def sent_away(self, go_away: pb.GoAway) -> None:
        """Wait as a GoAway asks for; less when the table turns out to be elsewhere.

        Raises:
            TableUnreachable: the time is over.
        """
        if go_away.reason == pb.GO_AWAY_REASON_TOO_SLOW:
            # The engine is well; it is this side that has to take a breath.
            self._search.prefer(self._address)
            await asyncio.sleep(go_away.retry_after_ms / 1000)
            return
        pause = self._search.avoid(self._address)
        if self._dispatcher.shards.owner(self.shard) not in {"", self._address}:
            # The map has an epoch to it, and a GoAway has none.
            pause = 0.0
        elif go_away.address and go_away.address != self._address:
            self._search.prefer(go_away.address)
            pause = 0.0
        await self._pause(pause, Stale("GoAway"))

    def _arrived(self) -> None:
        self._until = None
        self._search.succeeded()

    def _patience(self) -> Until:
        # A call that went well for long enough was a success, though nothing may have happened at the table.
        lasted = asyncio.get_running_loop().time() - self._began
        within = self._dispatcher.patience.within if self._within is None else self._within
        if self._until is None or lasted > within:
            self._until = self._dispatcher.until(self._within, f"the stream of {self._table_id}")
        return self._until

    async def _pause(self, seconds: float, why: grpc.aio.AioRpcError | Stale) -> None:
        self._patience().allow(seconds, why)
        await self._dispatcher.shards.news(self.shard, seconds)
