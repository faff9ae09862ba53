"""Matchmaking's composition root."""

import asyncio
from collections.abc import Iterable
from functools import partial

from meldhall.matchmaking.v1.matchmaking_service_pb2_grpc import add_MatchmakingServiceServicer_to_server
from meldhall.matchmaking.v1.party_service_pb2_grpc import add_PartyServiceServicer_to_server
from meldhall.matchmaking.v1.pool_service_pb2_grpc import add_PoolServiceServicer_to_server
from meldhall_eventlog.opening import make_folder
from meldhall_matchmaking.api import ACCESS, MatchmakingApi, Offer
from meldhall_matchmaking.binding import bind_ratings
from meldhall_matchmaking.config import MatchmakingSettings
from meldhall_matchmaking.domain.ticket import Ticket
from meldhall_matchmaking.hub import TicketHub
from meldhall_matchmaking.invites.binding import bind_invites
from meldhall_matchmaking.leadership import Leadership
from meldhall_matchmaking.matcher import Matcher, Times, Tools
from meldhall_matchmaking.metrics import MatchmakingMetrics
from meldhall_matchmaking.parties import ACCESS as PARTY_ACCESS
from meldhall_matchmaking.parties import Parties, PartyApi
from meldhall_matchmaking.pools import ACCESS as POOL_ACCESS
from meldhall_matchmaking.pools import Inspector, PoolApi
from meldhall_matchmaking.stakes import Stakes
from meldhall_matchmaking.store import TicketStore, migrate, open_database
from meldhall_matchmaking.tables import TableOpener
from meldhall_matchmaking.upkeep import Upkeep
from meldhall_routing import TableRouter
from meldhall_runtime import Runtime


async def bind(runtime: Runtime) -> None:
    """Put matchmaking together: database, matcher, API.

    A table service that is away does not make the service unready: tickets are still taken, and each group
    tries again. The metric ``meldhall_matchmaking_table_service_up`` tells.

    Raises:
        TypeError: the runtime has another role's settings.
        NotMigrated: the database was written by a newer version.
    """
    settings = runtime.settings
    if not isinstance(settings, MatchmakingSettings):
        raise TypeError(f"matchmaking needs its own settings, not {type(settings).__name__}")
    store = await _open_store(runtime, settings)
    router = _router(runtime, settings)
    stakes = Stakes(runtime.channel(settings.ledger_address))
    metrics, hub = MatchmakingMetrics(runtime.registry), TicketHub()
    leadership = Leadership(
        store.database,
        runtime.address,
        runtime.instance,
        ttl_ms=_ms(settings.lease_seconds),
        changed=lambda: matcher.wake(),  # noqa: PLW0108 - the matcher is made below
        log=runtime.log,
    )
    metrics.parts_led.set_function(lambda: len(leadership.led()))
    matcher = Matcher(
        Tools(
            store=store,
            hub=hub,
            leadership=leadership,
            opener=TableOpener(router, stakes, settings.arena_rake_bps),
            stakes=stakes,
            told_address=settings.told_address,
            clock=runtime.clock,
            ids=runtime.ids,
            metrics=metrics,
            log=runtime.log,
        ),
        Times(settings.poll_seconds, _ms(settings.abandon_seconds), _ms(settings.lease_seconds)),
    )
    parties = Parties(store.database, runtime.ids)
    runtime.on_close(parties.close, "parties")
    api = MatchmakingApi(
        store,
        await bind_ratings(runtime, settings, store.database, router, metrics),
        parties,
        hub,
        matcher.wake,
        clock=runtime.clock,
        ids=runtime.ids,
        metrics=metrics,
        offer=Offer(_ms(settings.bots_after_seconds), settings.stakes, stakes.can_pay),
    )
    runtime.add_servicer(add_MatchmakingServiceServicer_to_server, api, ACCESS)
    party_api = PartyApi(parties, runtime.clock, partial(_taken_back, runtime, hub, metrics))
    runtime.add_servicer(add_PartyServiceServicer_to_server, party_api, PARTY_ACCESS)
    pools = PoolApi(Inspector(store.database), runtime.clock)
    runtime.add_servicer(add_PoolServiceServicer_to_server, pools, POOL_ACCESS)
    runtime.add_ready_check("database", store.check)
    _spawn_upkeep(runtime, settings, store, hub)
    bind_invites(runtime, settings, store.database, router)
    leading = runtime.spawn("leadership", leadership.run(), may_end=True) if settings.lead else None
    matching = runtime.spawn("matcher", matcher.run(), may_end=True)

    async def drain() -> None:
        matcher.stop()
        # First the tables that are being opened, so that whoever follows their tickets still hears of them.
        await asyncio.wait({matching})
        if leading is not None:
            # Then somebody else may lead.
            leadership.stop()
            await asyncio.wait({leading})
        hub.close()

    runtime.on_drain(drain)


def _taken_back(
    runtime: Runtime, hub: TicketHub, metrics: MatchmakingMetrics, ended: Iterable[Ticket]
) -> None:
    tickets = tuple(ended)
    hub.publish(tickets)
    metrics.count_ended(tickets, runtime.clock.now_ms())


def _spawn_upkeep(
    runtime: Runtime, settings: MatchmakingSettings, store: TicketStore, hub: TicketHub
) -> None:
    upkeep = Upkeep(
        store,
        hub,
        runtime.clock,
        runtime.log,
        abandon_ms=_ms(settings.abandon_seconds),
        keep_ms=_ms(settings.keep_seconds),
    )
    runtime.spawn("touching", upkeep.touch())
    runtime.spawn("news", upkeep.tell_news())
    runtime.spawn("outlooks", upkeep.tell_outlooks())
    runtime.spawn("purging", upkeep.purge())


def _router(runtime: Runtime, settings: MatchmakingSettings) -> TableRouter:
    router = TableRouter(runtime.open_channel, settings.table_address.split(","))
    runtime.on_close(router.close, "router")
    return router


async def _open_store(runtime: Runtime, settings: MatchmakingSettings) -> TicketStore:
    await asyncio.to_thread(make_folder, settings.database_url)
    revision = await asyncio.to_thread(migrate, settings.database_url)
    runtime.log.info("database_migrated", revision=revision)
    store = TicketStore(open_database(settings.database_url, connections=settings.database_connections))
    runtime.on_close(store.close, "database")
    return store


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
