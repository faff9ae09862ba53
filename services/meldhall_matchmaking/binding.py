"""Puts ratings together: the store, and the consumer of results."""

import asyncio
from typing import cast

from structlog.typing import FilteringBoundLogger

from meldhall_eventlog.database import Database
from meldhall_matchmaking.config import MatchmakingSettings
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.results import Ratings, ResultEvents, consumer_spec
from meldhall_messaging import Consumer, JetStreamBus, MessagingMetrics, NatsOptions, StreamSpec
from meldhall_routing import TableRouter, TableStreams
from meldhall_runtime import Runtime


async def bind_ratings(
    runtime: Runtime,
    settings: MatchmakingSettings,
    database: Database,
    router: TableRouter,
    metrics: MatchmakingMetrics,
) -> Ratings:
    """Return the ratings; where this process is to, have it take results from NATS."""
    ratings = Ratings(database)
    runtime.on_close(ratings.close, "ratings")
    if settings.rate:
        events = ResultEvents(ratings, TableStreams(router).read, runtime.clock, metrics, runtime.log)
        await _consume(runtime, settings, router, events)
    return ratings


async def _consume(
    runtime: Runtime, settings: MatchmakingSettings, router: TableRouter, events: ResultEvents
) -> None:
    # Two names of structlog for what its loggers can do; the runtime's can do what messaging asks for.
    log = cast("FilteringBoundLogger", runtime.log)
    messaging = MessagingMetrics(runtime.registry)
    bus = JetStreamBus(
        NatsOptions(tuple(settings.nats_url.split(",")), runtime.instance),
        logger=log,
        metrics=messaging,
        on_closed=lambda: runtime.fail("the connection to NATS was closed for good"),
        stream=StreamSpec(replicas=settings.nats_replicas),
    )
    await bus.start()
    runtime.on_close(bus.close, "bus")
    consumer = Consumer(
        bus,
        consumer_spec(settings.consumer_name, settings.ack_wait_seconds),
        events.apply,
        TableStreams(router).read,
        logger=log,
        metrics=messaging,
        now_ms=runtime.clock.now_ms,
    )
    # People are put together without NATS; results are taken when it is back.
    runtime.add_ready_check("nats", bus.check_ready, required=False)
    runtime.add_ready_check("consumer", consumer.check_ready, required=False)
    consuming = runtime.spawn("consumer", consumer.run(), may_end=True)

    async def stop_consuming() -> None:
        consumer.stop()
        await asyncio.wait({consuming})

    runtime.on_drain(stop_consuming)
