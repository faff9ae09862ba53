"""Reads the events that a consumer missed from the service that owns them."""

from collections.abc import Sequence
from typing import Final

import grpc

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1.table_service_pb2 import ReadStreamRequest
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub

PAGE: Final = 500
READ_SECONDS: Final = 20.0


class TableStreams:
    """Public events of tables, by ``TableService.ReadStream``.

    Args:
        channel: To the table service, with a token of this service.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = TableServiceStub(channel)

    async def read(self, stream_id: str, after: int) -> Sequence[EventEnvelope]:
        """Return a page of a table's events after a sequence, in order; empty where there are none.

        Raises:
            grpc.aio.AioRpcError: the service did not answer, or does not know the table.
        """
        request = ReadStreamRequest(table_id=stream_id, after_sequence=after, limit=PAGE)
        # A stream has no deadline of its own, and whoever reads holds up a whole partition.
        call = self._stub.ReadStream(request, timeout=READ_SECONDS)
        return [answer.envelope async for answer in call]
