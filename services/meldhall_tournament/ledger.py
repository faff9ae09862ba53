"""A tournament's orders, carried out by the ledger."""

from collections.abc import Sequence
from typing import Final

import grpc

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall.ledger.v1 import ledger_service_pb2_grpc as rpc
from meldhall_tournament.domain.money import Order, What, transfer_id

BATCH: Final = 500
"""Orders in one call at most; the ledger takes 1,000."""

CALL_SECONDS: Final = 15.0


class TournamentLedger:
    """Sends orders.

    Args:
        channel: leads to the ledger and carries the service's own token.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._ledger = rpc.LedgerServiceStub(channel)

    async def carry_out(self, tournament_id: str, orders: Sequence[Order]) -> list[str]:
        """Return for each order an empty text, or the code that the ledger refused it with.

        Raises:
            grpc.aio.AioRpcError: the ledger did not answer; what became of the orders is not known.
        """
        request = pb.CreateTransfersRequest(orders=[_order(tournament_id, one) for one in orders])
        answer = await self._ledger.CreateTransfers(request, timeout=CALL_SECONDS)
        return [verdict.refused.code if verdict.HasField("refused") else "" for verdict in answer.verdicts]


def _order(tournament_id: str, order: Order) -> pb.TransferOrder:
    message = pb.TransferOrder(
        transfer_id=str(transfer_id(tournament_id, order.key)),
        kind=pb.TRANSFER_KIND_FEE if order.is_fee else pb.TRANSFER_KIND_PRIZE,
        reason=f"tournament {tournament_id}: {order.key}"[:200],
    )
    moved = pb.Movement(debit=order.debit, credit=order.credit, amount=order.amount)
    match order.what:
        case What.HOLD:
            message.hold.movement.CopyFrom(moved)
        case What.MOVE:
            message.move.CopyFrom(moved)
        case What.POST:
            message.post.pending_id = str(transfer_id(tournament_id, order.pending))
        case What.VOID:
            message.void.pending_id = str(transfer_id(tournament_id, order.pending))
    return message
