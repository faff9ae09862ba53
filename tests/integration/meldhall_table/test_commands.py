import asyncio
from pathlib import Path

import grpc
import pytest
from tests.fixtures.tables import (
    DRAW,
    OPEN,
    Engine,
    Sitter,
    discard,
    kept_for,
    new_table,
    refusal,
    table_engine,
)

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb

CODE = grpc.StatusCode


async def dealt(engine: Engine) -> tuple[Sitter, Sitter]:
    """Open a table of two, deal, and return who is on turn and who is not."""
    table_id = await engine.open(new_table(OPEN, OPEN))
    anna, ben = await engine.seat(table_id, "anna", "ben")
    view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
    return (anna, ben) if view.round.turn == view.own_seat else (ben, anna)


async def on_turn_with_draw(engine: Engine) -> tuple[Sitter, Sitter]:
    """Do the same, after the first discard: who is on turn has to draw."""
    first, second = await dealt(engine)
    await first.act(discard((await first.look()).round.own_hand[0]))
    return second, first


async def test_the_same_command_five_times_happens_once(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, _ = await on_turn_with_draw(engine)
        before = (await sitter.look()).version
        answers = await asyncio.gather(*(sitter.act(DRAW, command_id="draw") for _ in range(5)))
        assert all(answer == answers[0] for answer in answers)
        assert answers[0].version == before + 1
        assert (await sitter.look()).version == before + 1
        assert answers[0].events[0].HasField("own_tile_drawn")


async def test_a_repeated_command_is_answered_from_the_log_after_a_restart(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, _ = await on_turn_with_draw(engine)
        first = await sitter.act(DRAW, command_id="draw")
        keys, name, table_id = engine.running.keys, sitter.name, sitter.table_id
    async with table_engine(tmp_path, keys=keys) as engine:
        again = Sitter(await engine.stub(name), table_id, name)
        assert await again.act(DRAW, command_id="draw") == first


async def test_another_player_gets_nothing_by_reusing_a_command_id(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, other = await on_turn_with_draw(engine)
        drawn = await sitter.act(DRAW, command_id="draw")
        answer = await refusal(other.act(DRAW, command_id="draw"))
        assert (answer.code, answer.reason) == (CODE.FAILED_PRECONDITION, "NOT_YOUR_TURN")
        assert str(drawn.events[0].own_tile_drawn.tile) not in answer.metadata.values()


async def test_names_with_a_colon_do_not_meet(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, OPEN))
        one = await engine.stub("a")
        await one.Join(pb.JoinRequest(table_id=table_id, command_id="b:c"))
        other = await engine.stub("a:b")
        answer = await refusal(other.Join(pb.JoinRequest(table_id=table_id, command_id="c")))
        assert (answer.code, answer.reason) == (CODE.ALREADY_EXISTS, "COMMAND_ID_REUSED")


async def test_an_id_with_another_body_is_refused(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, _ = await on_turn_with_draw(engine)
        await sitter.act(DRAW, command_id="one")
        version = (await sitter.look()).version
        answer = await refusal(sitter.act(discard(0), command_id="one"))
        assert (answer.code, answer.reason) == (CODE.ALREADY_EXISTS, "COMMAND_ID_REUSED")
        assert (await sitter.look()).version == version


async def test_a_refused_command_may_be_sent_again(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, other = await on_turn_with_draw(engine)
        assert (await refusal(other.act(DRAW, command_id="draw"))).reason == "NOT_YOUR_TURN"
        await sitter.act(DRAW)
        await sitter.act(discard((await sitter.look()).round.own_hand[0]))
        assert (await other.act(DRAW, command_id="draw")).events[0].HasField("own_tile_drawn")


async def test_a_table_is_opened_once_by_the_same_command(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        stub = await engine.stub("host")
        request = new_table(OPEN, OPEN)
        answers = await asyncio.gather(*(stub.CreateTable(request) for _ in range(5)))
        assert all(answer == answers[0] for answer in answers)
        assert len(answers[0].table_id) == 26
        other = await refusal(stub.CreateTable(new_table(OPEN, OPEN, OPEN)))
        assert (other.code, other.reason) == (CODE.ALREADY_EXISTS, "COMMAND_ID_REUSED")
        elsewhere = await (await engine.stub("guest")).CreateTable(request)
        assert elsewhere.table_id != answers[0].table_id


async def test_a_move_on_another_version_is_stale(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, _ = await on_turn_with_draw(engine)
        version = (await sitter.look()).version
        for claimed in (0, version - 1, version + 1):
            answer = await refusal(sitter.act(DRAW, expected_version=claimed))
            assert (answer.code, answer.reason) == (CODE.FAILED_PRECONDITION, "STALE")
            assert answer.metadata["current_version"] == str(version)
        assert (await sitter.act(DRAW, expected_version=version)).version == version + 1


async def test_refused_moves_change_nothing_and_say_why(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, other = await on_turn_with_draw(engine)
        view = await sitter.look()
        held_by_other = (await other.look()).round.own_hand[0]
        refused = {
            "NOT_YOUR_TURN": await refusal(other.act(DRAW)),
            "WRONG_PHASE": await refusal(sitter.act(discard(view.round.own_hand[0]))),
            "MUST_USE_TAKEN": await refusal(sitter.act(moves_pb.Move(take_discard=moves_pb.TakeDiscard()))),
            "NO_JOKER": await refusal(
                sitter.act(moves_pb.Move(press_joker_button=moves_pb.PressJokerButton()))
            ),
        }
        assert (await sitter.look()).version == view.version
        await sitter.act(DRAW)
        refused["TILE_NOT_HELD"] = await refusal(sitter.act(discard(held_by_other)))
        for reason, answer in refused.items():
            assert (answer.code, answer.reason) == (CODE.FAILED_PRECONDITION, reason)
            assert answer.metadata["version"].isdigit()
            assert answer.metadata["seat"] in {"0", "1"}


def placed(*tiles: int) -> list[moves_pb.PlacedTile]:
    return [moves_pb.PlacedTile(tile=tile) for tile in tiles]


MALFORMED_MOVES = [
    (moves_pb.Move(), "move"),
    (discard(999), "move.discard.tile"),
    (discard(2**32 - 1), "move.discard.tile"),
    (moves_pb.Move(lay_opening=moves_pb.LayOpening()), "move.lay_opening.melds"),
    (
        moves_pb.Move(lay_melds=moves_pb.LayMelds(melds=[moves_pb.MeldSpec(tiles=placed(1))])),
        "move.lay_melds.melds[0].kind",
    ),
    (
        moves_pb.Move(lay_melds=moves_pb.LayMelds(melds=[moves_pb.MeldSpec(kind=moves_pb.MELD_KIND_RUN)])),
        "move.lay_melds.melds[0].tiles",
    ),
    (moves_pb.Move(lay_off=moves_pb.LayOff(meld=0)), "move.lay_off.tiles"),
    (moves_pb.Move(lay_off=moves_pb.LayOff(tiles=placed(400))), "move.lay_off.tiles"),
    (moves_pb.Move(lay_off=moves_pb.LayOff(tiles=placed(*range(100), *range(101)))), "move.lay_off"),
    (
        moves_pb.Move(lay_off=moves_pb.LayOff(tiles=[moves_pb.PlacedTile(tile=104, stands_for=52)])),
        "move.lay_off.tiles[0].stands_for",
    ),
    (
        moves_pb.Move(take_discard=moves_pb.TakeDiscard(swap_joker=moves_pb.SwapJoker(tile=200))),
        "move.take_discard.swap_joker.tile",
    ),
]


async def test_malformed_moves_name_the_field_and_change_nothing(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        sitter, _ = await on_turn_with_draw(engine)
        version = (await sitter.look()).version
        for move, field in MALFORMED_MOVES:
            answer = await refusal(sitter.act(move))
            assert (answer.code, answer.metadata.get("field")) == (CODE.INVALID_ARGUMENT, field)
        for command_id in ("", "x" * 65, "a\0b"):
            answer = await refusal(sitter.act(DRAW, command_id=command_id))
            assert (answer.code, answer.metadata["field"]) == (CODE.INVALID_ARGUMENT, "command_id")
        assert (await sitter.look()).version == version


def changed(change: str) -> pb.CreateTableRequest:
    request = new_table(OPEN, kept_for("anna"))
    match change:
        case "options":
            request.ClearField("options")
        case "options.rummy101":
            request.options.rummy101.opening = 77  # type: ignore[assignment]
        case "format.mode":
            request.format.mode = game_pb2.MODE_UNSPECIFIED
        case "format.rounds":
            request.format.rounds = 0
        case "format.stake":
            request.format.stake = 5
        case "seats":
            del request.seats[1:]
        case "seats[1].bot":
            request.seats[1].bot = "oracle"
        case "seats[1].reserved_for":
            request.seats[1].reserved_for = ""
        case "seats[0]":
            request.seats[0].Clear()
        case "limits.turn_ms":
            request.limits.turn_ms = 1
        case "limits.join_ms":
            request.limits.join_ms = 2**32 - 1
        case "command_id":
            request.command_id = ""
    return request


@pytest.mark.parametrize(
    "field",
    [
        "options",
        "options.rummy101",
        "format.mode",
        "format.rounds",
        "format.stake",
        "seats",
        "seats[1].bot",
        "seats[1].reserved_for",
        "seats[0]",
        "limits.turn_ms",
        "limits.join_ms",
        "command_id",
    ],
)
async def test_a_table_that_cannot_be_is_not_opened(tmp_path: Path, field: str) -> None:
    async with table_engine(tmp_path) as engine:
        answer = await refusal((await engine.stub("host")).CreateTable(changed(field)))
        assert answer.code is CODE.INVALID_ARGUMENT
        assert answer.metadata["field"].startswith("options" if "options" in field else field)


async def test_times_of_0_are_the_services_defaults(tmp_path: Path) -> None:
    async with table_engine(tmp_path, turn_ms=1234, bot_move_ms=56) as engine:
        request = new_table(OPEN, OPEN)
        request.limits.CopyFrom(events_pb.TimeLimits())
        table_id = await engine.open(request)
        (anna,) = await engine.seat(table_id, "anna")
        limits = (await anna.look()).limits
        assert (limits.turn_ms, limits.break_ms, limits.bot_move_ms) == (1234, 5000, 56)


async def test_a_table_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        stub = await engine.stub("anna")
        for table_id in ("a" * 26, "x", "é\n" * 200):
            answer = await refusal(stub.Join(pb.JoinRequest(table_id=table_id, command_id="1")))
            assert (answer.code, answer.reason) == (CODE.NOT_FOUND, "TABLE_NOT_FOUND")
        answer = await refusal(stub.Join(pb.JoinRequest(command_id="1")))
        assert (answer.code, answer.metadata["field"]) == (CODE.INVALID_ARGUMENT, "table_id")


async def test_no_more_tables_are_opened_than_allowed(tmp_path: Path) -> None:
    async with table_engine(tmp_path, max_tables=2) as engine:
        stub = await engine.stub("host")
        first = await stub.CreateTable(new_table(OPEN, OPEN, command_id="1"))
        await stub.CreateTable(new_table(OPEN, OPEN, command_id="2"))
        answer = await refusal(stub.CreateTable(new_table(OPEN, OPEN, command_id="3")))
        assert (answer.code, answer.reason) == (CODE.RESOURCE_EXHAUSTED, "TOO_MANY_TABLES")
        assert await stub.CreateTable(new_table(OPEN, OPEN, command_id="1")) == first
