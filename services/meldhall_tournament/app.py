"""The tournaments' composition root."""

import asyncio
import secrets
from functools import partial
from typing import cast

from structlog.typing import FilteringBoundLogger

from meldhall.tournament.v1.tournament_service_pb2_grpc import add_TournamentServiceServicer_to_server
from meldhall_eventlog.opening import make_folder
from meldhall_messaging import Consumer, JetStreamBus, MessagingMetrics, NatsOptions, StopStore, StreamSpec
from meldhall_routing import TableRouter
from meldhall_runtime import Runtime
from meldhall_tournament.api.servicer import ACCESS, Terms, TournamentApi
from meldhall_tournament.conductor import Conductor, Times, Tools
from meldhall_tournament.config import TournamentSettings
from meldhall_tournament.consumer import TableEnds, consumer_spec
from meldhall_tournament.desk import Desk
from meldhall_tournament.domain.lots import SEED_BYTES
from meldhall_tournament.ledger import TournamentLedger
from meldhall_tournament.metrics import TournamentMetrics
from meldhall_tournament.referee import Referee
from meldhall_tournament.store import TournamentStore, migrate, open_database
from meldhall_tournament.tables import TournamentTables
from meldhall_tournament.treasurer import Treasurer


async def bind(runtime: Runtime) -> None:
    """Put tournaments together: database, desk, conductor, API, consumer.

    Neither the ledger nor the table service has to be there: entries are taken, and what is due waits.

    Raises:
        TypeError: the runtime has another role's settings.
        NotMigrated: the database was written by a newer version.
    """
    settings = runtime.settings
    if not isinstance(settings, TournamentSettings):
        raise TypeError(f"tournaments need their own settings, not {type(settings).__name__}")
    await asyncio.to_thread(make_folder, settings.database_url)
    revision = await asyncio.to_thread(migrate, settings.database_url)
    runtime.log.info("database_migrated", revision=revision)
    database = open_database(settings.database_url, connections=settings.database_connections)
    store = TournamentStore(database)
    runtime.on_close(store.close, "database")
    runtime.add_ready_check("database", store.check)
    metrics, desk = TournamentMetrics(runtime.registry), Desk(store, runtime.clock)
    desk.on_change(metrics.count)
    router = TableRouter(runtime.open_channel, settings.table_address.split(","))
    runtime.on_close(router.close, "router")
    tables = TournamentTables(router)
    referee = Referee(desk, tables, metrics, runtime.clock, runtime.log)
    ledger = TournamentLedger(runtime.channel(settings.ledger_address))
    treasurer = Treasurer(desk, ledger, metrics, runtime.log)
    conductor = Conductor(
        Tools(store, desk, referee, treasurer, runtime.clock, metrics, runtime.log),
        Times(settings.poll_seconds, round(settings.check_seconds * 1000)),
    )
    desk.on_change(lambda _tournament_id, _happened: conductor.wake())
    api = TournamentApi(
        desk,
        store,
        Terms(settings.told_address, settings.fee_seconds),
        partial(secrets.token_bytes, SEED_BYTES),
    )
    runtime.add_servicer(add_TournamentServiceServicer_to_server, api, ACCESS)
    conducting = runtime.spawn("conductor", conductor.run(), may_end=True)

    async def stop_conducting() -> None:
        conductor.stop()
        await asyncio.wait({conducting})

    runtime.on_drain(stop_conducting)
    await _consume(runtime, settings, TableEnds(store, referee), tables, StopStore(database))


async def _consume(
    runtime: Runtime,
    settings: TournamentSettings,
    ends: TableEnds,
    tables: TournamentTables,
    stops: StopStore,
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
        ends.apply,
        tables.read,
        logger=log,
        metrics=messaging,
        stops=stops,
        now_ms=runtime.clock.now_ms,
    )
    # Without NATS entries are taken, and ends of tables are found by asking the tables.
    runtime.add_ready_check("nats", bus.check_ready, required=False)
    runtime.add_ready_check("consumer", consumer.check_ready, required=False)
    runtime.add_ready_check("partitions", consumer.check_partitions, required=False)
    consuming = runtime.spawn("consumer", consumer.run(), may_end=True)

    async def stop_consuming() -> None:
        consumer.stop()
        await asyncio.wait({consuming})

    runtime.on_drain(stop_consuming)
