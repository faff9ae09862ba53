import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from tests.fixtures.tables import BOT, OPEN, discard, new_table, refusal, table_engine, watched

from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_runtime.auth import Role, TokenVerifier
from meldhall_runtime.testing import Keys, service

PRESS = moves_pb.Move(press_joker_button=moves_pb.PressJokerButton())


class Accounts:
    """Answers ``ReserveJokers`` as a ledger does, from a list of who has a joker."""

    def __init__(self, verifier: TokenVerifier, owners: set[str]) -> None:
        self.requests: list[ledger_pb.ReserveJokersRequest] = []
        self.failures = 0
        self.address = ""
        self._verifier = verifier
        self._owners = owners

    async def reserve(
        self, request: ledger_pb.ReserveJokersRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> ledger_pb.ReserveJokersResponse:
        metadata = dict(context.invocation_metadata() or ())
        token = str(metadata["authorization"]).removeprefix("Bearer ")
        assert self._verifier.verify(token).role is Role.SERVICE
        self.requests.append(request)
        if self.failures:
            self.failures -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        seats = [claim.seat for claim in request.claims if claim.player_id in self._owners]
        return ledger_pb.ReserveJokersResponse(seats=seats)


@asynccontextmanager
async def accounts(keys: Keys, *owners: str) -> AsyncIterator[Accounts]:
    found = Accounts(keys.verifier, set(owners))
    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(
        found.reserve,
        ledger_pb.ReserveJokersRequest.FromString,
        ledger_pb.ReserveJokersResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler(
                "meldhall.ledger.v1.LedgerService", {"ReserveJokers": handler}
            ),
        )
    )
    found.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    yield found
    await server.stop(0)


async def test_a_joker_from_the_account_is_reserved_shown_to_its_owner_and_spent(tmp_path: Path) -> None:
    keys = Keys()
    async with (
        accounts(keys, "anna", "ben") as ledger,
        table_engine(tmp_path, keys=keys, ledger_address=ledger.address) as engine,
    ):
        table_id = await engine.open(new_table(OPEN, OPEN))
        both = await engine.seat(table_id, "anna", "ben")
        view = await both[0].look_until(view_pb.TABLE_STATUS_PLAYING)
        (request,) = ledger.requests
        assert [(claim.seat, claim.player_id) for claim in request.claims] == [(0, "anna"), (1, "ben")]
        assert (request.table_id, request.round) == (table_id, 1)
        spectator = await engine.stub(service())
        shown = (await watched(spectator.Watch(pb.WatchRequest(table_id=table_id)), 1))[0].snapshot
        assert [shown.round.own_spare_jokers, view.round.own_spare_jokers] == [0, 1]
        starter, second = both[view.round.turn], both[1 - view.round.turn]
        await starter.act(discard((await starter.look()).round.own_hand[0]))
        pressed = await second.act(PRESS)
        assert [event.WhichOneof("event") for event in pressed.events] == ["joker_issued", "joker_spent"]
        assert (await refusal(second.act(PRESS))).reason == "WRONG_PHASE"
        reading = spectator.ReadStream(pb.ReadStreamRequest(table_id=table_id))
        public = [answer.envelope async for answer in reading]
        spent = events_pb.JokerSpent.FromString(public[-1].payload)
        assert (spent.round, spent.player_id) == (1, second.name)


async def test_nothing_is_reserved_for_bots_and_those_without_a_joker(tmp_path: Path) -> None:
    keys = Keys()
    async with (
        accounts(keys, "bot-1") as ledger,
        table_engine(tmp_path, keys=keys, ledger_address=ledger.address) as engine,
    ):
        table_id = await engine.open(new_table(OPEN, BOT, bot_move_ms=60_000))
        (anna,) = await engine.seat(table_id, "anna")
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        assert [claim.player_id for claim in ledger.requests[0].claims] == ["anna"]
        assert view.round.own_spare_jokers == 0


async def test_an_account_that_is_away_for_a_moment_is_asked_again(tmp_path: Path) -> None:
    keys = Keys()
    async with (
        accounts(keys, "anna") as ledger,
        table_engine(tmp_path, keys=keys, ledger_address=ledger.address) as engine,
    ):
        ledger.failures = 2
        table_id = await engine.open(new_table(OPEN, OPEN))
        anna, _ = await engine.seat(table_id, "anna", "ben")
        view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        assert view.round.own_spare_jokers == 1
        assert len(ledger.requests) == 3
        assert ledger.requests[0] == ledger.requests[2]


async def test_a_round_is_dealt_without_jokers_when_the_accounts_do_not_answer(tmp_path: Path) -> None:
    async with table_engine(tmp_path, ledger_address="127.0.0.1:1") as engine:
        table_id = await engine.open(new_table(OPEN, OPEN))
        anna, _ = await engine.seat(table_id, "anna", "ben")
        # The table answers while the accounts are asked.
        assert (await anna.join()).view.status == view_pb.TABLE_STATUS_WAITING
        async with asyncio.timeout(5):
            view = await anna.look_until(view_pb.TABLE_STATUS_PLAYING)
        assert view.round.own_spare_jokers == 0
        registry = engine.running.runtime.registry
        assert registry.get_sample_value("meldhall_table_purse_failures_total") == 1
