import asyncio
from pathlib import Path

import pytest
from tests.fixtures.tables import BOT, DRAW, Engine, kept_for, new_table, refusal, table_engine

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.player import Player
from meldhall_eventlog.sql import SqlEventLog
from meldhall_rules.bots.rummy101 import choose
from meldhall_rules.shuffle import verify_secret
from meldhall_runtime.testing import service
from meldhall_table.store.audit import audit_table

NAMES = ("anna", "ben", "cleo", "dan")


async def play(engine: Engine, table_id: str, name: str) -> view_pb.TableView:
    token = engine.running.keys.token(name)
    client = Player(
        await engine.stub(None),
        token=token,
        table_id=table_id,
        policy=choose,
        session=name,
        retry_seconds=0.02,
    )
    return await client.play(name.encode())


@pytest.mark.parametrize(("seats", "rounds"), [(2, 2), (3, 1), (4, 3)])
async def test_clients_play_a_match_to_its_end(tmp_path: Path, seats: int, rounds: int) -> None:
    async with table_engine(tmp_path) as engine:
        names = NAMES[:seats]
        table_id = await engine.open(new_table(*map(kept_for, names), rounds=rounds))
        async with asyncio.timeout(30):
            finals = await asyncio.gather(*(play(engine, table_id, name) for name in names))
        for final in finals:
            assert final.status == view_pb.TABLE_STATUS_CLOSED
            assert final.match_result.rounds == rounds
            assert list(final.match_result.totals) == list(finals[0].totals)
            assert final.version == finals[0].version
        log = await SqlEventLog.open(engine.url)
        audit = await audit_table(log, table_id)
        info = await log.info(table_id)
        await log.close()
        assert (audit.difference, audit.rounds) == (None, rounds)
        assert info is not None
        assert info.closed


async def test_what_a_client_pieced_together_is_what_the_service_shows(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(kept_for("anna"), BOT, BOT))
        async with asyncio.timeout(30):
            final = await play(engine, table_id, "anna")
        call = (await engine.stub("anna")).Watch(pb.WatchRequest(table_id=table_id))
        shown = (await call.read()).snapshot
        call.cancel()
        for view in (final, shown):
            # Nobody is on turn when a round is over; who would be is of no account.
            view.round.ClearField("turn")
        assert str(final).splitlines() == str(shown).splitlines()


async def test_a_finished_match_says_who_won_and_proves_its_deals(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(BOT, BOT, BOT, rounds=2, mode=game_pb2.MODE_QUICK))
        stub = await engine.stub(service())
        async with asyncio.timeout(20):
            async for message in stub.Watch(pb.WatchRequest(table_id=table_id)):
                last = message
        assert last.go_away.reason == pb.GO_AWAY_REASON_TABLE_CLOSED
        envelopes = [
            answer.envelope async for answer in stub.ReadStream(pb.ReadStreamRequest(table_id=table_id))
        ]
        assert [envelope.sequence for envelope in envelopes] == list(range(1, len(envelopes) + 1))
        created = events_pb.TableCreated.FromString(envelopes[0].payload)
        ended = [
            events_pb.RoundEnded.FromString(one.payload)
            for one in envelopes
            if one.type.endswith("RoundEnded")
        ]
        assert len(ended) == 2
        secret = created.commitment
        for result in ended:
            assert verify_secret(secret, result.round_secret)
            secret = result.round_secret
            assert list(result.account_changes) == [0, 0, 0]
            assert list(result.bots) == [True, True, True]
        assert envelopes[-1].type.endswith("TableClosed")
        later = pb.ReadStreamRequest(table_id=table_id, after_sequence=3, limit=2)
        page = [answer.envelope.sequence async for answer in stub.ReadStream(later)]
        assert page == [4, 5]


async def test_people_win_and_lose_points_and_bots_do_not(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(kept_for("anna"), BOT))
        async with asyncio.timeout(30):
            await play(engine, table_id, "anna")
        stub = await engine.stub(service())
        async for answer in stub.ReadStream(pb.ReadStreamRequest(table_id=table_id)):
            if answer.envelope.type.endswith("RoundEnded"):
                ended = events_pb.RoundEnded.FromString(answer.envelope.payload)
        assert list(ended.account_changes) == [ended.result.scores[0], 0]
        assert ended.account_changes[0] != 0


async def test_nothing_follows_a_match(tmp_path: Path) -> None:
    async with table_engine(tmp_path) as engine:
        table_id = await engine.open(new_table(kept_for("anna"), BOT))
        async with asyncio.timeout(30):
            await play(engine, table_id, "anna")
        stub = await engine.stub("anna")
        late = pb.ActRequest(table_id=table_id, command_id="late", move=DRAW)
        closed = await refusal(stub.Act(late))
        assert closed.reason == "TABLE_CLOSED"
        other = await engine.stub("ben")
        assert (
            await refusal(other.Join(pb.JoinRequest(table_id=table_id, command_id="x")))
        ).reason == "TABLE_CLOSED"
