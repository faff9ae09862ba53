"""The process dies when ratings are written and their message is not acknowledged: the match counts once."""

import asyncio
from pathlib import Path

import nats as nats_client
from tests.fixtures.matchmaking import FakeTables
from tests.fixtures.matchmaking_processes import Processes, enqueue, file_keys
from tests.fixtures.table_streams import publisher
from tests.integration.meldhall_matchmaking.test_ratings import story

from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_embedded import NatsServer
from meldhall_matchmaking.results import AFTER_RATING
from meldhall_messaging import EVENTS_STREAM
from meldhall_runtime.auth import generate_keypair
from meldhall_runtime.failpoints import KILLED, VARIABLE


async def everything_taken(nats: NatsServer) -> None:
    """Wait until every message was acknowledged, those that came again too."""
    connection = await nats_client.connect(nats.url)
    try:
        async with asyncio.timeout(30):
            while True:
                consumer = await connection.jetstream().consumer_info(EVENTS_STREAM, "matchmaking")
                if not consumer.num_pending and not consumer.num_ack_pending:
                    assert consumer.delivered.consumer_seq > consumer.delivered.stream_seq
                    return
                await asyncio.sleep(0.05)
    finally:
        await connection.close()


async def test_a_match_counts_once_though_the_process_dies_before_it_says_so(
    tmp_path: Path, nats: NatsServer
) -> None:
    generate_keypair(tmp_path)
    tables = FakeTables(file_keys(tmp_path))
    consuming = {
        "MELDHALL_MATCHMAKING_RATE": "true",
        "MELDHALL_MATCHMAKING_NATS_URL": nats.url,
        "MELDHALL_MATCHMAKING_ACK_WAIT_SECONDS": "1",
    }
    async with tables.serve() as address, publisher(nats) as relay:
        processes = Processes(tmp_path, tables, address)
        async with processes.players() as client:
            with processes.run(**consuming, **{VARIABLE: AFTER_RATING}) as process:
                asked = [await enqueue(client, name, play=pb.PLAY_RANKED) for name in ("ann", "ben")]
                told = [await client.follow(one.player_id, one.ticket_id) for one in asked]
                tables.streams[told[0].table_id] = story(told[0].table_id, "ann", "ben")
                await relay.publish(tables.streams[told[0].table_id])
                assert await asyncio.wait_for(asyncio.to_thread(process.wait), 20) == KILLED
            with processes.run(**consuming):
                await enqueue(client, "cid")
                before = await client.stub("ann").GetRatings(pb.GetRatingsRequest())
                await everything_taken(nats)
                after = await client.stub("ann").GetRatings(pb.GetRatingsRequest())
        processes.close()

    assert before.ratings["rummy101"].matches == after.ratings["rummy101"].matches == 1
    assert before == after
