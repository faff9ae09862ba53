"""Puts invitations together, beside the tickets: both in one process and one database."""

from typing import Final

from meldhall.matchmaking.v1.invite_service_pb2_grpc import add_InviteServiceServicer_to_server
from meldhall_eventlog.database import Database
from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking.config import MatchmakingSettings
from meldhall_matchmaking.invites.api import ACCESS, InviteApi
from meldhall_matchmaking.invites.desk import InviteDesk
from meldhall_matchmaking.invites.lobbies import Lobbies
from meldhall_matchmaking.store.invites import InviteStore
from meldhall_routing import TableRouter
from meldhall_runtime import Runtime

PURGE_SECONDS: Final = 60.0


def bind_invites(
    runtime: Runtime, settings: MatchmakingSettings, database: Database, router: TableRouter
) -> None:
    """Serve invitations.

    Args:
        runtime: Of the process.
        settings: Of the role.
        database: Migrated and open; it is closed elsewhere.
        router: To the table engines; it is closed elsewhere.
    """
    store = InviteStore(database)
    runtime.on_close(store.close, "invites")
    desk = InviteDesk(
        store,
        router,
        Lobbies(router, runtime.clock),
        clock=runtime.clock,
        lifetime_ms=round(settings.invite_seconds * 1000),
    )
    api = InviteApi(desk, told_address=settings.told_address, link_prefix=settings.invite_link_prefix)
    runtime.add_servicer(add_InviteServiceServicer_to_server, api, ACCESS)
    runtime.spawn("invites_purging", _purge(runtime, store, round(settings.keep_seconds * 1000)))


async def _purge(runtime: Runtime, store: InviteStore, keep_ms: int) -> None:
    while True:
        try:
            await store.purge(runtime.clock.now_ms() - keep_ms)
        except LogUnavailable as error:
            runtime.log.warning("invites_not_purged", reason=str(error))
        await runtime.clock.sleep(PURGE_SECONDS)
