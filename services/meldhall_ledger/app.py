"""The ledger's composition root."""

import asyncio
from typing import cast

from structlog.typing import FilteringBoundLogger

from meldhall.ledger.v1.ledger_service_pb2_grpc import add_LedgerServiceServicer_to_server
from meldhall_eventlog.opening import make_folder
from meldhall_ledger.api.servicer import ACCESS, LedgerApi
from meldhall_ledger.config import LedgerSettings
from meldhall_ledger.consumer import TableEvents, consumer_spec
from meldhall_ledger.metrics import LedgerMetrics
from meldhall_ledger.store import Ledger, Terms, migrate, open_database
from meldhall_ledger.upkeep import Upkeep
from meldhall_messaging import Consumer, JetStreamBus, MessagingMetrics, NatsOptions, StopStore, StreamSpec
from meldhall_routing import TableRouter, TableStreams
from meldhall_runtime import Runtime


async def bind(runtime: Runtime) -> None:
    """Put the ledger together: database, API, consumer.

    Raises:
        TypeError: the runtime has another role's settings.
        NotMigrated: the database was written by a newer version.
    """
    settings = runtime.settings
    if not isinstance(settings, LedgerSettings):
        raise TypeError(f"the ledger needs its own settings, not {type(settings).__name__}")
    revision = await asyncio.to_thread(_migrate, settings.database_url)
    runtime.log.info("database_migrated", revision=revision)
    database = open_database(settings.database_url, connections=settings.database_connections)
    ledger = Ledger(
        database,
        now_ms=runtime.clock.now_ms,
        terms=Terms(settings.account_floor, settings.season_months),
    )
    runtime.on_close(ledger.close, "database")
    runtime.add_servicer(add_LedgerServiceServicer_to_server, LedgerApi(ledger), ACCESS)
    runtime.add_ready_check("database", ledger.check)
    metrics = LedgerMetrics(runtime.registry)
    upkeep = Upkeep(ledger, metrics, runtime.clock, runtime.log)
    runtime.spawn("expiry", upkeep.keep_expiring(settings.expiry_seconds))
    runtime.spawn("reconciliation", upkeep.keep_reconciling(settings.reconcile_seconds))
    await _consume(runtime, settings, ledger, metrics, StopStore(database))


def _migrate(url: str) -> str:
    make_folder(url)
    return migrate(url)


def _router(runtime: Runtime, settings: LedgerSettings) -> TableRouter:
    router = TableRouter(runtime.open_channel, settings.table_address.split(","))
    runtime.on_close(router.close, "router")
    return router


async def _consume(
    runtime: Runtime, settings: LedgerSettings, ledger: Ledger, metrics: LedgerMetrics, stops: StopStore
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
        TableEvents(ledger, metrics).apply,
        TableStreams(_router(runtime, settings)).read,
        logger=log,
        metrics=messaging,
        stops=stops,
        now_ms=runtime.clock.now_ms,
    )
    metrics.poisoned_streams.set_function(lambda: len(consumer.stopped_partitions))
    # Accounts are read and jokers held without NATS; what tables did is taken when it is back.
    runtime.add_ready_check("nats", bus.check_ready, required=False)
    runtime.add_ready_check("consumer", consumer.check_ready, required=False)
    runtime.add_ready_check("partitions", consumer.check_partitions, required=False)
    consuming = runtime.spawn("consumer", consumer.run(), may_end=True)

    async def stop_consuming() -> None:
        consumer.stop()
        await asyncio.wait({consuming})

    runtime.on_drain(stop_consuming)
