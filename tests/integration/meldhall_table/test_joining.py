import asyncio
from pathlib import Path

from tests.fixtures.tables import BOT, OPEN, Sitter, kept_for, new_table, refusal, table_engine

from meldhall.table.v1 import table_view_pb2 as view_pb


async def test_joining_twice_gives_the_same_seat_and_the_whole_view(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, OPEN))
        anna, _ = await engine.seat(table_id, "anna", "ben")
        first = await anna.join(client_seed=b"late")
        again = await anna.join()
        assert first.seat == again.seat == 0
        assert first.view == again.view
        assert (await refusal(anna.join(seat=2))).reason == "ALREADY_SEATED"


async def test_six_players_at_the_same_moment_on_the_last_seat(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        (anna,) = await engine.seat(table_id, "anna")
        crowd = [Sitter(await engine.stub(f"p{number}"), table_id, f"p{number}") for number in range(6)]
        answers = await asyncio.gather(*(one.join() for one in crowd), return_exceptions=True)
        seated = [answer for answer in answers if not isinstance(answer, BaseException)]
        assert len(seated) == 1
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        assert sum(seat.player_id.startswith("p") for seat in view.seats) == 1


async def test_seats_are_taken_as_planned(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, kept_for("ben"), BOT, OPEN))
        (ben,) = await engine.seat(table_id, "ben")
        anna = Sitter(await engine.stub("anna"), table_id, "anna")
        assert (await refusal(anna.join(seat=1))).reason == "SEAT_TAKEN"
        assert (await refusal(anna.join(seat=2))).reason == "SEAT_TAKEN"
        assert (await refusal(anna.join(seat=7))).metadata["field"] == "seat"
        assert (await refusal(anna.join(client_seed=bytes(17)))).metadata["field"] == "client_seed"
        assert (await anna.join(seat=3, client_seed=b"mine")).seat == 3
        view = await ben.look()
        assert [seat.player_id for seat in view.seats] == ["", "ben", "bot-2", "anna"]
        assert view.seats[3].client_seed == b"mine"
        assert view.seats[2].bot == "normal"
        assert view.status == view_pb.TABLE_STATUS_WAITING


async def test_a_seat_kept_for_another_cannot_be_taken(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(kept_for("ben"), kept_for("anna")))
        anna = Sitter(await engine.stub("anna"), table_id, "anna")
        assert (await refusal(anna.join(seat=0))).reason == "SEAT_RESERVED"
        eve = Sitter(await engine.stub("eve"), table_id, "eve")
        assert (await refusal(eve.join())).reason == "TABLE_FULL"
        assert (await anna.join()).seat == 1


async def test_a_seat_left_before_the_match_is_free_again(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, OPEN))
        anna, ben = await engine.seat(table_id, "anna", "ben")
        await anna.leave()
        assert (await ben.look()).seats[0].player_id == ""
        cleo = Sitter(await engine.stub("cleo"), table_id, "cleo")
        assert (await cleo.join()).seat == 0


async def test_the_table_closes_when_the_last_player_leaves_before_the_match(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(OPEN, OPEN, OPEN))
        anna, ben = await engine.seat(table_id, "anna", "ben")
        await anna.leave()
        await ben.leave()
        assert (await refusal(ben.join())).metadata["close_reason"] == "empty"


async def test_a_seat_is_kept_for_a_pseudonym_and_never_for_an_address(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        for name in ("jane.doe@example.org", "Jane Doe"):
            refused = await refusal(engine.open(new_table(kept_for(name), OPEN)))
            assert (refused.reason, refused.metadata) == ("INVALID_FIELD", {"field": "seats[0].reserved_for"})
