import asyncio
from pathlib import Path
from typing import Any

import nats as nats_client
from tests.fixtures.nats import nats  # noqa: F401 - a fixture
from tests.fixtures.tables import BOT, Engine, new_table, table_engine, watched

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_embedded import NatsServer
from meldhall_eventlog.sql import SqlEventLog
from meldhall_messaging import decode
from meldhall_messaging.streams import EVENTS_STREAM
from meldhall_rules import events as rules
from meldhall_runtime.testing import service
from meldhall_table.store.stream import shard_of


async def published(url: str) -> list[Any]:
    """Read all that lies in the stream of events."""
    client = await nats_client.connect(url)
    js = client.jetstream()
    state = (await js.stream_info(EVENTS_STREAM)).state
    found = [await js.get_msg(EVENTS_STREAM, seq) for seq in range(1, state.last_seq + 1)]
    await client.close()
    return found


async def played(engine: Engine) -> str:
    table_id = await engine.open(new_table(BOT, BOT, BOT))
    stub = await engine.stub(service())
    async with asyncio.timeout(20):
        await watched(stub.Watch(pb.WatchRequest(table_id=table_id)))
    return table_id


async def test_public_events_go_out_byte_for_byte_and_no_other(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811 - the fixture
    async with table_engine(tmp_path, relay=True, nats_url=nats.url) as engine:
        table_id = await played(engine)
    log = await SqlEventLog.open(engine.url)
    public = await log.read_all(public_only=True)
    await log.close()
    messages = await published(nats.url)
    # Stopping flushes: everything public is out by now.
    envelopes = [decode(message.data) for message in messages]
    assert [(one.type, one.payload, one.sequence) for one in envelopes] == [
        (one.type, one.payload, one.public_seq) for one in public
    ]
    names = {message.subject for message in messages}
    assert all(name.startswith(f"meldhall.table.{shard_of(table_id)}.{table_id}.") for name in names)
    kinds = {name.rpartition(".")[2] for name in names}
    assert kinds == {"TableCreated", "SeatTaken", "RoundStarted", "RoundEnded", "MatchEnded", "TableClosed"}
    steps = await engine.steps(table_id)
    dealt = next(step.event for step in steps if isinstance(step.event, rules.RoundDealt))
    everything = b"".join(message.data for message in messages)
    assert dealt.shuffle_key not in everything
    assert bytes(dealt.order) not in everything
    tip = steps[-1].table.tip
    assert len(tip) == 32
    assert tip not in everything


async def test_tables_are_played_while_nats_is_away(tmp_path: Path) -> None:
    async with table_engine(tmp_path, relay=True, nats_url="nats://127.0.0.1:1") as engine:
        await played(engine)
        report = await engine.running.runtime.readiness.report()
        assert {one.name for one in report if one.fault} >= {"nats"}
        assert not any(one.blocks for one in report)
