"""The table engine's composition root."""

import asyncio
import secrets
from typing import Final, cast

from structlog.typing import FilteringBoundLogger

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1.table_service_pb2_grpc import add_TableServiceServicer_to_server
from meldhall_eventlog.leases import ShardLeases
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.named_leases import NamedLease
from meldhall_eventlog.opening import make_folder
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.types import StoredEvent
from meldhall_messaging import JetStreamBus, MessagingMetrics, NatsOptions, Relay, StreamSpec, relay_lease
from meldhall_messaging.envelope import envelope_of
from meldhall_messaging.subjects import Subject
from meldhall_runtime import Runtime
from meldhall_runtime.clock import SystemClock
from meldhall_table.api.fields import Spectators, TableDefaults
from meldhall_table.api.servicer import ACCESS, TableServicer
from meldhall_table.config import TableSettings
from meldhall_table.domain.events import Limits
from meldhall_table.ledger import LedgerPurse
from meldhall_table.metrics import TableMetrics
from meldhall_table.owner.alarms import Alarms
from meldhall_table.owner.claims import Claims, Desk, Pace
from meldhall_table.owner.lag import LagWatch
from meldhall_table.owner.purse import JokerPurse, NoPurse
from meldhall_table.owner.shards import Shards
from meldhall_table.owner.snapshots import Snapshots
from meldhall_table.owner.tables import Tables
from meldhall_table.owner.tools import Tools
from meldhall_table.store.stream import shard_of

AREA: Final = "table"
RELAY: Final = "table-engine"
FLUSH_TRIES: Final = 40
FLUSH_SECONDS: Final = 0.05


async def bind(runtime: Runtime) -> None:
    """Put the table engine together: log, tables, API, relay.

    Raises:
        TypeError: the runtime has another role's settings.
        NotMigrated: the database was written by a newer version.
    """
    settings = runtime.settings
    if not isinstance(settings, TableSettings):
        raise TypeError(f"the table engine needs its own settings, not {type(settings).__name__}")
    log = await _open_log(runtime, settings)
    tables = await _tables(runtime, settings, log)
    servicer = TableServicer(tables, log, runtime.clock, _defaults(settings))
    runtime.add_servicer(add_TableServiceServicer_to_server, servicer, ACCESS)
    runtime.on_drain(servicer.drain)

    runtime.add_ready_check("log", log.check)
    if settings.relay:
        await _relay(runtime, settings, log)


async def _tables(runtime: Runtime, settings: TableSettings, log: SqlEventLog) -> Tables:
    """Put together what owns the tables, and take up the shards that are free."""
    metrics = TableMetrics(runtime.registry)
    # Leases run on the database's clock, which is a real one whatever clock tables are played by.
    clock = SystemClock()
    shards = Shards(runtime.address, clock.monotonic)
    tools = Tools(
        log=log,
        clock=runtime.clock,
        event_id=runtime.ids.event_id,
        shards=shards,
        alarms=Alarms(runtime.clock),
        snapshots=Snapshots(log, settings.snapshot_events, metrics, runtime.log),
        purse=_purse(runtime, settings, metrics),
        metrics=metrics,
        logger=runtime.log,
    )
    tables = Tables(tools, settings.max_tables, settings.idle_seconds)
    desk = Desk(
        leases=ShardLeases(log.database, ttl_ms=settings.lease_ttl_ms),
        shards=shards,
        tables=tables,
        clock=clock,
        metrics=metrics,
        logger=runtime.log,
        chance=secrets.SystemRandom().random,
        pace=Pace(ttl=settings.lease_ttl_ms / 1000, beat=settings.lease_beat_ms / 1000),
    )
    claims = Claims(desk, runtime.instance)
    lag = LagWatch(clock, settings.lag_limit_ms / 1000, claims.stand_aside)
    runtime.on_close(claims.close, "claims")
    # Before anything is served: an engine that is alone has every shard from its first call on.
    await claims.start()
    runtime.spawn("heartbeat", claims.keep_beating())
    runtime.spawn("balance", claims.keep_balanced())
    runtime.spawn("lag", lag.run())
    runtime.spawn("tidy", tables.keep_tidy())
    runtime.add_ready_check("leases", claims.check)
    runtime.on_drain(claims.drain)
    return tables


async def _open_log(runtime: Runtime, settings: TableSettings) -> SqlEventLog:
    await asyncio.to_thread(make_folder, settings.database_url)
    revision = await asyncio.to_thread(upgrade, settings.database_url)
    log = await SqlEventLog.open(settings.database_url, connections=settings.database_connections)
    runtime.on_close(log.close, "log")
    runtime.log.info("database_migrated", revision=revision)
    return log


def _defaults(settings: TableSettings) -> TableDefaults:
    return TableDefaults(
        Limits(
            turn_ms=settings.turn_ms,
            break_ms=settings.break_ms,
            join_ms=settings.join_ms,
            bot_move_ms=settings.bot_move_ms,
            fill_ms=settings.fill_ms,
            round_ms=settings.round_ms,
            match_ms=settings.match_ms,
            rematch_ms=settings.rematch_ms,
        ),
        Spectators(allowed=settings.spectators == "delayed", delay_ms=settings.spectator_delay_ms),
    )


def _purse(runtime: Runtime, settings: TableSettings, metrics: TableMetrics) -> JokerPurse:
    if not settings.ledger_address:
        return NoPurse()
    return LedgerPurse(runtime.channel(settings.ledger_address), metrics, runtime.log)


def to_envelope(stored: StoredEvent) -> tuple[str, EventEnvelope]:
    """Return the subject and the envelope of a public event; its payload goes out byte for byte."""
    subject = Subject.of(AREA, shard_of(stored.stream_id), stored.stream_id, stored.type)
    return str(subject), envelope_of(stored)


async def _relay(runtime: Runtime, settings: TableSettings, log: SqlEventLog) -> None:
    # Two names of structlog for what its loggers can do; the runtime's can do what messaging asks for.
    logger = cast("FilteringBoundLogger", runtime.log)
    messaging = MessagingMetrics(runtime.registry)
    bus = JetStreamBus(
        NatsOptions(tuple(settings.nats_url.split(",")), runtime.instance),
        logger=logger,
        metrics=messaging,
        on_closed=lambda: runtime.fail("the connection to NATS was closed for good"),
        stream=StreamSpec(replicas=settings.nats_replicas),
    )
    await bus.start()
    runtime.on_close(bus.close, "bus")
    relay = Relay(
        log,
        bus,
        to_envelope,
        name=RELAY,
        logger=logger,
        metrics=messaging,
        now_ms=runtime.clock.now_ms,
        lease=NamedLease(log.database, relay_lease(RELAY), runtime.instance, ttl_ms=settings.lease_ttl_ms),
    )
    # Tables are played without NATS; taking the engine out of service for its outage would stop them.
    runtime.add_ready_check("nats", bus.check_ready, required=False)
    runtime.add_ready_check("relay", relay.check_ready, required=False)
    running = runtime.spawn("relay", relay.run(), may_end=True)

    async def finish() -> None:
        if relay.active:
            await _flush(log, bus)
        relay.stop()
        await asyncio.wait({running})

    # After the tables: what they said at the end has been appended by then.
    runtime.on_drain(finish)


async def _flush(log: SqlEventLog, bus: JetStreamBus) -> None:
    """Give the relay a moment to publish what is left. What remains it publishes after the next start."""
    for _ in range(FLUSH_TRIES):
        position = await log.load_checkpoint(RELAY)
        if not bus.connected or not await log.read_all(after=position, limit=1, public_only=True):
            return
        await asyncio.sleep(FLUSH_SECONDS)
