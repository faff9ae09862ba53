from typing import Any

import grpc
import pytest
from tests.fixtures.ledger import canasta_won, ended
from tests.fixtures.ledger_api import Api, grant_request

from meldhall.common.v1.page_pb2 import PageRequest
from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall_eventlog import LogUnavailable
from meldhall_ledger.api.servicer import ACCESS
from meldhall_ledger.domain.happenings import Numbered
from meldhall_runtime.auth import Principal
from meldhall_runtime.testing import operator, player, service


def _reserve(table: str = "t", round_no: int = 1, **seats: str) -> pb.ReserveJokersRequest:
    claims = [pb.JokerClaim(seat=int(seat[1:]), player_id=name) for seat, name in seats.items()]
    return pb.ReserveJokersRequest(table_id=table, round=round_no, claims=claims)


async def test_a_grant_is_answered_twice_alike_and_read_by_its_player(api: Api) -> None:
    first = await api.call("Grant", grant_request(), operator())

    assert await api.call("Grant", grant_request(), service("tournament")) == first
    assert first.balance == pb.Balance(unit=pb.UNIT_JOKERS, posted=2)
    assert (await api.call("GetBalances", pb.GetBalancesRequest(), player("ann"))).balances == [
        pb.Balance(unit=pb.UNIT_POINTS),
        pb.Balance(unit=pb.UNIT_JOKERS, posted=2),
        pb.Balance(unit=pb.UNIT_COINS),
    ]


async def test_another_body_under_the_same_id_already_exists(api: Api) -> None:
    await api.call("Grant", grant_request(), operator())

    code, reason, metadata = await api.refused("Grant", grant_request(amount=3, reason="other"), operator())

    assert (code, reason) == (grpc.StatusCode.ALREADY_EXISTS, "TRANSFER_EXISTS")
    assert metadata["different"] == "amount,reason"


async def test_taking_more_jokers_than_there_are_is_refused(api: Api) -> None:
    code, reason, metadata = await api.refused("Grant", grant_request(amount=-1), operator())

    assert (code, reason, metadata) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "INSUFFICIENT",
        {"unit": "JOKERS"},
    )


async def test_jokers_are_reserved_once_a_round(api: Api) -> None:
    await api.call("Grant", grant_request(amount=1), operator())
    request = _reserve(s0="ann", s2="ben")

    assert list((await api.call("ReserveJokers", request, service())).seats) == [0]
    assert list((await api.call("ReserveJokers", request, service())).seats) == [0]
    assert list((await api.call("ReserveJokers", _reserve("u", s0="ann"), service())).seats) == []
    code, reason, metadata = await api.refused("ReserveJokers", _reserve(s0="ben"), service())
    assert (code, reason) == (grpc.StatusCode.ALREADY_EXISTS, "RESERVATION_EXISTS")
    assert metadata["different"] == "claims"


async def test_a_settlement_can_be_read_by_everybody(api: Api) -> None:
    question = pb.GetSettlementRequest(table_id="t", round=1)
    assert not (await api.call("GetSettlement", question, player())).settled

    await api.ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101, "cid": 0})))
    answer = await api.call("GetSettlement", question, player())

    assert answer.settled
    assert [(seat.seat, seat.player_id, seat.points) for seat in answer.seats] == [
        (0, "ann", 101),
        (1, "ben", -101),
        (2, "cid", 0),
    ]
    assert [bool(seat.transfer_id) for seat in answer.seats] == [True, True, False]


async def test_sums_are_zero_and_count_what_was_done(api: Api) -> None:
    await api.call("Grant", grant_request(), operator())
    await api.ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101})))

    answer = await api.call("CheckSums", pb.CheckSumsRequest(), operator())

    assert [(one.unit, one.sum, one.transfers) for one in answer.sums] == [
        (pb.UNIT_POINTS, 0, 2),
        (pb.UNIT_JOKERS, 0, 1),
        (pb.UNIT_COINS, 0, 0),
    ]
    assert answer.settled_rounds == 1


async def test_a_statement_comes_in_pages_and_new_lines_do_not_shift_them(api: Api) -> None:
    for number in range(1, 6):
        await api.call("Grant", grant_request(number, amount=number), operator())
    request = pb.ListStatementRequest(unit=pb.UNIT_JOKERS, page=PageRequest(size=2))
    seen = []
    while True:
        page = await api.call("ListStatement", request, player("ann"))
        seen += [(line.change, line.balance) for line in page.lines]
        await api.call("Grant", grant_request(100 + len(seen), amount=50), operator())
        if not page.next_cursor:
            break
        request.page.cursor = page.next_cursor

    assert seen == [(5, 15), (4, 10), (3, 6), (2, 3), (1, 1)]


async def test_a_statement_tells_rounds_from_grants(api: Api) -> None:
    await api.ledger.apply(Numbered("t", 1, ended("t", 7, {"ann": 101, "ben": -101})))
    request = pb.ListStatementRequest(player_id="ben", unit=pb.UNIT_POINTS)

    (line,) = (await api.call("ListStatement", request, operator())).lines

    assert (line.kind, line.table_id, line.round, line.reason) == (pb.TRANSFER_KIND_ROUND_RESULT, "t", 7, "")
    assert line.posted_at_unix_ms == 1_700_000_000_000


async def test_a_match_has_a_settlement_and_lines_of_its_own(api: Api) -> None:
    question = pb.GetSettlementRequest(table_id="t")
    assert not (await api.call("GetSettlement", question, player())).settled
    await api.ledger.apply(Numbered("t", 1, canasta_won("t", 1, 3, ("ann", "ben", "", "dan"))))

    answer = await api.call("GetSettlement", question, player())
    request = pb.ListStatementRequest(player_id="ann", unit=pb.UNIT_POINTS)
    (line,) = (await api.call("ListStatement", request, operator())).lines
    sums = await api.call("CheckSums", pb.CheckSumsRequest(), operator())

    assert answer.settled
    assert [(seat.seat, seat.points) for seat in answer.seats] == [(0, -3000), (1, 3000), (3, 3000)]
    assert (line.kind, line.table_id, line.round) == (pb.TRANSFER_KIND_MATCH_RESULT, "t", 0)
    assert (line.change, line.transfer_id) == (-3000, answer.seats[0].transfer_id)
    assert (sums.settled_rounds, sums.sums[0].sum) == (0, 0)


@pytest.mark.parametrize(
    ("method", "request_", "caller"),
    [
        ("Grant", grant_request(), player("ann")),
        ("ReserveJokers", _reserve(s0="ann"), player("ann")),
        ("ReserveJokers", _reserve(s0="ann"), operator()),
        ("CheckSums", pb.CheckSumsRequest(), player("ann")),
        ("GetBalances", pb.GetBalancesRequest(player_id="ben"), player("ann")),
        ("ListStatement", pb.ListStatementRequest(player_id="ben", unit=pb.UNIT_POINTS), player("ann")),
    ],
)
async def test_what_a_caller_may_not_do_is_denied(
    api: Api, method: str, request_: Any, caller: Principal
) -> None:
    code, _, _ = await api.refused(method, request_, caller)

    assert code is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize("method", [name.rpartition("/")[2] for name in ACCESS])
async def test_nobody_calls_without_a_token(api: Api, method: str) -> None:
    request = getattr(pb, f"{method}Request")()

    code, _, _ = await api.refused(method, request, None)

    assert code is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize(
    ("method", "request_", "field"),
    [
        ("GetBalances", pb.GetBalancesRequest(), "player_id"),
        ("GetBalances", pb.GetBalancesRequest(player_id="x" * 129), "player_id"),
        ("ListStatement", pb.ListStatementRequest(player_id="ann"), "unit"),
        ("ListStatement", pb.ListStatementRequest(unit=pb.UNIT_POINTS), "player_id"),
        (
            "ListStatement",
            pb.ListStatementRequest(player_id="a", unit=pb.UNIT_POINTS, page=PageRequest(size=1001)),
            "page.size",
        ),
        (
            "ListStatement",
            pb.ListStatementRequest(player_id="a", unit=pb.UNIT_POINTS, page=PageRequest(cursor="-1")),
            "page.cursor",
        ),
        (
            "ListStatement",
            pb.ListStatementRequest(player_id="a", unit=pb.UNIT_POINTS, page=PageRequest(cursor="9" * 19)),
            "page.cursor",
        ),
        ("Grant", grant_request(transfer_id="1"), "transfer_id"),
        ("Grant", grant_request(player_id=""), "player_id"),
        ("Grant", grant_request(player_id="a\nb"), "player_id"),
        ("Grant", grant_request(unit=pb.UNIT_UNSPECIFIED), "unit"),
        ("Grant", grant_request(unit=77), "unit"),
        ("Grant", grant_request(amount=0), "amount"),
        ("Grant", grant_request(amount=-1_000_000_001), "amount"),
        ("Grant", grant_request(amount=2**63 - 1), "amount"),
        ("Grant", grant_request(reason=""), "reason"),
        ("Grant", grant_request(reason="x" * 201), "reason"),
        ("ReserveJokers", _reserve("", s0="ann"), "table_id"),
        ("ReserveJokers", _reserve("t", 0, s0="ann"), "round"),
        ("ReserveJokers", _reserve(s0="ann", s64="ben"), "claims[1].seat"),
        ("ReserveJokers", _reserve(s0="ann", s00="ben"), "claims[1].seat"),
        ("ReserveJokers", _reserve(s0=""), "claims[0].player_id"),
        ("GetSettlement", pb.GetSettlementRequest(round=1), "table_id"),
        ("GetSettlement", pb.GetSettlementRequest(table_id="t", round=1_000_001), "round"),
    ],
)
async def test_a_wrong_request_names_its_field(api: Api, method: str, request_: Any, field: str) -> None:
    caller = service()

    code, reason, metadata = await api.refused(method, request_, caller)

    assert (code, reason, metadata) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", {"field": field})


async def test_a_database_that_is_away_is_unavailable_and_no_lack_of_funds(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise LogUnavailable("database is locked")

    monkeypatch.setattr(api.ledger, "grant", fail)

    code, reason, _ = await api.refused("Grant", grant_request(amount=-1), operator())

    assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "DATABASE_UNAVAILABLE")
