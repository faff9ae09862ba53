"""The Joker button's purse over the ledger's API."""

import asyncio
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

import grpc
from structlog.stdlib import BoundLogger

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall.ledger.v1 import ledger_service_pb2_grpc as rpc
from meldhall_runtime.grpc_client import with_retries
from meldhall_table.metrics import TableMetrics

BUDGET_SECONDS: Final = 2.0
"""Time in which the ledger has to answer before a round is dealt without jokers."""


class LedgerPurse:
    """Reserves jokers at the ledger, within a budget of time.

    Args:
        channel: leads to the ledger and carries the service's own token.
        metrics: counts rounds that had to do without.
        logger: for the same.
    """

    def __init__(self, channel: grpc.aio.Channel, metrics: TableMetrics, logger: BoundLogger) -> None:
        self._ledger = rpc.LedgerServiceStub(channel)
        self._metrics = metrics
        self._logger = logger

    async def reserve(self, table_id: str, round_number: int, players: Mapping[int, str]) -> AbstractSet[int]:
        """Hold a joker for each of these players who has one to spare; see ``JokerPurse.reserve``."""
        request = pb.ReserveJokersRequest(
            table_id=table_id,
            round=round_number,
            claims=[pb.JokerClaim(seat=seat, player_id=player) for seat, player in sorted(players.items())],
        )

        async def call() -> pb.ReserveJokersResponse:
            return await self._ledger.ReserveJokers(request, timeout=BUDGET_SECONDS)

        try:
            async with asyncio.timeout(BUDGET_SECONDS):
                answer = await with_retries(call, within_seconds=BUDGET_SECONDS)
        except (grpc.aio.AioRpcError, TimeoutError) as error:
            self._metrics.purse_failures.inc()
            self._logger.warning(
                "jokers_not_reserved", table_id=table_id, round=round_number, error=type(error).__name__
            )
            return frozenset()
        return frozenset(answer.seats)
