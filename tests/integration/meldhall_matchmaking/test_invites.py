"""Friends' tables by code and from the list, with a real table engine."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.matchmaking import FIXED, refusal, settings
from tests.fixtures.tables import Engine, Sitter, table_engine

from meldhall.common.v1 import game_pb2, page_pb2
from meldhall.matchmaking.v1 import invite_service_pb2 as pb
from meldhall.matchmaking.v1.invite_service_pb2_grpc import InviteServiceStub
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as table_pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_matchmaking.app import bind
from meldhall_matchmaking.domain.invite import Invite
from meldhall_matchmaking.invites.guesses import MOST
from meldhall_matchmaking.store import TicketStore, migrate, open_database
from meldhall_matchmaking.store.invites import InviteStore
from meldhall_runtime import open_channel
from meldhall_runtime.auth import Role
from meldhall_runtime.testing import Keys, running_service

CODE = grpc.StatusCode


class House:
    """Matchmaking beside a table engine, and players who call both."""

    def __init__(self, address: str, engine: Engine, keys: Keys, stack: AsyncExitStack) -> None:
        self._address = address
        self._engine = engine
        self._keys = keys
        self._stack = stack

    def by(self, name: str) -> Any:
        channel = open_channel(self._address, tokens=self._keys.issuer.source(name, Role.PLAYER))
        self._stack.push_async_callback(channel.close)
        return InviteServiceStub(channel)

    async def sitter(self, name: str, table_id: str) -> Sitter:
        return Sitter(await self._engine.stub(name), table_id, name)

    async def create(self, name: str, command: str = "c", seats: int = 3, **more: Any) -> pb.Invite:
        request = pb.CreateInviteRequest(
            **{
                "command_id": command,
                "options": FIXED,
                "format": game_pb2.MatchFormat(rounds=1),
                "seats": seats,
                **more,
            }
        )
        answer: pb.CreateInviteResponse = await self.by(name).CreateInvite(request)
        return answer.invite

    async def join(self, name: str, **by: str) -> pb.JoinInviteResponse:
        answer: pb.JoinInviteResponse = await self.by(name).JoinInvite(pb.JoinInviteRequest(**by))
        return answer

    async def listed(self, **asked: Any) -> pb.ListOpenTablesResponse:
        answer: pb.ListOpenTablesResponse = await self.by("zoe").ListOpenTables(
            pb.ListOpenTablesRequest(**asked)
        )
        return answer


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    keys = Keys()
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(table_engine(tmp_path / "table", keys=keys))
        chosen = settings(
            tmp_path / "matchmaking.sqlite",
            engine.running.address,
            invite_link_prefix="https://play.example/i/",
            lead=False,
        )
        running = await stack.enter_async_context(running_service(bind, chosen, keys=keys))
        yield House(running.address, engine, keys, stack)


async def refused(call: Any) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return refusal(error.value)


async def test_friends_come_by_a_code_and_strangers_do_not(house: House) -> None:
    invite = await house.create("anna")
    assert invite.link == f"https://play.example/i/{invite.code}"
    assert await house.create("anna") == invite
    eve = await house.sitter("eve", invite.table_id)
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await eve.join()
    assert refusal(error.value)[1] == "NOT_INVITED"

    answer = await house.join("ben", code=f"{invite.code[:5].lower()} {invite.code[5:]}")
    assert (answer.table_id, answer.host_id) == (invite.table_id, "anna")
    anna, ben = [await house.sitter(name, invite.table_id) for name in ("anna", "ben")]
    assert ((await anna.join()).seat, (await ben.join()).seat) == (0, 1)
    order = table_pb.HostTableRequest(
        table_id=invite.table_id, command_id="go", start=table_pb.StartMatch(bots="easy")
    )
    await anna.stub.HostTable(order)
    view = await ben.look_until(view_pb.TABLE_STATUS_PLAYING)
    assert [seat.player_id for seat in view.seats] == ["anna", "ben", "bot-2"]
    assert (await refused(house.join("cleo", code=invite.code)))[:2] == (
        CODE.FAILED_PRECONDITION,
        "MATCH_BEGUN",
    )


async def test_listed_tables_are_found_until_they_are_full_locked_or_begun(house: House) -> None:
    first = await house.create("anna", seats=2, listed=True)
    hidden = await house.create("ben")
    second = await house.create("cleo", listed=True)
    shown = await house.listed()
    assert [(one.table_id, one.host_id, one.seats, one.taken) for one in shown.tables] == [
        (second.table_id, "cleo", 3, 0),
        (first.table_id, "anna", 2, 0),
    ]
    assert shown.tables[0].options.HasField("rummy101")
    assert shown.tables[0].format.mode == game_pb2.MODE_FRIENDS
    assert not (await house.listed(game="canasta")).tables
    assert (await refused(house.join("dan", table_id=hidden.table_id)))[:2] == (
        CODE.NOT_FOUND,
        "TABLE_NOT_LISTED",
    )

    await house.join("dan", table_id=first.table_id)
    for name in ("anna", "dan"):
        await (await house.sitter(name, first.table_id)).join()
    cleo = await house.sitter("cleo", second.table_id)
    await cleo.join()
    lock = table_pb.HostTableRequest(
        table_id=second.table_id, command_id="l", lock=table_pb.LockTable(locked=True)
    )
    await cleo.stub.HostTable(lock)
    async with asyncio.timeout(20):
        while (await house.listed()).tables:  # noqa: ASYNC110 - the list has no event
            # A table is read again after a second.
            await asyncio.sleep(0.1)
    assert (await refused(house.join("eve", table_id=second.table_id)))[1] == "TABLE_LOCKED"


async def test_pages_of_the_list_follow_each_other(house: House) -> None:
    made = [await house.create(f"host-{number}", listed=True) for number in range(5)]
    found, cursor = [], ""
    while True:
        page = await house.listed(page=page_pb2.PageRequest(size=2, cursor=cursor))
        found += [one.table_id for one in page.tables]
        cursor = page.next_cursor
        if not cursor:
            break
    assert found == [one.table_id for one in reversed(made)]
    for wrong in (
        page_pb2.PageRequest(size=51),
        page_pb2.PageRequest(cursor="?"),
        page_pb2.PageRequest(cursor="MQ=="),
    ):
        code, _, facts = await refused(house.listed(page=wrong))
        assert code is CODE.INVALID_ARGUMENT
        assert facts["field"].startswith("page.")


async def test_a_code_that_was_taken_back_leads_nowhere(house: House) -> None:
    invite = await house.create("anna")
    request = pb.RevokeInviteRequest(code=invite.code)
    assert (await refused(house.by("eve").RevokeInvite(request)))[:2] == (CODE.NOT_FOUND, "CODE_UNKNOWN")
    for _ in range(2):
        await house.by("anna").RevokeInvite(request)
    assert (await refused(house.join("ben", code=invite.code)))[:2] == (CODE.NOT_FOUND, "CODE_UNKNOWN")


async def test_who_guesses_codes_is_stopped_and_a_right_one_helps_no_more(house: House) -> None:
    invite = await house.create("anna")
    for number in range(MOST):
        assert (await refused(house.join("eve", code=f"0000000{number:03}")))[1] == "CODE_UNKNOWN"
    assert (await refused(house.join("eve", code=invite.code)))[:2] == (
        CODE.RESOURCE_EXHAUSTED,
        "TOO_MANY_TRIES",
    )
    await house.join("ben", code=invite.code)


async def test_a_command_opens_one_table_and_a_host_has_so_many(house: House) -> None:
    await house.create("anna")
    assert (await refused(house.create("anna", seats=2)))[:2] == (CODE.ALREADY_EXISTS, "COMMAND_ID_REUSED")
    for number in range(9):
        await house.create("anna", command=f"c{number}")
    assert (await refused(house.create("anna", command="more")))[1] == "TOO_MANY_INVITES"
    await house.create("ben")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"command_id": ""}, "command_id"),
        ({"seats": 1}, "seats"),
        ({"seats": 17}, "seats"),
        ({"seats": 16}, "seats"),
        ({"options": game_pb2.GameOptions()}, "options"),
        ({"format": game_pb2.MatchFormat(rounds=1, mode=game_pb2.MODE_ARENA)}, "format.mode"),
        ({"format": game_pb2.MatchFormat()}, "format.rounds"),
        ({"limits": events_pb.TimeLimits(turn_ms=1)}, "limits.turn_ms"),
    ],
)
async def test_what_no_table_can_be_is_refused_with_its_field(
    house: House, wrong: dict[str, Any], field: str
) -> None:
    code, _, facts = await refused(house.create("anna", **wrong))
    assert (code, facts["field"]) == (CODE.INVALID_ARGUMENT, field)


async def test_a_request_by_nothing_is_malformed(house: House) -> None:
    assert (await refused(house.join("ben")))[2] == {"field": "by"}


async def test_invitations_are_kept_counted_ended_purged_and_erased(url: str) -> None:
    migrate(url)
    database = open_database(url)
    tickets, store = TicketStore(database), InviteStore(database)

    def invite(number: int, host: str = "anna", listed: bool = True) -> Invite:
        return Invite(
            code=f"CODE{number}",
            table_id=f"t{number}",
            host_id=host,
            command_id=f"c{number}",
            digest=b"d",
            game="rummy101",
            options=b"",
            form=b"",
            seats=3,
            listed=listed,
            created_at_ms=number,
            expires_at_ms=1_000,
        )

    for made in (invite(1), invite(2), invite(3, listed=False), invite(4, host="ben")):
        assert await store.add(made)
    assert not await store.add(invite(1))
    assert await store.by_code("CODE1") == await store.by_command("anna", "c1") == invite(1)
    assert await store.by_table("t4") == invite(4, host="ben")
    assert await store.count_leading("anna", 999) == 3
    assert await store.count_leading("anna", 1_000) == 0
    assert [one.table_id for one in await store.listed(10, limit=9)] == ["t4", "t2", "t1"]
    assert [one.table_id for one in await store.listed(10, limit=9, before=(4, "t4"))] == ["t2", "t1"]
    assert await store.listed(10, limit=9, game="canasta") == ()
    await store.end("CODE2", 50)
    await store.end("CODE2", 60)
    ended = await store.by_code("CODE2")
    assert ended is not None
    assert ended.ended_at_ms == 50
    await store.purge(51)
    assert await store.by_code("CODE2") is None
    await tickets.erase("anna", 100)
    assert [one.host_id for one in await store.listed(10, limit=9)] == ["ben"]
    await store.close()
    await tickets.close()
