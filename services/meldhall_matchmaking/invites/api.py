"""InviteService: reads requests, asks the desk, writes answers."""

import base64
import binascii
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc

from meldhall.common.v1.game_pb2 import GameOptions, MatchFormat
from meldhall.matchmaking.v1 import invite_service_pb2 as pb
from meldhall.matchmaking.v1 import invite_service_pb2_grpc as rpc
from meldhall_eventlog.errors import LogUnavailable
from meldhall_matchmaking import requests
from meldhall_matchmaking.domain.invite import Invite, read_code
from meldhall_matchmaking.invites.desk import InviteDesk, Seen
from meldhall_matchmaking.store.invites import Place
from meldhall_runtime.auth import AccessTable, Role, current_principal
from meldhall_runtime.errors import invalid_argument, unavailable

SERVICE: Final = "/meldhall.matchmaking.v1.InviteService/"
ACCESS: Final[AccessTable] = {
    f"{SERVICE}CreateInvite": frozenset({Role.PLAYER}),
    f"{SERVICE}JoinInvite": frozenset({Role.PLAYER}),
    f"{SERVICE}RevokeInvite": frozenset({Role.PLAYER}),
    f"{SERVICE}ListOpenTables": frozenset({Role.PLAYER}),
}
"""Who may call what: players, each for themselves."""

PAGE: Final = 50
Context = grpc.aio.ServicerContext[Any, Any]


class InviteApi(rpc.InviteServiceServicer):
    """The service over a desk.

    Args:
        desk: Does the work.
        told_address: Where players are told that tables are.
        link_prefix: What a code is put behind to make a link; empty: there are no links.
    """

    def __init__(self, desk: InviteDesk, *, told_address: str, link_prefix: str) -> None:
        self._desk = desk
        self._told_address = told_address
        self._link_prefix = link_prefix

    async def CreateInvite(  # noqa: N802 - the name of the RPC
        self, request: pb.CreateInviteRequest, _context: Context
    ) -> pb.CreateInviteResponse:
        """Open a table for friends."""
        requests.command_id(request.command_id)
        host = requests.player_id(current_principal().subject)
        with _statuses():
            invite = await self._desk.create(host, request)
        return pb.CreateInviteResponse(invite=self._written(invite))

    async def JoinInvite(self, request: pb.JoinInviteRequest, _context: Context) -> pb.JoinInviteResponse:  # noqa: N802 - the name of the RPC
        """Let the caller in."""
        if request.WhichOneof("by") is None:
            raise invalid_argument("INVALID_FIELD", "by: a code or a table is missing", field="by")
        player = requests.player_id(current_principal().subject)
        with _statuses():
            invite = await self._desk.join(player, code=read_code(request.code), table_id=request.table_id)
        return pb.JoinInviteResponse(
            table_id=invite.table_id, table_address=self._told_address, host_id=invite.host_id
        )

    async def RevokeInvite(  # noqa: N802 - the name of the RPC
        self, request: pb.RevokeInviteRequest, _context: Context
    ) -> pb.RevokeInviteResponse:
        """Take a code back."""
        with _statuses():
            await self._desk.revoke(current_principal().subject, read_code(request.code))
        return pb.RevokeInviteResponse()

    async def ListOpenTables(  # noqa: N802 - the name of the RPC
        self, request: pb.ListOpenTablesRequest, _context: Context
    ) -> pb.ListOpenTablesResponse:
        """Show the list."""
        size = request.page.size or PAGE
        if size > PAGE:
            raise invalid_argument("INVALID_FIELD", f"page.size: must be {PAGE} at most", field="page.size")
        before = _place(request.page.cursor) if request.page.cursor else None
        with _statuses():
            seen, following = await self._desk.list_open(game=request.game, before=before, limit=size)
        return pb.ListOpenTablesResponse(
            tables=map(_listed, seen), next_cursor=_cursor(following) if following else ""
        )

    def _written(self, invite: Invite) -> pb.Invite:
        return pb.Invite(
            code=invite.code,
            link=f"{self._link_prefix}{invite.code}" if self._link_prefix else "",
            table_id=invite.table_id,
            table_address=self._told_address,
            host_id=invite.host_id,
            listed=invite.listed,
            expires_at_unix_ms=invite.expires_at_ms,
        )


def _listed(seen: Seen) -> pb.OpenTable:
    invite = seen.invite
    return pb.OpenTable(
        table_id=invite.table_id,
        host_id=invite.host_id,
        options=GameOptions.FromString(invite.options),
        format=MatchFormat.FromString(invite.form),
        seats=invite.seats,
        taken=seen.taken,
        opened_at_unix_ms=invite.created_at_ms,
    )


def _cursor(place: Place) -> str:
    at_ms, table_id = place
    return base64.urlsafe_b64encode(f"{at_ms}/{table_id}".encode()).decode("ascii")


def _place(cursor: str) -> Place:
    try:
        at_ms, table_id = base64.urlsafe_b64decode(cursor.encode()).decode().split("/")
        return int(at_ms), table_id
    except (binascii.Error, ValueError):
        raise invalid_argument(
            "INVALID_FIELD", "page.cursor: must be one that a page gave", field="page.cursor"
        ) from None


@contextmanager
def _statuses() -> Iterator[None]:
    """Report a database that does not answer as what it is."""
    try:
        yield
    except LogUnavailable as error:
        raise unavailable(
            "DATABASE_UNAVAILABLE", "matchmaking's database does not answer; try again"
        ) from error
