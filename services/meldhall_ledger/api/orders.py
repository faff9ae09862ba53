"""Orders between messages and the domain."""

from collections.abc import Iterable, Sequence
from typing import Final

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall_ledger.api.fields import reason, transfer_id, wrong
from meldhall_ledger.domain.accounts import AccountId
from meldhall_ledger.domain.books import Chain, Order, PendingState, Posted, Resolve, Verdict, chained
from meldhall_ledger.domain.refusals import Refusal
from meldhall_ledger.domain.transfers import MAX_AMOUNT, Kind, Phase, Transfer
from meldhall_ledger.store import Found
from meldhall_runtime.auth import Principal, Role
from meldhall_runtime.errors import permission_denied

MAX_ORDERS: Final = 1_000
_LATEST_MS: Final = 2**53

KINDS: Final = {
    pb.TRANSFER_KIND_ROUND_RESULT: Kind.ROUND_RESULT,
    pb.TRANSFER_KIND_JOKER_SPENT: Kind.JOKER_SPENT,
    pb.TRANSFER_KIND_GRANT: Kind.GRANT,
    pb.TRANSFER_KIND_MATCH_RESULT: Kind.MATCH_RESULT,
    pb.TRANSFER_KIND_STAKE: Kind.STAKE,
    pb.TRANSFER_KIND_PAYOUT: Kind.PAYOUT,
    pb.TRANSFER_KIND_RAKE: Kind.RAKE,
    pb.TRANSFER_KIND_FEE: Kind.FEE,
    pb.TRANSFER_KIND_PRIZE: Kind.PRIZE,
    pb.TRANSFER_KIND_CORRECTION: Kind.CORRECTION,
}
KIND_NUMBERS: Final = {kind: number for number, kind in KINDS.items()}

_ORDERED: Final = {
    Role.SERVICE: frozenset({Kind.STAKE, Kind.PAYOUT, Kind.RAKE, Kind.FEE, Kind.PRIZE}),
    Role.OPERATOR: frozenset({Kind.CORRECTION}),
}
"""What may be ordered, by role. Results come from tables alone, grants have a method of their own."""

_PHASE_NUMBERS: Final = {
    Phase.SINGLE: pb.TRANSFER_PHASE_SINGLE,
    Phase.PENDING: pb.TRANSFER_PHASE_PENDING,
    Phase.POST: pb.TRANSFER_PHASE_POST,
    Phase.VOID: pb.TRANSFER_PHASE_VOID,
}
_STATE_NUMBERS: Final = {
    PendingState.PENDING: pb.PENDING_STATE_PENDING,
    PendingState.POSTED: pb.PENDING_STATE_POSTED,
    PendingState.VOIDED: pb.PENDING_STATE_VOIDED,
    PendingState.EXPIRED: pb.PENDING_STATE_EXPIRED,
}


def chains(request: pb.CreateTransfersRequest, caller: Principal) -> Sequence[Chain]:
    """Read the chains of a request.

    Raises:
        ServiceError: INVALID_ARGUMENT that names the field; PERMISSION_DENIED for kinds that the caller's
            role may not order.
    """
    if not 1 <= len(request.orders) <= MAX_ORDERS:
        wrong("orders", f"must be 1 to {MAX_ORDERS}")
    orders = [_order(order, f"orders[{at}]", caller) for at, order in enumerate(request.orders)]
    if request.orders[-1].linked:
        wrong(f"orders[{len(orders) - 1}].linked", "must not be set on the last order")
    return chained(orders, [order.linked for order in request.orders])


def _order(order: pb.TransferOrder, field: str, caller: Principal) -> Order:
    kind = KINDS.get(order.kind)
    if kind is None:
        wrong(f"{field}.kind", "is missing or unknown")
    if kind not in _ORDERED.get(caller.role, frozenset()):
        raise permission_denied("KIND_NOT_ALLOWED", f"{field}: a {caller.role} may not order a {kind}")
    what = order.WhichOneof("order")
    if what is None:
        wrong(f"{field}.order", "is missing")
    if kind is Kind.CORRECTION and what != "move":
        wrong(f"{field}.order", "must be a move: a correction is posted at once")
    if what == "move":
        return _transfer(order, order.move, kind, f"{field}.move", caller)
    if what == "hold":
        return _transfer(order, order.hold.movement, kind, f"{field}.hold.movement", caller)
    return _resolve(order, kind, field, caller)


def _transfer(
    order: pb.TransferOrder, moved: pb.Movement, kind: Kind, field: str, caller: Principal
) -> Transfer:
    top = field.partition(".")[0]
    debit, credit = _account(f"{field}.debit", moved.debit), _account(f"{field}.credit", moved.credit)
    if debit == credit:
        wrong(f"{field}.credit", "must be another account than debit")
    if debit.unit is not credit.unit:
        wrong(f"{field}.credit", f"must count {debit.unit}, as debit does")
    holds = order.HasField("hold")
    corrected = None
    if kind is Kind.CORRECTION:
        corrected = transfer_id(f"{top}.corrects", order.corrects)
    elif order.corrects:
        wrong(f"{top}.corrects", "is for corrections")
    return Transfer(
        id=transfer_id(f"{top}.transfer_id", order.transfer_id),
        debit=debit,
        credit=credit,
        amount=_amount(f"{field}.amount", moved.amount),
        kind=kind,
        actor=caller.subject,
        reason=reason(f"{top}.reason", order.reason),
        phase=Phase.PENDING if holds else Phase.SINGLE,
        refers_to=corrected,
        expires_at_ms=_expiry(f"{top}.hold.expires_at_unix_ms", order.hold) if holds else None,
    )


def _resolve(order: pb.TransferOrder, kind: Kind, field: str, caller: Principal) -> Resolve:
    posts = order.HasField("post")
    what, message = ("post", order.post) if posts else ("void", order.void)
    amount = None
    if posts and order.post.HasField("amount"):
        amount = _amount(f"{field}.post.amount", order.post.amount)
    if order.corrects:
        wrong(f"{field}.corrects", "is for corrections")
    return Resolve(
        id=transfer_id(f"{field}.transfer_id", order.transfer_id),
        pending_id=transfer_id(f"{field}.{what}.pending_id", message.pending_id),
        phase=Phase.POST if posts else Phase.VOID,
        kind=kind,
        actor=caller.subject,
        amount=amount,
        reason=reason(f"{field}.reason", order.reason),
    )


def _account(field: str, text: str) -> AccountId:
    try:
        return AccountId.parse(text)
    except ValueError:
        wrong(field, "must name an account, such as player:<id>:coins")


def _amount(field: str, amount: int) -> int:
    if not 0 < amount <= MAX_AMOUNT:
        wrong(field, f"must be 1 to {MAX_AMOUNT}")
    return amount


def _expiry(field: str, hold: pb.Hold) -> int | None:
    if not hold.HasField("expires_at_unix_ms"):
        return None
    if not 0 < hold.expires_at_unix_ms <= _LATEST_MS:
        wrong(field, "must be a time, in milliseconds since 1970")
    return hold.expires_at_unix_ms


def answer(
    request: pb.CreateTransfersRequest, verdicts: Iterable[tuple[Verdict, ...]]
) -> pb.CreateTransfersResponse:
    """Write a verdict for every order, in their order."""
    flat = (verdict for chain in verdicts for verdict in chain)
    return pb.CreateTransfersResponse(
        verdicts=[
            _verdict(order.transfer_id, verdict) for order, verdict in zip(request.orders, flat, strict=True)
        ]
    )


def _verdict(transfer_id: str, verdict: Verdict) -> pb.Verdict:
    match verdict:
        case Posted():
            accepted = pb.Accepted(before=not verdict.created, amount=verdict.transfer.amount)
            return pb.Verdict(transfer_id=transfer_id, accepted=accepted)
        case Refusal():
            refused = pb.Refused(
                code=verdict.code.value, detail=verdict.detail, metadata=dict(verdict.parameters)
            )
            return pb.Verdict(transfer_id=transfer_id, refused=refused)


def found(one: Found) -> pb.GetTransferResponse:
    """Write a transfer and what became of it."""
    transfer, pending = one.transfer, one.pending
    return pb.GetTransferResponse(
        transfer_id=str(transfer.id),
        debit=str(transfer.debit),
        credit=str(transfer.credit),
        amount=transfer.amount,
        kind=KIND_NUMBERS[transfer.kind],
        phase=_PHASE_NUMBERS[transfer.phase],
        reason=transfer.reason,
        actor=transfer.actor,
        refers_to="" if transfer.refers_to is None else str(transfer.refers_to),
        table_id=transfer.cause.table_id if transfer.cause else "",
        round=transfer.cause.round if transfer.cause else 0,
        state=_STATE_NUMBERS[pending.state] if pending else pb.PENDING_STATE_UNSPECIFIED,
        posted=pending.posted if pending else 0,
        created_at_unix_ms=one.posted_at_ms,
    )
