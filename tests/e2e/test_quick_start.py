"""Two people who want to play find each other and a bot, and play, over the public API alone."""

import asyncio
from pathlib import Path
from typing import Any

import grpc.aio
from tests.fixtures.stack import Backend, OwnBackend, backend

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as matchmaking_pb
from meldhall.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from meldhall.table.v1 import table_view_pb2 as view_pb

BOTS_AFTER = 1.0
SOON = {"MELDHALL_MATCHMAKING_BOTS_AFTER_SECONDS": str(BOTS_AFTER)}


async def found(made: Backend, stub: Any, name: str, seats: int = 3) -> matchmaking_pb.Ticket:
    """Ask for a seat and follow the ticket to its end."""
    wish = matchmaking_pb.EnqueueRequest(command_id=f"{name}-wishes", seats=seats)
    wish.options.rummy101.SetInParent()
    answer = await stub.Enqueue(wish, metadata=made.by(name), timeout=10)
    request = matchmaking_pb.WatchTicketRequest(ticket_id=answer.ticket.ticket_id)
    ticket = matchmaking_pb.Ticket()
    async for message in stub.WatchTicket(request, metadata=made.by(name), timeout=20):
        ticket = message.ticket
    return ticket


async def test_two_people_who_enqueue_get_a_table_with_a_bot_and_play_it_to_the_end(tmp_path: Path) -> None:
    names = ("anna", "ben")
    async with (
        backend(tmp_path, SOON) as made,
        grpc.aio.insecure_channel(made.ports.address("matchmaking")) as channel,
    ):
        stub = MatchmakingServiceStub(channel)
        started = asyncio.get_running_loop().time()
        anna, ben = await asyncio.gather(*(found(made, stub, name) for name in names))
        assert asyncio.get_running_loop().time() - started < BOTS_AFTER + 5

        assert anna.state == ben.state == matchmaking_pb.TICKET_STATE_MATCHED
        assert anna.table_id == ben.table_id != ""
        assert anna.table_address == made.ports.address("table")
        game = await made.play(anna.table_id, *names)
        final = game.finals[0]
        assert final.status == view_pb.TABLE_STATUS_CLOSED
        assert final.match_result.rounds == 1
        assert {seat.player_id for seat in final.seats if not seat.bot} == set(names)
        assert [bool(seat.bot) for seat in final.seats].count(True) == 1
        await points_moved(made, game.table_id, final, names)


async def points_moved(
    made: OwnBackend, table_id: str, final: view_pb.TableView, names: tuple[str, ...]
) -> None:
    await made.settled(table_id, 1)
    totals = {seat.player_id: final.totals[seat.seat] for seat in final.seats}
    assert {name: await made.points(name) for name in names} == {name: totals[name] for name in names}
    assert set((await made.sums()).values()) <= {0}
