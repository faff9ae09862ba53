import asyncio
from pathlib import Path

import pytest
from tests.fixtures.tables import (
    BOT,
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
from meldhall.table.v1 import table_hints_pb2 as hints_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_table.api import hints as hints_api

SEATS = {"canasta": 4, "rummy": 3, "rummy101": 3, "three_thirteen": 3}
MOST_MOVES = 60


def table_of(game: str) -> pb.CreateTableRequest:
    request = new_table(kept_for("anna"), *[BOT] * (SEATS[game] - 1), rounds=1)
    request.options.CopyFrom(game_pb2.GameOptions())
    getattr(request.options, game).SetInParent()
    request.format.rounds = 11 if game == "three_thirteen" else 1
    return request


async def hints(sitter: Sitter) -> hints_pb.GetHintsResponse:
    answer: hints_pb.GetHintsResponse = await sitter.stub.GetHints(
        hints_pb.GetHintsRequest(table_id=sitter.table_id)
    )
    return answer


async def on_turn(sitter: Sitter) -> view_pb.TableView:
    """Look until it is the sitter's turn, or the match is over."""
    while True:
        view = await sitter.look()
        mine = view.status == view_pb.TABLE_STATUS_PLAYING and view.round.turn == view.own_seat
        if view.status == view_pb.TABLE_STATUS_CLOSED or (mine and view.round.phase in {1, 2}):
            return view
        await asyncio.sleep(0.02)


async def seated(engine: Engine, game: str) -> Sitter:
    (anna,) = await engine.seat(await engine.open(table_of(game)), "anna")
    return anna


@pytest.mark.parametrize("game", sorted(SEATS))
async def test_listed_moves_of_every_game_are_accepted_when_they_are_made(tmp_path: Path, game: str) -> None:
    async with table_engine(tmp_path) as engine:
        anna = await seated(engine, game)
        for made in range(MOST_MOVES):
            view = await on_turn(anna)
            if view.status == view_pb.TABLE_STATUS_CLOSED:
                break
            answer = await hints(anna)
            assert answer.version == view.version
            found = answer.hints
            assert sorted([*found.keep, *found.loose]) == sorted(view.round.own_hand)
            assert found.suggested in found.legal_moves
            # Only the stock knows whether a joker of Canasta is left in it.
            moves = [move for move in found.legal_moves if not move.HasField("press_joker_button")]
            # Another one each time, so that every sort of move is made; laying first, or it is never done.
            laying = [move for move in moves if not move.HasField("discard")]
            chosen = laying or moves
            done = await anna.act(chosen[made * 7 % len(chosen)], expected_version=answer.version)
            assert done.version > answer.version


async def test_who_is_not_on_turn_is_told_about_his_hand_and_no_move(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        anna, ben = await engine.seat(await engine.open(new_table(OPEN, OPEN)), "anna", "ben")
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        waiting = (anna, ben)[1 - view.round.turn]
        answer = await hints(waiting)
        own = (await waiting.look()).round.own_hand
        assert sorted([*answer.hints.keep, *answer.hints.loose]) == sorted(own)
        assert answer.hints.opening.need_points == 101
        assert not answer.hints.HasField("suggested")
        assert not answer.hints.legal_moves


async def test_before_the_first_round_there_is_nothing_to_say(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        (anna,) = await engine.seat(await engine.open(new_table(OPEN, OPEN)), "anna")
        answer = await hints(anna)
        assert answer.version == (await anna.look()).version
        assert not answer.HasField("hints")


async def test_who_left_is_told_nothing_until_he_is_back(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, bot_move_ms=60_000))
        anna, _ = await engine.seat(table_id, "anna", "ben")
        await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        await anna.leave()
        assert (await refusal(hints(anna))).reason == "NOT_AT_TABLE"
        await anna.join()
        assert (await hints(anna)).HasField("hints")


async def test_a_table_is_played_on_while_hints_are_worked_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    asked = asyncio.Event()

    async def slow(*_: object) -> None:
        asked.set()
        await gate.wait()

    monkeypatch.setattr(hints_api.HintDesk, "_advice", slow)
    async with table_engine(tmp_path) as engine:
        anna, ben = await engine.seat(await engine.open(new_table(OPEN, OPEN)), "anna", "ben")
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        sitter = (anna, ben)[view.round.turn]
        asking = asyncio.create_task(hints(sitter))
        await asked.wait()
        tile = (await sitter.look()).round.own_hand[0]
        async with asyncio.timeout(5):
            await sitter.act(discard(tile))
            await (anna, ben)[1 - view.round.turn].act(DRAW)
        gate.set()
        assert (await asking).version == view.version


async def test_too_many_calls_for_hints_are_refused_and_the_table_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints_api, "MOST_WAITING", 0)
    async with table_engine(tmp_path) as engine:
        anna, _ = await engine.seat(await engine.open(new_table(OPEN, OPEN)), "anna", "ben")
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        assert (await refusal(hints(anna))).reason == "HINTS_BUSY"
        assert (await anna.look()).version == view.version


async def test_a_list_of_moves_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints_api, "MOST_MOVES", 3)
    async with table_engine(tmp_path) as engine:
        anna = await seated(engine, "rummy101")
        while (view := await on_turn(anna)).round.phase == view_pb.PHASE_DRAW:
            await anna.act(DRAW)
        assert view.round.phase == view_pb.PHASE_PLAY
        found = (await hints(anna)).hints
        assert len(found.legal_moves) == 3
        assert found.more_legal_moves
