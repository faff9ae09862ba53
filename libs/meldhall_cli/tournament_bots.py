"""Players of a tournament over the public API: they enter, follow it, and play at their tables."""

import asyncio
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import grpc

from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall_cli.client.player import Player, Policy
from meldhall_cli.demo_table import Services
from meldhall_runtime import Role

if TYPE_CHECKING:
    from meldhall.tournament.v1.tournament_service_pb2_grpc import TournamentServiceAsyncStub

COINS: Final = 100
"""What each player is given before he enters."""

RETRY_SECONDS: Final = 0.1
_AWAY: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})

Metadata = tuple[tuple[str, str], ...]


@dataclass
class TournamentBots:
    """A tournament and those who play it.

    Attributes:
        services: where tables and the ledger are, and whose tokens are used.
        tournaments: leads to the tournament service.
        policy: how they play.
        players: pseudonyms.
        absent: those of them who enter and never come to a table.
        tournament_id: set by ``announce``.
        tables: the tables that somebody sat at, with who it was.
    """

    services: Services
    tournaments: "TournamentServiceAsyncStub"
    policy: Policy
    players: Sequence[str]
    absent: frozenset[str] = frozenset()
    tournament_id: str = ""
    tables: dict[str, set[str]] = field(default_factory=dict)

    def by(self, subject: str, role: Role = Role.PLAYER) -> Metadata:
        """Return the metadata of a caller, good for some hours."""
        token = self.services.issuer.issue(subject, role, ttl_seconds=6 * 3600)
        return (("authorization", f"Bearer {token}"),)

    async def announce(self, tournament: pb.Tournament) -> None:
        """Announce a tournament as an operator would."""
        request = pb.CreateTournamentRequest(command_id=uuid.uuid4().hex, tournament=tournament)
        operator = self.by("demo", Role.OPERATOR)
        answer = await self.tournaments.CreateTournament(request, metadata=operator, timeout=10)
        self.tournament_id = answer.tournament.tournament_id

    async def enter(self) -> None:
        """Give everybody coins, and have everybody enter."""
        await asyncio.gather(*(self._enter(player) for player in self.players))

    async def play(self) -> pb.Tournament:
        """Play to the end, the last prize included, and return how it ended."""
        async with asyncio.TaskGroup() as group:
            following = [group.create_task(self._follow(player)) for player in self.players]
        return following[0].result()

    async def standings(self) -> list[pb.Standing]:
        """Return the standings as everybody is told them."""
        request = pb.ListStandingsRequest(tournament_id=self.tournament_id)
        request.page.size = 1000
        answer = await self.tournaments.ListStandings(request, metadata=self.by(self.players[0]), timeout=10)
        return list(answer.standings)

    async def coins(self) -> dict[str, tuple[int, int]]:
        """Return what each player has, posted and held."""
        found = {}
        for player in self.players:
            answer = await self.services.ledger.GetBalances(
                ledger_pb.GetBalancesRequest(), metadata=self.by(player), timeout=10
            )
            coins = [line for line in answer.balances if line.unit == ledger_pb.UNIT_COINS]
            found[player] = (coins[0].posted, coins[0].held) if coins else (0, 0)
        return found

    async def _enter(self, player: str) -> None:
        grant = ledger_pb.GrantRequest(
            transfer_id=str(uuid.uuid4()),
            player_id=player,
            unit=ledger_pb.UNIT_COINS,
            amount=COINS,
            reason="for the demo",
        )
        operator = self.by("demo", Role.OPERATOR)
        await self.services.ledger.Grant(grant, metadata=operator, timeout=10)
        request = pb.RegisterRequest(tournament_id=self.tournament_id, command_id="enter")
        while True:
            try:
                await self.tournaments.Register(request, metadata=self.by(player), timeout=20)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _AWAY:
                    raise
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return

    async def _follow(self, player: str) -> pb.Tournament:
        """Follow the tournament to its end, and sit down wherever one is asked to."""
        request = pb.WatchTournamentRequest(tournament_id=self.tournament_id)
        last = pb.Tournament()
        async with asyncio.TaskGroup() as group:
            while not last.status.settled:
                try:
                    stream = self.tournaments.WatchTournament(request, metadata=self.by(player))
                    async for seen in stream:
                        last = seen.tournament
                        self._sit(group, player, seen.own.table_id)
                except grpc.aio.AioRpcError as error:
                    if error.code() not in {*_AWAY, grpc.StatusCode.CANCELLED}:
                        raise
                await asyncio.sleep(RETRY_SECONDS)
        return last

    def _sit(self, group: asyncio.TaskGroup, player: str, table_id: str) -> None:
        seated = self.tables.setdefault(table_id, set()) if table_id else {player}
        if player in seated or player in self.absent:
            return
        seated.add(player)
        client = Player(
            self.services.table,
            token=self.services.issuer.issue(player, Role.PLAYER, ttl_seconds=6 * 3600),
            table_id=table_id,
            policy=self.policy,
            session=secrets.token_hex(4),
        )
        group.create_task(client.play(secrets.token_bytes(16)))
