"""Reads the events that a consumer missed from the service that owns them."""

from collections.abc import Sequence
from typing import Final

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1.table_service_pb2 import ReadStreamRequest
from meldhall_routing.router import TableRouter

PAGE: Final = 500
READ_SECONDS: Final = 20.0
"""Whoever reads holds up a whole partition."""


class TableStreams:
    """Public events of tables, by ``TableService.ReadStream`` of any engine.

    Args:
        router: To the table engines, with a token of this service.
    """

    def __init__(self, router: TableRouter) -> None:
        self._router = router

    async def read(self, stream_id: str, after: int) -> Sequence[EventEnvelope]:
        """Return a page of a table's events after a sequence, in order; empty where there are none.

        Raises:
            grpc.aio.AioRpcError: no engine answered, or none knows the table.
        """
        request = ReadStreamRequest(table_id=stream_id, after_sequence=after, limit=PAGE)
        return await self._router.read_stream(request, within=READ_SECONDS)
