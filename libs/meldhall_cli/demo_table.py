"""One match of the demo: a table, the players at it, and what the ledger made of it."""

import asyncio
import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from meldhall.common.v1 import game_pb2
from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as table_pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_cli.client.player import Player, Policy
from meldhall_routing import RoutedStub
from meldhall_runtime import Role, TokenIssuer

if TYPE_CHECKING:
    from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceAsyncStub

JOKERS_EACH: Final = 2
SETTLED_WITHIN: Final = 60.0
"""Seconds that the ledger has for the rounds of a match after its last move."""

UNIT_NAMES: Final = {
    ledger_pb.UNIT_POINTS: "points",
    ledger_pb.UNIT_JOKERS: "jokers",
    ledger_pb.UNIT_COINS: "coins",
}


@dataclass(frozen=True, slots=True)
class Services:
    """The services that a demo calls, and whose tokens it calls them with."""

    table: RoutedStub
    ledger: "LedgerServiceAsyncStub"
    issuer: TokenIssuer

    def by(self, subject: str, role: Role = Role.PLAYER) -> tuple[tuple[str, str], ...]:
        """Return the metadata of a caller."""
        return (("authorization", f"Bearer {self.issuer.issue(subject, role, ttl_seconds=600)}"),)


class DemoTable:
    """A table whose players are clients of the public API.

    Args:
        services: where it is played.
        game: name of the game.
        rounds: rounds of the match.
        players: pseudonyms, in seat order.
        policy: how they play.
    """

    def __init__(
        self, services: Services, *, game: str, rounds: int, players: Sequence[str], policy: Policy
    ) -> None:
        self._services = services
        self._game = game
        self._rounds = rounds
        self._policy = policy
        self.players = tuple(players)
        self.table_id = ""
        self.clients: list[Player] = []
        self.results: dict[int, events_pb.RoundResult] = {}

    @property
    def view(self) -> view_pb.TableView:
        """The table as the first player saw it last."""
        return self.clients[0].view

    @property
    def moves(self) -> int:
        """Moves that were acknowledged to the players."""
        return sum(client.played.moves for client in self.clients)

    async def play(self, tell: Callable[[int], None]) -> None:
        """Play the match to its end; ``tell`` hears how many rounds are over."""
        await self._give_jokers()
        await self._open()

        def changed(view: view_pb.TableView) -> None:
            if view.last_result.round and view.last_result.round not in self.results:
                result = events_pb.RoundResult()
                result.CopyFrom(view.last_result)
                self.results[result.round] = result
                tell(len(self.results))

        self.clients = [
            self._client(name, changed if seat == 0 else None) for seat, name in enumerate(self.players)
        ]
        async with asyncio.TaskGroup() as group:
            for client in self.clients:
                group.create_task(client.play(secrets.token_bytes(16)))

    async def settled_rounds(self) -> int:
        """Wait for the ledger, and return how many of the rounds it has settled."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + SETTLED_WITHIN
        while True:
            settled = 0
            for number in self.results:
                request = ledger_pb.GetSettlementRequest(table_id=self.table_id, round=number)
                answer = await self._services.ledger.GetSettlement(
                    request, metadata=self._services.by("demo", Role.OPERATOR), timeout=10
                )
                settled += answer.settled
            if settled == len(self.results) or loop.time() > deadline:
                return settled
            await asyncio.sleep(0.1)

    async def balances(self, expected_points: Sequence[int]) -> dict[str, dict[str, int]]:
        """Return each player's balances; waits a while until the points are those expected, by seat."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + SETTLED_WITHIN
        while True:
            found = {name: await self._balances_of(name) for name in self.players}
            points = [found[name]["points"] for name in self.players]
            if points == list(expected_points) or loop.time() > deadline:
                return found
            await asyncio.sleep(0.1)

    async def _balances_of(self, name: str) -> dict[str, int]:
        request = ledger_pb.GetBalancesRequest()
        answer = await self._services.ledger.GetBalances(
            request, metadata=self._services.by(name), timeout=10
        )
        balances = dict.fromkeys(UNIT_NAMES.values(), 0)
        balances.update({UNIT_NAMES[line.unit]: line.posted for line in answer.balances})
        return balances

    def _client(self, name: str, changed: Callable[[view_pb.TableView], None] | None) -> Player:
        return Player(
            self._services.table,
            token=self._services.issuer.issue(name, Role.PLAYER, ttl_seconds=6 * 3600),
            table_id=self.table_id,
            policy=self._policy,
            session=secrets.token_hex(4),
            on_change=changed,
        )

    async def _give_jokers(self) -> None:
        for name in self.players:
            request = ledger_pb.GrantRequest(
                transfer_id=str(uuid.uuid4()),
                player_id=name,
                unit=ledger_pb.UNIT_JOKERS,
                amount=JOKERS_EACH,
                reason="for the demo",
            )
            await self._services.ledger.Grant(
                request, metadata=self._services.by("demo", Role.OPERATOR), timeout=10
            )

    async def _open(self) -> None:
        options = game_pb2.GameOptions()
        getattr(options, self._game).SetInParent()
        request = table_pb.CreateTableRequest(
            command_id=uuid.uuid4().hex,
            options=options,
            format=game_pb2.MatchFormat(mode=game_pb2.MODE_FRIENDS, rounds=self._rounds),
            seats=[table_pb.SeatPlan(reserved_for=name) for name in self.players],
            limits=events_pb.TimeLimits(break_ms=100),
        )
        answer = await self._services.table.CreateTable(
            request, metadata=self._services.by(self.players[0]), timeout=10
        )
        self.table_id = answer.table_id
