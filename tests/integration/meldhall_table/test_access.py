from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.tables import DRAW, OPEN, kept_for, new_table, refusal, table_engine, watched
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_runtime.auth import Principal
from meldhall_runtime.testing import operator, player, service
from meldhall_table.api.servicer import ACCESS

CODE = grpc.StatusCode


def first_of(call: Any) -> Any:
    async def read() -> Any:
        message = await call.read()
        assert message is not grpc.aio.EOF
        return message

    return read()


def playing(stub: Any, table_id: str) -> Any:
    return stub.Play(iter([pb.PlayRequest(watch=pb.WatchRequest(table_id=table_id))]))


CALLS: dict[str, Callable[[Any, str], Any]] = {
    "CreateTable": lambda stub, _: stub.CreateTable(new_table(OPEN, OPEN, command_id="another")),
    "Join": lambda stub, table: stub.Join(pb.JoinRequest(table_id=table, command_id="j")),
    "ChangeSeat": lambda stub, table: stub.ChangeSeat(pb.ChangeSeatRequest(table_id=table, command_id="c")),
    "HostTable": lambda stub, table: stub.HostTable(
        pb.HostTableRequest(table_id=table, command_id="h", lock=pb.LockTable(locked=True))
    ),
    "Admit": lambda stub, table: stub.Admit(
        pb.AdmitRequest(table_id=table, command_id="i", player_id="mallory")
    ),
    "Leave": lambda stub, table: stub.Leave(pb.LeaveRequest(table_id=table, command_id="l")),
    "Act": lambda stub, table: stub.Act(pb.ActRequest(table_id=table, command_id="a", move=DRAW)),
    "Ready": lambda stub, table: stub.Ready(pb.ReadyRequest(table_id=table, command_id="r")),
    "Rematch": lambda stub, table: stub.Rematch(pb.RematchRequest(table_id=table, command_id="m")),
    "GetHints": lambda stub, table: stub.GetHints(hints_pb.GetHintsRequest(table_id=table)),
    "Play": lambda stub, table: first_of(playing(stub, table)),
    "Watch": lambda stub, table: first_of(stub.Watch(pb.WatchRequest(table_id=table))),
    "ReadStream": lambda stub, table: first_of(stub.ReadStream(pb.ReadStreamRequest(table_id=table))),
    "WatchShards": lambda stub, _: first_of(stub.WatchShards(pb.WatchShardsRequest())),
}

STRANGER, OTHER, RULER = player("mallory"), service("matchmaking"), operator()

DENIED: list[tuple[str, Principal | None, grpc.StatusCode, str]] = [
    *((rpc, None, CODE.UNAUTHENTICATED, "TOKEN_MISSING") for rpc in CALLS),
    ("Join", STRANGER, CODE.FAILED_PRECONDITION, "TABLE_FULL"),
    ("ChangeSeat", STRANGER, CODE.PERMISSION_DENIED, "NOT_AT_TABLE"),
    ("HostTable", STRANGER, CODE.PERMISSION_DENIED, "NOT_HOST"),
    ("Admit", STRANGER, CODE.PERMISSION_DENIED, "ROLE_NOT_ALLOWED"),
    ("Admit", RULER, CODE.PERMISSION_DENIED, "ROLE_NOT_ALLOWED"),
    ("Leave", STRANGER, CODE.PERMISSION_DENIED, "NOT_AT_TABLE"),
    ("Act", STRANGER, CODE.PERMISSION_DENIED, "NOT_AT_TABLE"),
    ("GetHints", STRANGER, CODE.PERMISSION_DENIED, "NOT_AT_TABLE"),
    ("Watch", STRANGER, CODE.PERMISSION_DENIED, "NOT_AT_TABLE"),
    ("Play", STRANGER, CODE.PERMISSION_DENIED, "NOT_AT_TABLE"),
    ("ReadStream", STRANGER, CODE.PERMISSION_DENIED, "ROLE_NOT_ALLOWED"),
    *(
        (rpc, who, CODE.PERMISSION_DENIED, "ROLE_NOT_ALLOWED")
        for who in (OTHER, RULER)
        for rpc in ("Join", "ChangeSeat", "HostTable", "Leave", "Act", "GetHints", "Play", "Ready", "Rematch")
    ),
]


@pytest.mark.parametrize(("rpc", "who", "code", "reason"), DENIED)
async def test_who_may_not_is_told_so_and_nothing_happens(
    tmp_path: Path, rpc: str, who: Principal | None, code: grpc.StatusCode, reason: str
) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        anna, _ = await engine.seat(table_id, "anna", "ben")
        before = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        answer = await refusal(CALLS[rpc](await engine.stub(who), table_id))
        assert (answer.code, answer.reason) == (code, reason)
        assert (await anna.look()).version == before.version
        registry = engine.running.runtime.registry
        await until(lambda: registry.get_sample_value("meldhall_table_watchers_open") == 0)


@pytest.mark.parametrize("who", [OTHER, RULER])
@pytest.mark.parametrize("rpc", ["CreateTable", "Watch", "ReadStream"])
async def test_services_and_operators_may(tmp_path: Path, rpc: str, who: Principal) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        assert await CALLS[rpc](await engine.stub(who), table_id)


def test_every_method_is_in_the_access_table() -> None:
    methods = pb.DESCRIPTOR.services_by_name["TableService"].methods_by_name
    assert {name.rpartition("/")[2] for name in ACCESS} == set(methods) == set(CALLS)


async def test_a_wrong_token_gets_not_one_byte_of_a_table(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        stub = await engine.stub(None)
        call = stub.Watch(pb.WatchRequest(table_id=table_id), metadata=(("authorization", "Bearer x.y.z"),))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await watched(call)
        assert refused.value.code() is CODE.UNAUTHENTICATED


async def test_a_player_whose_seat_is_kept_watches_as_a_spectator(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(kept_for("anna"), kept_for("ben")))
        call = (await engine.stub("anna")).Watch(pb.WatchRequest(table_id=table_id))
        (first,) = await watched(call, 1)
        assert not first.snapshot.HasField("own_seat")
        answer = await refusal(first_of((await engine.stub("eve")).Watch(pb.WatchRequest(table_id=table_id))))
        assert answer.reason == "NOT_AT_TABLE"


async def test_a_player_who_left_sees_no_more_until_he_comes_back(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, bot_move_ms=60_000))
        anna, ben = await engine.seat(table_id, "anna", "ben")
        await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        hand = sorted((await anna.look()).round.own_hand)
        call = anna.stub.Watch(pb.WatchRequest(table_id=table_id))
        await call.read()
        await anna.leave()
        left = await call.read()
        assert left.event.seat_left.player_id == "anna"
        assert (await refusal(call.read())).reason == "NOT_AT_TABLE"
        assert (await refusal(first_of(anna.stub.Watch(pb.WatchRequest(table_id=table_id))))).reason == (
            "NOT_AT_TABLE"
        )
        assert (await refusal(anna.act(DRAW))).reason == "NOT_AT_TABLE"
        assert (await ben.look()).seats[0].left
        back = await anna.join()
        assert back.seat == 0
        assert sorted(back.view.round.own_hand) == hand
        assert not (await ben.look()).seats[0].left
