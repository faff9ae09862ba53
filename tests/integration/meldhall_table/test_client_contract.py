"""What every client may rely on, whatever its connection, its luck and the other clients do.

Names that begin with a letter and a number are those of faults that other servers of games have had.
"""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.tables import (
    BOT,
    DRAW,
    OPEN,
    Engine,
    Refused,
    Sitter,
    discard,
    events_of,
    kept_for,
    new_table,
    refusal,
    table_engine,
    watched,
)

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.mirror import TableMirror
from meldhall_cli.client.player import Player
from meldhall_rules.bots.rummy101 import choose
from meldhall_runtime import reason_of
from meldhall_runtime.testing import Keys, ManualClock, service
from meldhall_table.domain.events import RoundEnded

DENIED = (grpc.StatusCode.PERMISSION_DENIED, "NOT_AT_TABLE")


async def outcome(call: Any) -> int | str:
    """The one terminal answer of a command: the version after it, or the reason of its refusal."""
    try:
        return int((await call).version)
    except grpc.aio.AioRpcError as error:
        info = reason_of(error)
        assert info is not None
        return info.reason


async def two_at(engine: Engine, **more: Any) -> tuple[Sitter, Sitter]:
    anna, ben = await engine.seat(await engine.open(new_table(OPEN, OPEN, **more)), "anna", "ben")
    await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
    return anna, ben


async def test_c4_e9_moves_at_the_same_moment_get_one_answer_each_and_one_is_made(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitters = await two_at(engine)
        view = await sitters[0].look()
        mover = sitters[view.round.turn]
        tiles = list((await mover.look()).round.own_hand)[:6]
        calls = [
            sitter.act(discard(tile), command_id=f"d{tile}", expected_version=view.version)
            for sitter in sitters
            for tile in tiles
        ]
        async with asyncio.timeout(30):
            outcomes = await asyncio.gather(*map(outcome, calls))
        assert len(outcomes) == 12
        assert [one for one in outcomes if isinstance(one, int)] == [view.version + 2]
        assert {one for one in outcomes if isinstance(one, str)} <= {"STALE", "NOT_YOUR_TURN"}
        assert (await mover.look()).version == view.version + 2


async def test_c2_the_same_command_many_times_at_once_happens_once(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitters = await two_at(engine)
        view = await sitters[0].look()
        mover = sitters[view.round.turn]
        tile = (await mover.look()).round.own_hand[0]
        calls = [mover.act(discard(tile), command_id="one") for _ in range(8)]
        answers = await asyncio.gather(*calls)
        assert all(answer == answers[0] for answer in answers)
        assert (await mover.look()).version == answers[0].version == view.version + 2


async def test_b9_a_client_that_was_away_is_told_the_version_and_catches_up(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitters = await two_at(engine)
        view = await sitters[0].look()
        mover, other = sitters[view.round.turn], sitters[1 - view.round.turn]
        held = (await mover.look()).round.own_hand
        await mover.act(discard(held[0]), expected_version=view.version)
        stale = await refusal(other.act(DRAW, expected_version=view.version))
        assert stale.reason == "STALE"
        current = int(stale.metadata["current_version"])
        call = other.stub.Watch(pb.WatchRequest(table_id=other.table_id, after_version=view.version))
        missed = events_of(await watched(call, current - view.version))
        assert [event.version for event in missed] == list(range(view.version + 1, current + 1))
        assert (await other.act(DRAW, expected_version=current)).version > current
        # Without an expected version nothing is compared.
        await other.act(discard((await other.look()).round.own_hand[0]))


async def test_b10_a_snapshot_is_followed_by_the_next_version_whenever_one_looks(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(BOT, BOT, BOT, rounds=4))
        stub = await engine.stub(service())

        async def follow(wait: float) -> view_pb.TableView:
            await asyncio.sleep(wait)
            call = stub.Watch(pb.WatchRequest(table_id=table_id))
            first, *rest = await watched(call)
            mirror = TableMirror(first.snapshot)
            for event in events_of(rest):
                # The mirror refuses what is not the next version.
                assert mirror.apply(event)
            return mirror.view

        async with asyncio.timeout(60):
            views = await asyncio.gather(*(follow(number / 40) for number in range(12)))
        assert {view.version for view in views} == {len(await engine.steps(table_id))}
        assert all(view.status == view_pb.TABLE_STATUS_CLOSED for view in views)


async def test_e7_a_client_that_does_not_read_holds_nobody_up_and_misses_nothing(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(BOT, BOT, rounds=25))
        stub = await engine.stub(service())
        asleep = stub.Watch(pb.WatchRequest(table_id=table_id, after_version=0))
        async with asyncio.timeout(90):
            async for message in stub.Watch(pb.WatchRequest(table_id=table_id)):
                last = message
            assert last.go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
            seen: list[int] = []
            while True:
                messages = await watched(asleep)
                seen += [event.version for event in events_of(messages)]
                if messages[-1].go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED:
                    break
                assert messages[-1].go_away.reason == pb.GO_AWAY_REASON_TOO_SLOW
                resume = messages[-1].go_away.resume_version
                asleep = stub.Watch(pb.WatchRequest(table_id=table_id, after_version=resume))
        assert seen == list(range(1, last.go_away.resume_version + 1))


async def test_every_answer_stays_what_it_was_after_a_restart_and_after_the_end(tmp_path: Path) -> None:
    keys = Keys()
    sent: list[tuple[str, Any, Any]] = []
    async with table_engine(tmp_path, keys=keys) as engine:
        table_id = await engine.open(new_table(*map(kept_for, ("anna", "ben"))))

        async def play(name: str) -> None:
            noting = Noting(await engine.stub(None), name, sent)
            client = Player(
                noting,  # type: ignore[arg-type]
                token=keys.token(name),
                table_id=table_id,
                policy=choose,
                session="s",
                retry_seconds=0.02,
            )
            await client.play(b"seed")

        async with asyncio.timeout(60):
            await asyncio.gather(*map(play, ("anna", "ben")))
    assert len(sent) > 20
    async with table_engine(tmp_path, keys=keys) as engine:
        before = len(await engine.steps(table_id))
        stubs = {name: await engine.stub(name) for name in ("anna", "ben")}
        for name, request, answer in sent:
            method = stubs[name].Join if isinstance(request, pb.JoinRequest) else stubs[name].Act
            assert await method(request) == answer
        assert len(await engine.steps(table_id)) == before


async def test_a_refused_command_is_refused_again_after_a_restart_and_keeps_its_id_free(
    tmp_path: Path,
) -> None:
    keys = Keys()
    async with table_engine(tmp_path, keys=keys) as engine:
        sitters = await two_at(engine)
        turn = (await sitters[0].look()).round.turn
        early = sitters[1 - turn]
        first = await refusal(early.act(DRAW, command_id="early"))
        assert first.reason == "NOT_YOUR_TURN"
    async with table_engine(tmp_path, keys=keys) as engine:
        mover = Sitter(await engine.stub(sitters[turn].name), early.table_id, sitters[turn].name)
        early = Sitter(await engine.stub(early.name), early.table_id, early.name)
        again = await refusal(early.act(DRAW, command_id="early"))
        assert (again.code, again.reason) == (first.code, first.reason)
        await mover.act(discard((await mover.look()).round.own_hand[0]))
        done = await early.act(DRAW, command_id="early")
        assert await early.act(DRAW, command_id="early") == done


class Noting:
    """Leads to the table service and notes what was asked and answered."""

    def __init__(self, stub: Any, name: str, sent: list[tuple[str, Any, Any]]) -> None:
        self._stub, self._name, self._sent = stub, name, sent

    async def Join(self, request: pb.JoinRequest, **options: Any) -> Any:  # noqa: N802 - the contract's name
        return await self._noted(self._stub.Join, request, options)

    async def Act(self, request: pb.ActRequest, **options: Any) -> Any:  # noqa: N802 - the contract's name
        return await self._noted(self._stub.Act, request, options)

    def Watch(self, request: pb.WatchRequest, **options: Any) -> Any:  # noqa: N802 - the contract's name
        return self._stub.Watch(request, **options)

    async def _noted(self, call: Any, request: Any, options: dict[str, Any]) -> Any:
        answer = await call(request, **options)
        self._sent.append((self._name, request, answer))
        return answer


def first_of(call: Any) -> Any:
    async def read() -> Any:
        message = await call.read()
        assert message is not grpc.aio.EOF
        return message

    return read()


def played(stub: Any, table: str) -> Any:
    async def read() -> Any:
        call = stub.Play()
        await call.write(pb.PlayRequest(watch=pb.WatchRequest(table_id=table)))
        return await first_of(call)

    return read()


ASKED = {
    "Leave": lambda stub, table: stub.Leave(pb.LeaveRequest(table_id=table, command_id="l")),
    "Act": lambda stub, table: stub.Act(pb.ActRequest(table_id=table, command_id="a", move=DRAW)),
    "Ready": lambda stub, table: stub.Ready(pb.ReadyRequest(table_id=table, command_id="r")),
    "Rematch": lambda stub, table: stub.Rematch(pb.RematchRequest(table_id=table, command_id="m")),
    "GetHints": lambda stub, table: stub.GetHints(hints_pb.GetHintsRequest(table_id=table)),
    "Watch": lambda stub, table: first_of(stub.Watch(pb.WatchRequest(table_id=table))),
    "Play": played,
}


async def denied_everything(engine: Engine, name: str, table_id: str) -> None:
    """Ask everything that is asked of a table, as somebody who may nothing there."""
    stub, steps = await engine.stub(name), len(await engine.steps(table_id))
    found: dict[str, Refused] = {rpc: await refusal(ask(stub, table_id)) for rpc, ask in ASKED.items()}
    assert {rpc: (refused.code, refused.reason) for rpc, refused in found.items()} == dict.fromkeys(
        ASKED, DENIED
    )
    assert len(await engine.steps(table_id)) == steps
    registry = engine.running.runtime.registry
    async with asyncio.timeout(10):
        while registry.get_sample_value("meldhall_table_watchers_open"):  # noqa: ASYNC110 - grpc's work
            await asyncio.sleep(0.01)


async def test_d3_a_stranger_may_nothing_and_nothing_is_subscribed(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        anna, _ = await two_at(engine)
        await denied_everything(engine, "mallory", anna.table_id)


async def test_d3_who_has_left_may_nothing_until_he_is_back(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        # Long before his seat is played for him, should it be his turn.
        anna, _ = await two_at(engine, bot_move_ms=60_000)
        await anna.leave()
        await denied_everything(engine, "anna", anna.table_id)
        await anna.join()
        assert (await anna.look()).own_seat == 0


async def test_d8_the_seat_of_who_left_before_the_match_is_no_more_his(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, OPEN))
        anna, _ = await engine.seat(table_id, "anna", "ben")
        stream = anna.stub.Watch(pb.WatchRequest(table_id=table_id))
        await stream.read()
        await anna.leave()
        (cleo,) = await engine.seat(table_id, "cleo")
        ended = await refusal(watched(stream))
        assert (ended.code, ended.reason) == DENIED
        await denied_everything(engine, "anna", table_id)
        view = await cleo.look()
        assert [seat.player_id for seat in view.seats] == ["cleo", "ben", ""]


async def test_e5_joining_while_the_table_closes_leaves_no_table_without_an_end(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        for number in range(10):
            request = new_table(OPEN, OPEN, fill_ms=1_000, command_id=f"t{number}")
            table_id = await engine.open(request)
            (anna,) = await engine.seat(table_id, "anna")
            ben = Sitter(await engine.stub("ben"), table_id, "ben")
            joining = asyncio.ensure_future(joined(ben))
            await asyncio.sleep(number / 1_000)
            await clock.advance(1.001)
            answer = await joining
            view = await anna.look()
            if answer == "seated":
                assert view.seats[1].player_id == "ben"
                assert view.status != view_pb.TABLE_STATUS_CLOSED
            else:
                assert (answer, view.status) == ("TABLE_CLOSED", view_pb.TABLE_STATUS_CLOSED)


async def joined(sitter: Sitter) -> str:
    try:
        await sitter.join()
    except grpc.aio.AioRpcError as error:
        info = reason_of(error)
        assert info is not None
        return info.reason
    return "seated"


async def test_k3_k4_looking_again_and_joining_again_change_no_deadline(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        anna, ben = await two_at(engine, turn_ms=50_000, round_ms=90_000, match_ms=95_000)
        before = await anna.look()
        await clock.advance(5)
        for sitter in (anna, ben):
            assert (await sitter.join()).view.deadline_unix_ms == before.deadline_unix_ms
            view = await sitter.look()
            assert (view.deadline_unix_ms, view.deadlines) == (before.deadline_unix_ms, before.deadlines)
        assert before.deadline_unix_ms == clock.now_ms() - 5_000 + 50_000
        assert before.deadlines.round_unix_ms == clock.now_ms() - 5_000 + 90_000


async def test_a5_a7_every_deadline_comes_through_a_restart_moved_by_the_outage(tmp_path: Path) -> None:
    keys = Keys()
    async with table_engine(tmp_path, keys=keys) as engine:
        anna, _ = await two_at(engine, turn_ms=50_000, round_ms=90_000, match_ms=95_000)
        before = await anna.look()
        waiting = await engine.open(new_table(OPEN, OPEN, fill_ms=70_000, command_id="waiting"))
        (cleo,) = await engine.seat(waiting, "cleo")
        was = await cleo.look()
    await asyncio.sleep(0.3)
    async with table_engine(tmp_path, keys=keys) as engine:
        after = await Sitter(await engine.stub("anna"), anna.table_id, "anna").look()
        outage = after.deadline_unix_ms - before.deadline_unix_ms
        assert outage >= 300
        assert after.deadlines.round_unix_ms - before.deadlines.round_unix_ms == outage
        assert after.deadlines.match_unix_ms - before.deadlines.match_unix_ms == outage
        now = await Sitter(await engine.stub("cleo"), waiting, "cleo").look()
        assert now.deadlines.fill_unix_ms - was.deadlines.fill_unix_ms >= 300
        assert now.deadline_unix_ms == now.deadlines.fill_unix_ms


@pytest.mark.parametrize("seat", [0, 1])
async def test_c6_losing_the_connection_at_the_end_of_a_round_ends_it_once(tmp_path: Path, seat: int) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        sitters = await two_at(engine, rounds=2, round_ms=2_000, mode=game_pb2.MODE_FRIENDS)
        await asyncio.gather(clock.advance(2), sitters[seat].leave())
        await sitters[1 - seat].look_until(view_pb.TABLE_STATUS_BREAK)
        steps = await engine.steps(sitters[0].table_id)
        assert sum(isinstance(step.event, RoundEnded) for step in steps) == 1
