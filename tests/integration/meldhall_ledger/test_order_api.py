"""Orders over the API: what is read, what is refused and with which words, who may order what."""

from typing import Any
from uuid import UUID

import grpc
import pytest
from tests.fixtures.ledger_api import Api, grant_request

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall_runtime.testing import operator, player, service

COINS: dict[str, Any] = {"unit": pb.UNIT_COINS, "amount": 100}
TOURNAMENT = service("tournament")


def uuid(number: int) -> str:
    return str(UUID(int=number))


def order(
    number: int, kind: Any = pb.TRANSFER_KIND_STAKE, *, linked: bool = False, **what: Any
) -> pb.TransferOrder:
    return pb.TransferOrder(transfer_id=uuid(number), kind=kind, reason="because", linked=linked, **what)


def movement(debit: str = "player:ann:coins", credit: str = "escrow:t:coins", amount: int = 4) -> pb.Movement:
    return pb.Movement(debit=debit, credit=credit, amount=amount)


def orders(*each: pb.TransferOrder) -> pb.CreateTransfersRequest:
    return pb.CreateTransfersRequest(orders=each)


def words(answer: pb.CreateTransfersResponse) -> list[str]:
    return [
        one.refused.code if one.HasField("refused") else "again" if one.accepted.before else "done"
        for one in answer.verdicts
    ]


async def test_what_is_held_is_posted_in_part_and_read_back(api: Api) -> None:
    await api.call("Grant", grant_request(**COINS), operator())
    hold = order(11, hold=pb.Hold(movement=movement(amount=40)))
    post = order(12, kind=pb.TRANSFER_KIND_PAYOUT, post=pb.Post(pending_id=uuid(11), amount=30))

    first = await api.call("CreateTransfers", orders(hold, post), TOURNAMENT)
    again = await api.call("CreateTransfers", orders(hold, post), TOURNAMENT)

    assert (words(first), words(again)) == (["done", "done"], ["again", "again"])
    assert [one.accepted.amount for one in again.verdicts] == [40, 30]
    assert [one.transfer_id for one in again.verdicts] == [uuid(11), uuid(12)]
    found = await api.call("GetTransfer", pb.GetTransferRequest(transfer_id=uuid(11)), operator())
    assert (found.state, found.posted, found.amount) == (pb.PENDING_STATE_POSTED, 30, 40)
    balances = await api.call("GetBalances", pb.GetBalancesRequest(), player("ann"))
    assert balances.balances[2] == pb.Balance(unit=pb.UNIT_COINS, posted=70, held=0)


async def test_each_order_has_its_own_verdict_and_a_chain_one_fate(api: Api) -> None:
    await api.call("Grant", grant_request(**COINS), operator())

    answer = await api.call(
        "CreateTransfers",
        orders(
            order(11, move=movement(amount=60)),
            order(12, move=movement(amount=60)),
            order(13, move=movement(amount=10), linked=True),
            order(14, move=movement(amount=60)),
            order(15, move=movement(amount=40)),
        ),
        TOURNAMENT,
    )

    assert words(answer) == ["done", "INSUFFICIENT", "LINKED_REFUSED", "INSUFFICIENT", "done"]
    assert dict(answer.verdicts[1].refused.metadata) == {"unit": "COINS"}
    assert dict(answer.verdicts[2].refused.metadata) == {"refused": uuid(14), "code": "INSUFFICIENT"}


async def test_a_correction_is_an_operators_and_names_what_it_corrects(api: Api) -> None:
    await api.call("Grant", grant_request(**COINS), operator())
    wrong = uuid(1)
    fix = order(
        21, pb.TRANSFER_KIND_CORRECTION, move=movement("player:ann:coins", "issue:coins", 100), corrects=wrong
    )

    assert words(await api.call("CreateTransfers", orders(fix), operator("olga"))) == ["done"]
    found = await api.call("GetTransfer", pb.GetTransferRequest(transfer_id=uuid(21)), operator())
    assert (found.actor, found.refers_to, found.reason) == ("olga", wrong, "because")
    code, reason, _ = await api.refused("CreateTransfers", orders(fix), TOURNAMENT)
    assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "KIND_NOT_ALLOWED")


@pytest.mark.parametrize(
    ("caller", "kind"),
    [
        (TOURNAMENT, pb.TRANSFER_KIND_GRANT),
        (TOURNAMENT, pb.TRANSFER_KIND_ROUND_RESULT),
        (operator(), pb.TRANSFER_KIND_STAKE),
        (operator(), pb.TRANSFER_KIND_PRIZE),
    ],
)
async def test_nobody_orders_what_is_not_his_to_order(api: Api, caller: Any, kind: int) -> None:
    code, reason, _ = await api.refused("CreateTransfers", orders(order(1, kind, move=movement())), caller)

    assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "KIND_NOT_ALLOWED")


@pytest.mark.parametrize("method", ["CreateTransfers", "GetTransfer"])
async def test_players_and_strangers_may_not_call_it(api: Api, method: str) -> None:
    request = orders(order(1, move=movement())) if method == "CreateTransfers" else pb.GetTransferRequest()

    assert (await api.refused(method, request, player("ann")))[0] is grpc.StatusCode.PERMISSION_DENIED
    assert (await api.refused(method, request, None))[0] is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (orders(), "orders"),
        (orders(*[order(1, move=movement())] * 1001), "orders"),
        (orders(order(1, 0, move=movement())), "orders[0].kind"),
        (orders(order(1, 99, move=movement())), "orders[0].kind"),
        (orders(order(1)), "orders[0].order"),
        (orders(order(1, move=movement(), linked=True)), "orders[0].linked"),
        (orders(order(1, move=movement(amount=0))), "orders[0].move.amount"),
        (orders(order(1, move=movement(amount=2**40))), "orders[0].move.amount"),
        (orders(order(1, move=movement(debit="ann"))), "orders[0].move.debit"),
        (orders(order(1, move=movement(debit="issue:x:coins"))), "orders[0].move.debit"),
        (orders(order(1, move=movement(credit="player:ann:coins"))), "orders[0].move.credit"),
        (orders(order(1, move=movement(credit="escrow:t:points"))), "orders[0].move.credit"),
        (orders(order(1, post=pb.Post(pending_id="x"))), "orders[0].post.pending_id"),
        (orders(order(1, post=pb.Post(pending_id=uuid(2), amount=0))), "orders[0].post.amount"),
        (orders(order(1, void=pb.Void())), "orders[0].void.pending_id"),
        (orders(order(1, void=pb.Void(pending_id=uuid(2)), corrects=uuid(3))), "orders[0].corrects"),
        (orders(order(1, move=movement(), corrects=uuid(3))), "orders[0].corrects"),
        (
            orders(order(1, hold=pb.Hold(movement=movement(), expires_at_unix_ms=-1))),
            "orders[0].hold.expires_at_unix_ms",
        ),
        (
            orders(
                order(1, move=movement()),
                pb.TransferOrder(kind=pb.TRANSFER_KIND_STAKE, reason="r", move=movement()),
            ),
            "orders[1].transfer_id",
        ),
        (
            orders(pb.TransferOrder(transfer_id=uuid(1), kind=pb.TRANSFER_KIND_STAKE, move=movement())),
            "orders[0].reason",
        ),
    ],
)
async def test_a_malformed_order_is_refused_by_the_name_of_its_field(
    api: Api, bad: pb.CreateTransfersRequest, field: str
) -> None:
    code, reason, metadata = await api.refused("CreateTransfers", bad, TOURNAMENT)

    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert metadata["field"] == field


async def test_an_unknown_transfer_is_not_found(api: Api) -> None:
    code, reason, _ = await api.refused("GetTransfer", pb.GetTransferRequest(transfer_id=uuid(5)), operator())

    assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "TRANSFER_NOT_FOUND")
