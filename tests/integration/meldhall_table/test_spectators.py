"""Watching without a seat: only where the table allows it, only what lies open, and only some time later."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.fixtures.secrecy import secrets_of
from tests.fixtures.tables import (
    BOT,
    DRAW,
    OPEN,
    Engine,
    Sitter,
    events_of,
    new_table,
    refusal,
    table_engine,
    watched,
)
from tests.fixtures.waiting import until

from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.mirror import TableMirror
from meldhall_runtime.testing import Keys, ManualClock, service
from meldhall_table.store.stream import Step

DELAY_S = 30
DELAYED = events_pb.SpectatorRules(mode=events_pb.SPECTATOR_MODE_DELAYED, delay_ms=DELAY_S * 1000)
NONE = events_pb.SpectatorRules(mode=events_pb.SPECTATOR_MODE_NONE)


def first_of(call: Any) -> Any:
    async def read() -> Any:
        message = await call.read()
        assert message is not grpc.aio.EOF
        return message

    return read()


async def watching(engine: Engine, table_id: str, name: str = "eve", **request: int) -> Any:
    return (await engine.stub(name)).Watch(pb.WatchRequest(table_id=table_id, **request))


async def nothing_comes(call: Any) -> bool:
    """Tell whether a stream keeps silent for a moment; it is of no use any more then."""
    reading = asyncio.ensure_future(call.read())
    done, _ = await asyncio.wait({reading}, timeout=0.2)
    if not done:
        call.cancel()
    return not done


async def moved_on(sitters: tuple[Sitter, ...], clock: ManualClock, times: int) -> None:
    """Let turns run out, each at its own time."""
    for _ in range(times):
        before = await sitters[0].look()
        await clock.advance((before.deadline_unix_ms - clock.now_ms()) / 1000)
        async with asyncio.timeout(10):
            while (await sitters[0].look()).round.turn == before.round.turn:  # noqa: ASYNC110 - the service's work
                await asyncio.sleep(0.005)


async def playing(engine: Engine, *, turn_ms: int = 1_000, **more: Any) -> tuple[Sitter, ...]:
    request = new_table(OPEN, OPEN, turn_ms=turn_ms, **({"spectators": DELAYED} | more))
    sitters = await engine.seat(await engine.open(request), "anna", "ben")
    await sitters[0].look_until(view_pb.TABLE_STATUS_PLAYING)
    return sitters


@pytest.mark.parametrize("spectators", [None, NONE])
async def test_a_table_has_no_spectators_where_it_does_not_say_so(
    tmp_path: Path, spectators: events_pb.SpectatorRules | None
) -> None:
    async with table_engine(tmp_path) as engine:
        anna, _ = await playing(engine, spectators=spectators)
        refused = await refusal(first_of(await watching(engine, anna.table_id)))
        assert (refused.code, refused.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_AT_TABLE")
        assert (await anna.look()).spectators.mode == events_pb.SPECTATOR_MODE_NONE


async def test_the_engine_says_who_may_watch_where_the_table_does_not(tmp_path: Path) -> None:
    async with table_engine(tmp_path, spectators="delayed", spectator_delay_ms=7_000) as engine:
        anna, _ = await playing(engine, spectators=None)
        assert (await anna.look()).spectators == events_pb.SpectatorRules(
            mode=events_pb.SPECTATOR_MODE_DELAYED, delay_ms=7_000
        )
        strict = await engine.open(new_table(OPEN, OPEN, spectators=NONE, command_id="strict"))
        refused = await refusal(first_of(await watching(engine, strict)))
        assert refused.reason == "NOT_AT_TABLE"
        short = events_pb.SpectatorRules(mode=events_pb.SPECTATOR_MODE_DELAYED, delay_ms=999)
        odd = await refusal(engine.open(new_table(OPEN, OPEN, spectators=short, command_id="odd")))
        assert (odd.reason, odd.metadata["field"]) == ("INVALID_FIELD", "spectators.delay_ms")


async def test_d6_a_spectator_sees_the_table_as_it_was_a_while_ago(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        sitters = await playing(engine)
        await moved_on(sitters, clock, 12)
        then, at = await sitters[0].look(), clock.now_ms()
        await moved_on(sitters, clock, 25)
        await clock.advance((at + DELAY_S * 1000 - clock.now_ms()) / 1000)
        call = await watching(engine, sitters[0].table_id)
        seen = (await call.read()).snapshot
        assert seen.version == then.version
        assert seen.round.turn == then.round.turn
        assert seen.deadline_unix_ms == then.deadline_unix_ms
        assert not seen.HasField("own_seat")
        assert not seen.round.own_hand
        assert await nothing_comes(call)


async def test_every_event_comes_when_its_time_has_come_and_none_before(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        sitters = await playing(engine, turn_ms=10_000)
        call = await watching(engine, sitters[0].table_id)
        first = asyncio.ensure_future(call.read())
        await clock.advance(DELAY_S - 5)
        assert not first.done()
        await clock.advance(5)
        snapshot = (await first).snapshot
        seen: list[view_pb.TableEvent] = []
        reading = asyncio.create_task(keep_reading(call, seen, clock))
        for _ in range(8):
            await moved_on(sitters, clock, 1)
        whole = await sitters[0].look()
        await clock.advance(DELAY_S)
        async with asyncio.timeout(10):
            while not seen or seen[-1].version < whole.version:  # noqa: ASYNC110 - the service's work
                await asyncio.sleep(0.005)
        reading.cancel()
        assert [event.version for event in seen] == list(range(snapshot.version + 1, seen[-1].version + 1))


async def keep_reading(call: Any, seen: list[view_pb.TableEvent], clock: ManualClock) -> None:
    while True:
        message = await call.read()
        assert clock.now_ms() >= message.event.at_unix_ms + DELAY_S * 1000
        seen.append(message.event)


async def test_d1_d4_d7_a_spectator_never_gets_a_hidden_tile_in_any_phase(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        request = new_table(BOT, BOT, BOT, rounds=2, spectators=DELAYED)
        table_id = await engine.open(request)
        call = await watching(engine, table_id)
        messages: list[pb.WatchResponse] = []
        async with asyncio.timeout(60):
            while not messages or not messages[-1].HasField("go_away"):
                reading = asyncio.ensure_future(call.read())
                while not reading.done():
                    await clock.advance(0.5)
                messages.append(await reading)
        assert messages[-1].go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
        steps: list[Step] = await engine.steps(table_id)
        secrets = secrets_of(steps)
        mirror = TableMirror(messages[0].snapshot)
        for message in messages[1:-1]:
            assert secrets.unknown(message.event.version, -1, message) == []
            sent = message.SerializeToString()
            assert not any(secret in sent for secret in secrets.open_at(message.event.version))
            assert mirror.apply(message.event)
        assert mirror.version == len(steps)
        assert mirror.view.match_result.rounds == 2


async def test_b12_who_has_left_sees_what_a_spectator_sees_and_not_his_hand(tmp_path: Path) -> None:
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        anna, ben = await playing(engine, turn_ms=86_400_000)
        hand = list((await anna.look()).round.own_hand)
        await anna.leave()
        await clock.advance(DELAY_S + 1)
        seen = (await (await watching(engine, anna.table_id, "anna")).read()).snapshot
        assert hand
        assert not seen.HasField("own_seat")
        assert not seen.round.own_hand
        assert list((await ben.look()).round.own_hand)


COMMANDS = {
    "Leave": lambda stub, table: stub.Leave(pb.LeaveRequest(table_id=table, command_id="l")),
    "Act": lambda stub, table: stub.Act(pb.ActRequest(table_id=table, command_id="a", move=DRAW)),
    "Ready": lambda stub, table: stub.Ready(pb.ReadyRequest(table_id=table, command_id="r")),
    "Rematch": lambda stub, table: stub.Rematch(pb.RematchRequest(table_id=table, command_id="m")),
    "GetHints": lambda stub, table: stub.GetHints(hints_pb.GetHintsRequest(table_id=table)),
}


@pytest.mark.parametrize("rpc", COMMANDS)
async def test_a_spectator_can_do_nothing(tmp_path: Path, rpc: str) -> None:
    async with table_engine(tmp_path) as engine:
        anna, _ = await playing(engine, turn_ms=86_400_000)
        before = await anna.look()
        stub = await engine.stub("eve")
        refused = await refusal(COMMANDS[rpc](stub, anna.table_id))
        assert (refused.code, refused.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_AT_TABLE")
        play = stub.Play()
        await play.write(pb.PlayRequest(watch=pb.WatchRequest(table_id=anna.table_id)))
        assert (await refusal(first_of(play))).reason == "NOT_AT_TABLE"
        assert await anna.look() == before


async def test_a_spectator_goes_on_where_he_was_after_a_restart(tmp_path: Path) -> None:
    keys, clock = Keys(), ManualClock()
    async with table_engine(tmp_path, clock=clock, keys=keys) as engine:
        sitters = await playing(engine)
        await moved_on(sitters, clock, 6)
        await clock.advance(DELAY_S)
        call = await watching(engine, sitters[0].table_id)
        stopping = asyncio.create_task(drained(engine, call))
        resume = await stopping
    async with table_engine(tmp_path, clock=clock, keys=keys) as engine:
        whole = len(await engine.steps(sitters[0].table_id))
        await clock.advance(DELAY_S)
        call = await watching(engine, sitters[0].table_id, after_version=resume)
        versions = [event.version for event in events_of(await watched(call, whole - resume))]
        assert versions == list(range(resume + 1, whole + 1))
        ahead = await refusal(first_of(await watching(engine, sitters[0].table_id, after_version=99_999)))
        assert ahead.reason == "VERSION_AHEAD"


async def drained(engine: Engine, call: Any) -> int:
    """Stop the engine under a spectator; the version with which he is to go on."""
    seen = (await call.read()).snapshot.version
    await engine.running.runtime.stop()
    while not (message := await call.read()).HasField("go_away"):
        seen = message.event.version
    assert message.go_away.reason == pb.GO_AWAY_REASON_SHUTDOWN
    assert message.go_away.resume_version == seen
    return int(seen)


async def test_services_and_operators_see_what_lies_open_at_once(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        anna, _ = await playing(engine, turn_ms=86_400_000)
        stub = await engine.stub(service())
        call = stub.Watch(pb.WatchRequest(table_id=anna.table_id))
        shown = (await call.read()).snapshot
        call.cancel()
        assert shown.version == (await anna.look()).version


async def test_spectators_do_not_count_as_watchers_of_the_live_table(tmp_path: Path) -> None:
    """A spectator who does not read costs the table nothing, however many there are."""
    clock = ManualClock()
    async with table_engine(tmp_path, clock=clock) as engine:
        sitters = await playing(engine)
        calls = [await watching(engine, sitters[0].table_id) for _ in range(20)]
        await clock.advance(0)
        await moved_on(sitters, clock, 3)
        registry = engine.running.runtime.registry
        await until(lambda: registry.get_sample_value("meldhall_table_watchers_open") == 0)
        for call in calls:
            call.cancel()
