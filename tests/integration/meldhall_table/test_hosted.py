"""Friends' tables that a player runs, over the API: seats, bots, locks, invitations, the start."""

from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.tables import OPEN, Sitter, kept_for, new_table, refusal, table_engine

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.mirror import TableMirror
from meldhall_eventlog import SqlEventLog
from meldhall_runtime.testing import player, service
from meldhall_table.store.audit import audit_table

HOSTED = events_pb.HostRules()
INVITED = events_pb.HostRules(invited_only=True)


class Host(Sitter):
    """A player who may run the table."""

    async def order(self, **order: Any) -> int:
        request = pb.HostTableRequest(table_id=self.table_id, command_id=self.next_id("host"), **order)
        answer: pb.HostTableResponse = await self.stub.HostTable(request)
        return answer.version

    async def change_seat(self, seat: int) -> int:
        request = pb.ChangeSeatRequest(table_id=self.table_id, command_id=self.next_id("seat"), seat=seat)
        answer: pb.ChangeSeatResponse = await self.stub.ChangeSeat(request)
        return answer.version


async def hosts(engine: Any, table_id: str, *names: str) -> list[Host]:
    made = [Host(await engine.stub(name), table_id, name) for name in names]
    for one in made:
        await one.join()
    return made


async def by_anna(engine: Any, request: pb.CreateTableRequest) -> str:
    answer: pb.CreateTableResponse = await (await engine.stub("anna")).CreateTable(request)
    return answer.table_id


async def to_its_end(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_a_table_is_filled_arranged_and_begun_by_its_host(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await by_anna(engine, new_table(OPEN, OPEN, OPEN, OPEN, host=HOSTED))
        anna, ben, cleo = await hosts(engine, table_id, "anna", "ben", "cleo")
        call = anna.stub.Watch(pb.WatchRequest(table_id=table_id))
        mirror = TableMirror((await call.read()).snapshot, "anna")
        assert (await refusal(anna.order(start=pb.StartMatch()))).metadata["seats"] == "3"
        assert (await refusal(ben.order(lock=pb.LockTable(locked=True)))).reason == "NOT_HOST"
        await ben.change_seat(3)
        await anna.order(bot=pb.SeatBot(seat=1, policy="easy"))
        await anna.order(free=pb.FreeSeat(seat=2))
        back = await refusal(cleo.join())
        assert (back.code, back.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SENT_AWAY")
        await anna.order(lock=pb.LockTable(locked=True))
        dan = Sitter(await engine.stub("dan"), table_id, "dan")
        assert (await refusal(dan.join())).reason == "TABLE_LOCKED"
        await anna.order(lock=pb.LockTable())
        await dan.join()
        view = await anna.look()
        assert view.status == view_pb.TABLE_STATUS_WAITING
        assert [seat.player_id for seat in view.seats] == ["anna", "bot-1", "dan", "ben"]
        while mirror.version < view.version:
            mirror.apply((await call.read()).event)
        assert mirror.view == view
        await anna.order(start=pb.StartMatch())
        await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        assert (await refusal(anna.order(lock=pb.LockTable(locked=True)))).reason == "MATCH_BEGUN"
        log = await SqlEventLog.open(engine.url)
        try:
            assert (await audit_table(log, table_id)).difference is None
        finally:
            await log.close()


async def test_who_is_sent_away_sees_no_more(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await by_anna(engine, new_table(OPEN, OPEN, OPEN, host=HOSTED))
        anna, ben = await hosts(engine, table_id, "anna", "ben")
        call = ben.stub.Watch(pb.WatchRequest(table_id=table_id))
        await call.read()
        await anna.order(free=pb.FreeSeat(seat=1))
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await to_its_end(call)
        assert ended.value.code() is grpc.StatusCode.PERMISSION_DENIED
        assert (await refusal(ben.look())).reason == "NOT_AT_TABLE"


async def test_a_table_for_the_invited_takes_in_whom_a_service_admits(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        matchmaking = await engine.stub(service("matchmaking"))
        request = new_table(
            kept_for("anna"),
            OPEN,
            OPEN,
            host=events_pb.HostRules(player_id="anna", invited_only=True),
        )
        table_id = (await matchmaking.CreateTable(request)).table_id
        ben = Host(await engine.stub("ben"), table_id, "ben")
        assert (await refusal(ben.join())).reason == "NOT_INVITED"
        admission = pb.AdmitRequest(table_id=table_id, command_id="a-1", player_id="ben")
        first = await matchmaking.Admit(admission)
        assert await matchmaking.Admit(admission) == first
        assert (await ben.join()).seat == 1
        (anna,) = await hosts(engine, table_id, "anna")
        await anna.order(start=pb.StartMatch(bots="easy"))
        await anna.look_until(view_pb.TABLE_STATUS_PLAYING)


async def test_a_host_and_his_orders_outlive_a_restart(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await by_anna(engine, new_table(OPEN, OPEN, host=INVITED))
        admission = pb.AdmitRequest(table_id=table_id, command_id="a", player_id="ben")
        await (await engine.stub(service("matchmaking"))).Admit(admission)
        eve = Host(await engine.stub("eve"), table_id, "eve")
        assert (await refusal(eve.join())).reason == "NOT_INVITED"
    async with table_engine(tmp_path) as engine:
        ben = Host(await engine.stub("ben"), table_id, "ben")
        await ben.join()
        assert (await ben.look()).host.invited_only


@pytest.mark.parametrize(
    ("who", "host", "mode", "field"),
    [
        (player("anna"), events_pb.HostRules(player_id="ben"), game_pb2.MODE_FRIENDS, "host.player_id"),
        (service("matchmaking"), HOSTED, game_pb2.MODE_FRIENDS, "host.player_id"),
        (player("anna"), HOSTED, game_pb2.MODE_QUICK, "host"),
    ],
)
async def test_a_host_that_cannot_be_is_refused(
    tmp_path: Path, who: Any, host: events_pb.HostRules, mode: Any, field: str
) -> None:
    async with table_engine(tmp_path) as engine:
        stub = await engine.stub(who)
        refused = await refusal(stub.CreateTable(new_table(OPEN, OPEN, host=host, mode=mode)))
        assert (refused.code, refused.metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, field)


async def test_an_order_that_says_nothing_or_a_bot_that_is_none_is_malformed(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await by_anna(engine, new_table(OPEN, OPEN, host=HOSTED))
        (anna,) = await hosts(engine, table_id, "anna")
        before = (await anna.look()).version
        for order, field in (
            ({}, "order"),
            ({"bot": pb.SeatBot(seat=1, policy="genius")}, "bot.policy"),
            ({"start": pb.StartMatch(bots="genius")}, "start.bots"),
            ({"free": pb.FreeSeat(seat=9)}, "seat"),
        ):
            refused = await refusal(anna.order(**order))
            assert (refused.code, refused.metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, field)
        assert (await anna.look()).version == before
