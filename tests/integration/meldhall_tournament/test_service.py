"""The service over its API, with tables and a ledger that do as they are told."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio
from tests.fixtures.tournament_service import Room, Tournaments, tournaments
from tests.fixtures.waiting import until

from meldhall.common.v1 import game_pb2
from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall_runtime.testing import operator, player

pytestmark = pytest.mark.asyncio(loop_scope="module")

PRIZES = pb.PrizeTable(shares_bps=[6000, 3000])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tournaments]:
    async with tournaments(tmp_path_factory.mktemp("service") / "tournament.sqlite3") as made:
        yield made


@pytest.fixture
def made(service: Tournaments) -> Tournaments:
    """The service that these tests share, in a room that has forgotten what was."""
    service.room.reset()
    return service


async def test_fees_tables_results_and_prizes_each_once(made: Tournaments) -> None:
    tournament_id = await made.announce(entry_fee=10, rounds=2, prizes=PRIZES)
    await made.enter(tournament_id, "ann", "ben")
    for round_no in (1, 2):
        (table_id,) = await made.opened(tournament_id, round_no)
        made.room.end(table_id, 10, 50)
    status = await made.until(tournament_id, settled=True)
    assert status.state == pb.TOURNAMENT_STATE_CLOSED
    assert (status.round, status.rounds, status.entries) == (2, 2, 2)
    request = pb.ListStandingsRequest(tournament_id=tournament_id)
    standings = (await made.call(player("ann"), "ListStandings", request)).standings
    assert [(one.place, one.prize) for one in standings] == [(1, 12), (2, 6)]
    winner, second = (one.player_id for one in standings)
    assert made.room.carried_out() == [
        *("hold/1", "hold/2", "post/1", "post/2"),
        *(f"prize/0/1/{winner}", f"prize/0/2/{second}", "rest"),
    ]
    tables = [made.room.players(table_id) for table_id in made.room.opened]
    assert sorted(map(sorted, tables)) == [["ann", "ben"], ["ann", "ben"]]


async def test_a_command_that_is_repeated_does_nothing_more(made: Tournaments) -> None:
    create = pb.CreateTournamentRequest(command_id="x")
    create.tournament.CopyFrom(
        pb.Tournament(
            title="t",
            format=pb.TOURNAMENT_FORMAT_SWISS,
            options=game_pb2.GameOptions(rummy101={}),
            seats=2,
            rounds=1,
            sit_and_go=True,
            maximum=3,
        )
    )
    first = await made.call(operator(), "CreateTournament", create)
    again = await made.call(operator(), "CreateTournament", create)
    assert first == again
    tournament_id = first.tournament.tournament_id
    create.tournament.rounds = 2
    assert await made.refused(operator(), "CreateTournament", create) == "TOURNAMENT_EXISTS"

    enter = pb.RegisterRequest(tournament_id=tournament_id, command_id="e")
    await made.call(player("ann"), "Register", enter)
    assert (await made.call(player("ann"), "Register", enter)).entries == 1
    enter.command_id = "f"
    assert await made.refused(player("ann"), "Register", enter) == "ALREADY_ENTERED"
    withdraw = pb.WithdrawRequest(tournament_id=tournament_id, command_id="e")
    assert await made.refused(player("ann"), "Withdraw", withdraw) == "COMMAND_ID_REUSED"
    withdraw.command_id = "w"
    await made.call(player("ann"), "Withdraw", withdraw)
    await made.call(player("ann"), "Withdraw", withdraw)
    enter.command_id = "g"
    assert (await made.call(player("ann"), "Register", enter)).own.entry == 2


async def test_what_is_wrong_is_said_with_its_code(made: Tournaments) -> None:
    nowhere = pb.RegisterRequest(tournament_id="nowhere")
    assert await made.refused(player("ann"), "Register", nowhere) == "TOURNAMENT_NOT_FOUND"
    bad = pb.CreateTournamentRequest()
    bad.tournament.seats = 2
    assert await made.refused(operator(), "CreateTournament", bad) == "INVALID_FIELD"
    bad.tournament.options.rummy101.SetInParent()
    bad.tournament.format = pb.TOURNAMENT_FORMAT_SWISS
    assert await made.refused(operator(), "CreateTournament", bad) == "BAD_PLAN"
    assert await made.refused(player("ann"), "CreateTournament", bad) == "ROLE_NOT_ALLOWED"
    tournament_id = await made.announce()
    teams = await made.announce(options=game_pb2.GameOptions(canasta={}), seats=4, maximum=4)
    for partner, reason in (("Ann Smith", "INVALID_FIELD"), ("", "BAD_PARTNER"), ("ann", "BAD_PARTNER")):
        enter = pb.RegisterRequest(tournament_id=teams, partner=partner)
        assert await made.refused(player("ann"), "Register", enter) == reason
    pause = pb.PauseTournamentRequest(tournament_id=tournament_id, reason="why not")
    assert await made.refused(player("ann"), "PauseTournament", pause) == "ROLE_NOT_ALLOWED"
    pairings = pb.ListPairingsRequest(tournament_id=tournament_id, round=1)
    assert await made.refused(player("ann"), "ListPairings", pairings) == "NO_SUCH_ROUND"


async def test_who_cannot_pay_is_told_so_and_who_waits_for_the_ledger_asks_again(made: Tournaments) -> None:
    tournament_id = await made.announce(entry_fee=10)
    made.room.refused["hold"] = "INSUFFICIENT"
    enter = pb.RegisterRequest(tournament_id=tournament_id)
    assert await made.refused(player("ann"), "Register", enter) == "FEE_REFUSED"
    made.room.refused.clear()
    made.room.ledger_fault = grpc.StatusCode.UNAVAILABLE
    enter.command_id = "again"
    assert await made.refused(player("ann"), "Register", enter) == "FEE_PENDING"
    made.room.ledger_fault = None
    own = (await made.call(player("ann"), "Register", enter)).own
    assert (own.entry, own.state) == (2, pb.ENTRY_STATE_ENTERED)


async def test_a_table_that_cannot_be_opened_pauses_it_until_somebody_resumes(made: Tournaments) -> None:
    tournament_id = await made.announce()
    made.room.table_fault = grpc.StatusCode.INVALID_ARGUMENT
    await made.enter(tournament_id, "ann", "ben")
    why = await made.paused(tournament_id)
    assert why.startswith("cannot be opened: table 1 of round 1: INVALID_ARGUMENT")
    made.room.table_fault = None
    resume = pb.ResumeTournamentRequest(tournament_id=tournament_id)
    await made.call(operator(), "ResumeTournament", resume)
    (table_id,) = await made.opened(tournament_id)
    made.room.end(table_id, 5, 0)
    await made.until(tournament_id, settled=True)


async def test_a_table_service_that_is_away_is_waited_for(made: Tournaments) -> None:
    tournament_id = await made.announce()
    made.room.table_fault = grpc.StatusCode.RESOURCE_EXHAUSTED
    await made.enter(tournament_id, "ann", "ben")
    await made.until(tournament_id, round=1, tables_open=1, paused="")
    made.room.table_fault = None
    await made.opened(tournament_id)


async def test_a_result_that_fits_no_table_pauses_it_and_an_operator_says_how_it_ended(
    made: Tournaments,
) -> None:
    tournament_id = await made.announce()
    await made.enter(tournament_id, "ann", "ben")
    (table_id,) = await made.opened(tournament_id)
    made.room.end(table_id, 1, 2, 3)
    assert "3 sides at a table of 2" in await made.paused(tournament_id)
    made.room.ended.clear()
    result = pb.SetResultRequest(tournament_id=tournament_id, round=1, table=1)
    result.sides.add(place=2)
    assert await made.refused(operator(), "SetResult", result) == "BAD_RESULT"
    result.sides.add(place=1, own=7)
    await made.call(operator(), "SetResult", result)
    assert await made.refused(operator("o"), "SetResult", result) == "HAS_RESULT"
    await made.call(operator(), "ResumeTournament", pb.ResumeTournamentRequest(tournament_id=tournament_id))
    await made.until(tournament_id, settled=True)
    (pairing,) = await made.pairings(tournament_id)
    assert (pairing.source, pairing.decided_by) == (pb.RESULT_SOURCE_OPERATOR, operator().subject)


async def test_a_voided_result_is_played_again_at_another_table(made: Tournaments) -> None:
    tournament_id = await made.announce(maximum=4)
    await made.enter(tournament_id, "ann", "ben", "cleo", "dan")
    first, second = await made.opened(tournament_id)
    made.room.end(first, 10, 0)
    await made.until(tournament_id, tables_open=1)
    void = pb.VoidResultRequest(tournament_id=tournament_id, round=1, table=1, replay=True, reason="a bug")
    await made.call(operator(), "VoidResult", void)
    await until(lambda: len(made.room.opened) == 3, 20)
    anew, _ = await made.opened(tournament_id)
    assert anew not in {first, second}
    assert made.room.players(anew) == made.room.players(first)
    made.room.end(anew, 0, 10)
    made.room.end(second, 0, 10)
    await made.until(tournament_id, settled=True)


async def test_a_cancelled_tournament_returns_fees_and_an_order_that_is_refused_stays_due(
    made: Tournaments,
) -> None:
    tournament_id = await made.announce(entry_fee=10)
    await made.enter(tournament_id, "ann", "ben")
    await made.opened(tournament_id)
    await until(lambda: "post/2" in made.room.carried_out(), 20)
    made.room.refused["refund"] = "INSUFFICIENT"
    cancel = pb.CancelTournamentRequest(tournament_id=tournament_id, reason="rain")
    await made.call(operator(), "CancelTournament", cancel)
    status = await made.until(tournament_id, cancelled="rain")
    assert not status.settled
    made.room.refused.clear()
    await made.until(tournament_id, settled=True)
    assert made.room.carried_out()[-2:] == ["refund/1", "refund/2"]


async def test_a_player_follows_to_his_table_and_to_the_end(made: Tournaments) -> None:
    tournament_id = await made.announce()
    await made.enter(tournament_id, "ann")
    request = pb.WatchTournamentRequest(tournament_id=tournament_id)
    seen: list[pb.WatchTournamentResponse] = []

    async def follow() -> None:
        async for news in made.stub.WatchTournament(request, metadata=made.by(player("ann"))):
            seen.append(news)  # noqa: PERF401 - looked at while more comes

    following = asyncio.create_task(follow())
    await until(lambda: bool(seen), 20)
    await made.enter(tournament_id, "ben")
    await until(lambda: bool(seen[-1].own.table_id), 20)
    table_id = seen[-1].own.table_id
    assert "ann" in made.room.players(table_id)
    made.room.end(table_id, 3, 1)
    await asyncio.wait_for(following, 20)
    assert seen[-1].tournament.status.settled
    assert seen[-1].own.table_id == ""
    assert seen[0].tournament.status.seed == b""
    assert len(seen[-1].tournament.status.seed) == 32


async def test_a_service_that_starts_again_goes_on_where_it_was(tmp_path: Path) -> None:
    room, database = Room(), tmp_path / "tournament.sqlite3"
    async with tournaments(database, room) as made:
        tournament_id = await made.announce(entry_fee=10, rounds=2, prizes=PRIZES)
        await made.enter(tournament_id, "ann", "ben")
        (first,) = await made.opened(tournament_id)
    room.end(first, 10, 0)
    async with tournaments(database, room) as made:
        (second,) = await made.opened(tournament_id, 2)
        room.end(second, 10, 0)
        await made.until(tournament_id, settled=True)
        assert len(room.carried_out()) == len(set(room.carried_out()))


async def test_tournaments_are_listed_the_newest_first_page_by_page(made: Tournaments) -> None:
    ids = [await made.announce(title=f"t{number}") for number in range(5)]
    found: list[str] = []
    request = pb.ListTournamentsRequest()
    request.page.size = 2
    while True:
        answer = await made.call(player("ann"), "ListTournaments", request)
        found += [one.tournament_id for one in answer.tournaments]
        request.page.cursor = answer.next_cursor
        if not answer.next_cursor:
            break
    assert found[:5] == ids[::-1]


async def test_absent_players_lose_and_are_left_out_until_they_check_in(made: Tournaments) -> None:
    tournament_id = await made.announce(maximum=4, rounds=3, join_ms=1000)
    await made.enter(tournament_id, "ann", "ben", "cleo", "dan")
    first, second = await made.opened(tournament_id)
    here, absent = made.room.players(first)
    made.room.desert(first, 0)
    made.room.end(second, 1, 0)
    await made.opened(tournament_id, 2)
    seated = {name for table in await made.opened(tournament_id, 2) for name in made.room.players(table)}
    assert absent not in seated
    own = await made.call(
        player(absent), "GetTournament", pb.GetTournamentRequest(tournament_id=tournament_id)
    )
    assert own.own.absent
    await made.call(player(absent), "CheckIn", pb.CheckInRequest(tournament_id=tournament_id))
    for table in await made.opened(tournament_id, 2):
        made.room.end(table, 1, 0)
    third = [name for table in await made.opened(tournament_id, 3) for name in made.room.players(table)]
    assert sorted(third) == ["ann", "ben", "cleo", "dan"]
    assert here in third
