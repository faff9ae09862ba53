"""Stakes of arena tables at the ledger: all or none are held before the table opens, or else given back."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import grpc

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall.ledger.v1 import ledger_service_pb2_grpc as rpc
from meldhall_runtime import reason_of
from meldhall_runtime.grpc_client import with_retries

T = TypeVar("T")

PATIENCE_SECONDS: Final = 0.7
"""How long a ledger that is not there is tried again: a group waits on within a second."""

INSUFFICIENT: Final = "INSUFFICIENT"
"""The ledger's reason for somebody who has too little."""


@dataclass(frozen=True, slots=True)
class NotHeld:
    """No stake is held, or nobody knows. ``poor`` have too little; ``detail`` is for the log."""

    poor: frozenset[str]
    detail: str


class Stakes:
    """The ledger, as far as stakes go.

    Args:
        channel: leads to it and carries this service's own token.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._ledger = rpc.LedgerServiceStub(channel)

    async def hold(self, table_id: str, stake: int, players: Sequence[str]) -> NotHeld | None:
        """Hold a stake of each player of a table, by seat; None where all are held.

        The same again is answered as the first time.
        """
        request = pb.HoldStakesRequest(table_id=table_id, stake=stake, players=players)
        try:
            await _within(lambda: self._ledger.HoldStakes(request, timeout=PATIENCE_SECONDS))
        except grpc.aio.AioRpcError as error:
            info = reason_of(error)
            detail = f"{error.code().name} {info.reason if info else error.details()}"
            if info is None or info.reason != INSUFFICIENT:
                return NotHeld(frozenset(), detail)
            return NotHeld(frozenset([one for one in players if not await self._has(one, stake)]), detail)
        return None

    async def give_back(self, table_id: str) -> bool:
        """Give back what is held for a table that was not opened; False where the ledger does not answer."""
        request = pb.ReturnStakesRequest(table_id=table_id)
        try:
            await _within(lambda: self._ledger.ReturnStakes(request, timeout=PATIENCE_SECONDS))
        except grpc.aio.AioRpcError:
            return False
        return True

    async def can_pay(self, player_id: str, stake: int) -> bool:
        """Whether a player has a stake to spare now.

        Raises:
            grpc.aio.AioRpcError: the ledger does not answer.
        """
        request = pb.GetBalancesRequest(player_id=player_id)
        answer = await _within(lambda: self._ledger.GetBalances(request, timeout=PATIENCE_SECONDS))
        coins = [one.posted - one.held for one in answer.balances if one.unit == pb.UNIT_COINS]
        return sum(coins) >= stake

    async def _has(self, player_id: str, stake: int) -> bool:
        """Whether a player has a stake to spare, or nobody knows."""
        try:
            return await self.can_pay(player_id, stake)
        except grpc.aio.AioRpcError:
            return True


async def _within(call: Callable[[], Awaitable[T]]) -> T:
    return await with_retries(call, within_seconds=PATIENCE_SECONDS)
