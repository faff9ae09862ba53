from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.ledger import canasta_won, ended

from meldhall.common.v1.page_pb2 import PageRequest
from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub, add_LedgerServiceServicer_to_server
from meldhall_eventlog import LogUnavailable
from meldhall_ledger.api import ACCESS, LedgerApi
from meldhall_ledger.domain.happenings import Numbered
from meldhall_ledger.store import Ledger, migrate, open_database
from meldhall_runtime import Runtime, reason_of
from meldhall_runtime.auth import Principal
from meldhall_runtime.testing import RunningService, operator, player, running_service, service


class Api:
    """The service in this process, called over the loopback device."""

    def __init__(self, running: RunningService, ledger: Ledger) -> None:
        self.ledger = ledger
        self._running = running

    async def call(self, method: str, request: Any, caller: Principal | None) -> Any:
        stub = LedgerServiceStub(await self._running.channel(caller))
        return await getattr(stub, method)(request)

    async def refused(
        self, method: str, request: Any, caller: Principal | None
    ) -> tuple[grpc.StatusCode, str, dict[str, str]]:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.call(method, request, caller)
        info = reason_of(caught.value)
        assert info is not None
        return caught.value.code(), info.reason, dict(info.metadata)


@pytest_asyncio.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    migrate(url)
    ledger = Ledger(open_database(url), now_ms=lambda: 1_700_000_000_000)

    async def bind(runtime: Runtime) -> None:
        runtime.on_close(ledger.close, "ledger")
        runtime.add_servicer(add_LedgerServiceServicer_to_server, LedgerApi(ledger), ACCESS)

    async with running_service(bind, name="ledger") as running:
        yield Api(running, ledger)


def _grant(number: int = 1, **changes: Any) -> pb.GrantRequest:
    fields: dict[str, Any] = {
        "transfer_id": str(UUID(int=number)),
        "player_id": "ann",
        "unit": pb.UNIT_JOKERS,
        "amount": 2,
        "reason": "welcome",
    }
    return pb.GrantRequest(**{**fields, **changes})


def _reserve(table: str = "t", round_no: int = 1, **seats: str) -> pb.ReserveJokersRequest:
    claims = [pb.JokerClaim(seat=int(seat[1:]), player_id=name) for seat, name in seats.items()]
    return pb.ReserveJokersRequest(table_id=table, round=round_no, claims=claims)


async def test_a_grant_is_answered_twice_alike_and_read_by_its_player(api: Api) -> None:
    first = await api.call("Grant", _grant(), operator())

    assert await api.call("Grant", _grant(), service("tournament")) == first
    assert first.balance == pb.Balance(unit=pb.UNIT_JOKERS, posted=2)
    assert (await api.call("GetBalances", pb.GetBalancesRequest(), player("ann"))).balances == [
        pb.Balance(unit=pb.UNIT_POINTS),
        pb.Balance(unit=pb.UNIT_JOKERS, posted=2),
        pb.Balance(unit=pb.UNIT_COINS),
    ]


async def test_another_body_under_the_same_id_already_exists(api: Api) -> None:
    await api.call("Grant", _grant(), operator())

    code, reason, metadata = await api.refused("Grant", _grant(amount=3, reason="other"), operator())

    assert (code, reason) == (grpc.StatusCode.ALREADY_EXISTS, "TRANSFER_EXISTS")
    assert metadata["different"] == "amount,reason"


async def test_taking_more_jokers_than_there_are_is_refused(api: Api) -> None:
    code, reason, metadata = await api.refused("Grant", _grant(amount=-1), operator())

    assert (code, reason, metadata) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "INSUFFICIENT",
        {"unit": "JOKERS"},
    )


async def test_jokers_are_reserved_once_a_round(api: Api) -> None:
    await api.call("Grant", _grant(amount=1), operator())
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
    await api.call("Grant", _grant(), operator())
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
        await api.call("Grant", _grant(number, amount=number), operator())
    request = pb.ListStatementRequest(unit=pb.UNIT_JOKERS, page=PageRequest(size=2))
    seen = []
    while True:
        page = await api.call("ListStatement", request, player("ann"))
        seen += [(line.change, line.balance) for line in page.lines]
        await api.call("Grant", _grant(100 + len(seen), amount=50), operator())
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
        ("Grant", _grant(), player("ann")),
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
        ("Grant", _grant(transfer_id="1"), "transfer_id"),
        ("Grant", _grant(player_id=""), "player_id"),
        ("Grant", _grant(player_id="a\nb"), "player_id"),
        ("Grant", _grant(unit=pb.UNIT_UNSPECIFIED), "unit"),
        ("Grant", _grant(unit=77), "unit"),
        ("Grant", _grant(amount=0), "amount"),
        ("Grant", _grant(amount=-1_000_000_001), "amount"),
        ("Grant", _grant(amount=2**63 - 1), "amount"),
        ("Grant", _grant(reason=""), "reason"),
        ("Grant", _grant(reason="x" * 201), "reason"),
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

    code, reason, _ = await api.refused("Grant", _grant(amount=-1), operator())

    assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "DATABASE_UNAVAILABLE")
