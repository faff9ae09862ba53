"""Opening friends' tables, letting people in, and the list. What it refuses is a ``ServiceError``."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from meldhall.common.v1.game_pb2 import MODE_FRIENDS
from meldhall.matchmaking.v1 import invite_service_pb2 as pb
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as table_pb
from meldhall_contracts.options import game_of
from meldhall_matchmaking.domain.invite import CODE_BYTES, Invite, new_code
from meldhall_matchmaking.invites.guesses import Guesses
from meldhall_matchmaking.invites.lobbies import Lobbies
from meldhall_matchmaking.store.invites import InviteStore, Place
from meldhall_routing import TableRouter, TableUnreachable
from meldhall_runtime import Clock, reason_of
from meldhall_runtime.errors import (
    ServiceError,
    already_exists,
    invalid_argument,
    not_found,
    resource_exhausted,
    unavailable,
)

MOST_INVITES: Final = 10
"""Tables of friends that one player may have open at a time."""

MOST_SEATS: Final = 16
CALL_SECONDS: Final = 3.0
PATIENCE_SECONDS: Final = 3.0
_LABEL: Final = b"meldhall/invite/1"


@dataclass(frozen=True, slots=True)
class Seen:
    """A listed table and how many of its seats are taken."""

    invite: Invite
    taken: int


class InviteDesk:
    """See the module.

    Args:
        store: Invitations.
        router: To the table engines, with a token of this service.
        lobbies: What listed tables look like.
        clock: Wall time.
        lifetime_ms: How long a code leads to its table.
        draw: Draws so many bytes for a code.
    """

    def __init__(
        self,
        store: InviteStore,
        router: TableRouter,
        lobbies: Lobbies,
        *,
        clock: Clock,
        lifetime_ms: int,
        draw: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._store = store
        self._router = router
        self._lobbies = lobbies
        self._clock = clock
        self._lifetime_ms = lifetime_ms
        self._draw = draw
        self._guesses = Guesses()

    async def create(self, host: str, request: pb.CreateInviteRequest) -> Invite:
        """Open a table that the caller hosts. The same command again gives the same table and code.

        Raises:
            ServiceError: the table service refused the table, naming the field; the command id belongs to
                another request; the host has too many tables open.
        """
        digest = hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
        before = await self._store.by_command(host, request.command_id)
        if before is not None:
            return _same(before, digest)
        now = self._clock.now_ms()
        if await self._store.count_leading(host, now) >= MOST_INVITES:
            raise resource_exhausted("TOO_MANY_INVITES", f"at most {MOST_INVITES} tables at a time")
        opened = await self._call(None, "CreateTable", _table_request(host, request))
        invite = Invite(
            code=new_code(self._draw(CODE_BYTES)),
            table_id=opened.table_id,
            host_id=host,
            command_id=request.command_id,
            digest=digest,
            game=_game_of(request),
            options=request.options.SerializeToString(deterministic=True),
            form=_form(request).SerializeToString(deterministic=True),
            seats=request.seats,
            listed=request.listed,
            created_at_ms=now,
            expires_at_ms=now + self._lifetime_ms,
        )
        if await self._store.add(invite):
            return invite
        # The same request got in between, and has the same table.
        other = await self._store.by_command(host, request.command_id)
        if other is None:
            raise unavailable("CODE_TAKEN", "the code was taken; send the same request again")
        return _same(other, digest)

    async def join(self, player: str, *, code: str | None, table_id: str) -> Invite:
        """Let a player in, by a code (None: what was typed cannot be one), or at a listed table.

        Raises:
            ServiceError: the code leads nowhere; too many codes of this player did; the table lets nobody in.
        """
        now = self._clock.now_ms()
        if table_id:
            invite = await self._store.by_table(table_id)
            if invite is None or not invite.listed or not invite.leads(now):
                raise not_found("TABLE_NOT_LISTED", "no such table is in the list", table_id=table_id)
        else:
            # Before it is looked up, so that who guesses learns nothing any more.
            if self._guesses.used_up(player, self._clock.monotonic()):
                raise resource_exhausted("TOO_MANY_TRIES", "too many codes that lead nowhere; wait a while")
            invite = None if code is None else await self._store.by_code(code)
            if invite is None or not invite.leads(now):
                self._guesses.failed(player, self._clock.monotonic())
                raise not_found("CODE_UNKNOWN", "the code leads nowhere")
        if player != invite.host_id:
            admission = table_pb.AdmitRequest(
                table_id=invite.table_id,
                command_id=_derived(b"admit", invite.table_id, player, str(now)),
                player_id=player,
            )
            await self._call(invite.table_id, "Admit", admission)
        return invite

    async def revoke(self, host: str, code: str | None) -> None:
        """Let a code of the caller's lead nowhere; again: nothing changes.

        Raises:
            ServiceError: the caller has no such code.
        """
        invite = None if code is None else await self._store.by_code(code)
        if invite is None or invite.host_id != host:
            raise not_found("CODE_UNKNOWN", "the caller has no such code")
        await self._store.end(invite.code, self._clock.now_ms())

    async def list_open(
        self, *, game: str, before: Place | None, limit: int
    ) -> tuple[tuple[Seen, ...], Place | None]:
        """Return listed tables with a free seat, the newest first, and where the next page begins.

        A table whose match has begun leaves the list for good. Where an engine does not answer, its tables
        are left out this time.
        """
        now = self._clock.now_ms()
        page = await self._store.listed(now, game=game, before=before, limit=limit)
        seen = await asyncio.gather(*(self._see(invite) for invite in page))
        last = page[-1] if len(page) == limit else None
        return tuple(one for one in seen if one is not None), (
            last.created_at_ms,
            last.table_id,
        ) if last else None

    async def _see(self, invite: Invite) -> Seen | None:
        try:
            lobby = await self._lobbies.look(invite.table_id)
        except (grpc.aio.AioRpcError, TableUnreachable):
            return None
        if lobby.over:
            await self._store.end(invite.code, self._clock.now_ms())
        return Seen(invite, len(lobby.taken)) if lobby.open_to_all(invite.seats) else None

    async def _call(self, table_id: str | None, method: str, request: Message) -> Any:
        try:
            return await self._router.call(
                table_id, method, request, seconds=CALL_SECONDS, within=PATIENCE_SECONDS
            )
        except TableUnreachable as error:
            raise _unreachable() from error
        except grpc.aio.AioRpcError as error:
            info = reason_of(error)
            if info is None:
                raise _unreachable() from error
            # What the table says is meant for the player.
            told = error.details() or ""
            raise ServiceError(error.code(), info.reason, told, dict(info.metadata)) from error


def _unreachable() -> ServiceError:
    return unavailable("TABLES_UNAVAILABLE", "the table service does not answer; try again")


def _same(invite: Invite, digest: bytes) -> Invite:
    if invite.digest != digest:
        raise already_exists("COMMAND_ID_REUSED", "the command id belongs to another request")
    return invite


def _table_request(host: str, request: pb.CreateInviteRequest) -> table_pb.CreateTableRequest:
    if not 2 <= request.seats <= MOST_SEATS:
        raise invalid_argument("INVALID_FIELD", f"seats: must be 2 to {MOST_SEATS}", field="seats")
    return table_pb.CreateTableRequest(
        command_id=_derived(b"table", host, request.command_id),
        options=request.options,
        format=_form(request),
        seats=[
            table_pb.SeatPlan(reserved_for=host),
            *(table_pb.SeatPlan(open=table_pb.OpenSeat()) for _ in range(request.seats - 1)),
        ],
        limits=request.limits if request.HasField("limits") else None,
        spectators=request.spectators if request.HasField("spectators") else None,
        host=events_pb.HostRules(player_id=host, invited_only=True),
    )


def _form(request: pb.CreateInviteRequest) -> Any:
    if request.format.mode not in {0, MODE_FRIENDS}:
        raise invalid_argument("INVALID_FIELD", "format.mode: must be MODE_FRIENDS", field="format.mode")
    form = type(request.format)()
    form.CopyFrom(request.format)
    form.mode = MODE_FRIENDS
    return form


def _game_of(request: pb.CreateInviteRequest) -> str:
    found = game_of(request.options)
    return found[0] if found else ""


def _derived(what: bytes, *parts: str) -> str:
    hashed = hashlib.sha256(b"\0".join((_LABEL, what, *(part.encode() for part in parts))))
    return hashed.hexdigest()[:32]
