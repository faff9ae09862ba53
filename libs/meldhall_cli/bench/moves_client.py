"""The players of `meldhall bench moves`: a process that opens tables and plays at all of them over Play.

`python -m meldhall_cli.bench.moves_client JSON` prints what it measured as one line of JSON. The players draw
from the stock and discard what they drew: that is legal at every table and next to nothing to work out, so
that it is the engine who has to work.
"""

import asyncio
import json
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub
from meldhall_cli.bench.meter import Meter, Window, quantile
from meldhall_runtime import Role, TokenIssuer

if TYPE_CHECKING:
    from meldhall.table.v1.table_service_pb2_grpc import TableServiceAsyncStub

DAY_MS: Final = 86_400_000
ROUNDS: Final = 100
JOINING_AT_ONCE: Final = 16
SETTLE_SECONDS: Final = 1.0
TOKEN_SECONDS: Final = 7_200
_CHANCE: Final = secrets.SystemRandom()
"""How long players think, and when they start to."""

DRAW: Final = moves_pb.Move(draw=moves_pb.Draw())


@dataclass(frozen=True, slots=True)
class MovesLoad:
    """What the players do. Times are in seconds; ``server`` is the engine's process id."""

    address: str
    server: int
    signing_key: str
    tables: int
    seats: int
    warm_up: float
    seconds: float
    connections: int


class Board:
    """One table as all of its players know it together: who has been told what, and when to move next.

    Args:
        seats: how many players there are.
        meter: takes the times at which everybody had been told of a move.
        pace: asked for the pause between two moves, in seconds; 0: none.
    """

    def __init__(self, seats: int, meter: Meter, pace: "Pace") -> None:
        self.table_id = ""
        self.meter = meter
        self._pace = pace
        self._reached = [0] * seats
        self._waiting: dict[int, float] = {}
        self._next_at = 0.0
        self._paced = 0.0

    def told(self, seat: int, version: int, now: float) -> None:
        """Note that a seat was told everything up to a version."""
        self._reached[seat] = version
        if self._waiting:
            self._settle(now)

    def acknowledged(self, version: int, sent: float, now: float) -> None:
        """Note that a move was answered with the version after it."""
        window = self.meter.window
        if window is not None:
            window.done += 1
            window.acknowledged.append(now - sent)
        self._waiting[version] = sent
        self._settle(now)

    async def rest(self) -> None:
        """Wait until the table's next move is due."""
        interval = self._pace.interval
        if not interval:
            return
        now = asyncio.get_running_loop().time()
        if interval != self._paced:
            # Tables know nothing of each other: what came out of full speed in step must not stay in step.
            self._paced, self._next_at = interval, now + interval * _CHANCE.random()
        if self._next_at > now:
            await asyncio.sleep(self._next_at - now)
        # From when it was due: a table that is late makes up for it.
        thought = interval * _CHANCE.uniform(0.5, 1.5)
        self._next_at = max(self._next_at, now - interval) + thought

    def _settle(self, now: float) -> None:
        least = min(self._reached)
        for version in [version for version in self._waiting if version <= least]:
            sent = self._waiting.pop(version)
            if self.meter.window is not None:
                self.meter.window.seen.append(now - sent)


@dataclass(slots=True)
class Pace:
    """The mean pause between two moves of a table, in seconds; 0: none."""

    interval: float = 0.0


class Seat:
    """One player at one table.

    Args:
        number: his seat.
        board: the table.
        stub: the engine.
        token: who he is.
    """

    def __init__(self, number: int, board: Board, stub: "TableServiceAsyncStub", token: str) -> None:
        self.stub = stub
        self.metadata = (("authorization", f"Bearer {token}"),)
        self._number = number
        self._board = board
        self._call: Any = None
        self._sent = 0
        self._sent_at = 0.0
        self._newest = 0
        self._drew = False

    def command_id(self) -> str:
        """Return an id that this player has not used."""
        self._sent += 1
        return str(self._sent)

    async def play(self) -> None:
        """Play until the table is closed.

        Raises:
            RuntimeError: a move was refused.
        """
        self._call = self.stub.Play(metadata=self.metadata)
        await self._call.write(pb.PlayRequest(watch=pb.WatchRequest(table_id=self._board.table_id)))
        while (message := await self._call.read()) is not grpc.aio.EOF:
            self._board.meter.saw(message)
            now = asyncio.get_running_loop().time()
            match message.WhichOneof("response"):
                case "event":
                    await self._see(message.event, now)
                case "answer":
                    await self._answered(message.answer, now)
                case "news":
                    for event in message.news.events:
                        await self._see(event, now)
                    for answer in message.news.answers:
                        await self._answered(answer, now)
                case "snapshot":
                    self._board.told(self._number, message.snapshot.version, now)
                    await self._begin(message.snapshot)

    async def _begin(self, view: view_pb.TableView) -> None:
        if view.round.own_hand:
            self._newest = view.round.own_hand[0]
        if view.status == view_pb.TABLE_STATUS_PLAYING and view.round.turn == self._number:
            await self._move(draw=view.round.phase == view_pb.PHASE_DRAW)

    async def _see(self, event: view_pb.TableEvent, now: float) -> None:
        self._board.told(self._number, event.version, now)
        match event.WhichOneof("event"):
            case "own_tile_drawn":
                self._newest = event.own_tile_drawn.tile
            case "own_hand_dealt":
                self._newest = event.own_hand_dealt.tiles[0]
            case "turn_began" if event.turn_began.seat == self._number:
                await self._move(draw=event.turn_began.phase == view_pb.PHASE_DRAW)

    async def _answered(self, answer: pb.CommandAnswer, now: float) -> None:
        if not answer.version:
            raise RuntimeError(f"a move was refused: {answer.refused.reason} {answer.refused.detail}")
        self._board.acknowledged(answer.version, self._sent_at, now)
        if self._drew:
            await self._move(draw=False)

    async def _move(self, *, draw: bool) -> None:
        await self._board.rest()
        self._drew = draw
        move = DRAW if draw else moves_pb.Move(discard=moves_pb.Discard(tile=self._newest))
        request = pb.PlayRequest(act=pb.ActRequest(command_id=self.command_id(), move=move))
        self._board.meter.saw(request)
        self._sent_at = asyncio.get_running_loop().time()
        await self._call.write(request)


class Crowd:
    """Everybody: opens tables, plays at them, opens others when matches end."""

    def __init__(self, load: MovesLoad) -> None:
        self._load = load
        self._meter = Meter()
        self._pace = Pace()
        self._gate = asyncio.Semaphore(JOINING_AT_ONCE)
        self._open = 0
        self._all_open = asyncio.Event()
        self._issuer = TokenIssuer.from_file(Path(load.signing_key))
        self._channels = [
            # One connection each: channels to the same address share one otherwise.
            grpc.aio.insecure_channel(load.address, options=(("bench.connection", number),))
            for number in range(load.connections)
        ]

    async def run(self) -> dict[str, float]:
        """Play at full speed, then at half of the rate that was reached, and return what was measured."""
        load = self._load
        async with asyncio.TaskGroup() as group:
            tables = [group.create_task(self._play(number)) for number in range(load.tables)]
            await self._all_open.wait()
            await asyncio.sleep(load.warm_up)
            full = await self._meter.measure(load.seconds, load.server)
            self._pace.interval = 2 * load.tables / full.per_second
            await asyncio.sleep(SETTLE_SECONDS + self._pace.interval)
            half = await self._meter.measure(load.seconds, load.server)
            for table in tables:
                table.cancel()
        for channel in self._channels:
            await channel.close()
        return _told(full, "") | _told(half, "half_") | {"message_bytes": self._meter.mean_bytes}

    async def _play(self, number: int) -> None:
        matches = 0
        while True:
            board = Board(self._load.seats, self._meter, self._pace)
            names = [f"bench-{number}-{matches}-{seat}" for seat in range(self._load.seats)]
            seats = [self._seat(number, seat, board, name) for seat, name in enumerate(names)]
            async with self._gate:
                await _sit_down(board, seats, names)
            if not matches:
                self._opened()
            async with asyncio.TaskGroup() as group:
                for seat in seats:
                    group.create_task(seat.play())
            matches += 1

    def _opened(self) -> None:
        self._open += 1
        if self._open == self._load.tables:
            self._all_open.set()

    def _seat(self, number: int, seat: int, board: Board, name: str) -> Seat:
        channel = self._channels[number % len(self._channels)]
        token = self._issuer.issue(name, Role.PLAYER, ttl_seconds=TOKEN_SECONDS)
        return Seat(seat, board, TableServiceStub(channel), token)


async def _sit_down(board: Board, seats: list[Seat], names: list[str]) -> None:
    request = pb.CreateTableRequest(
        command_id=seats[0].command_id(),
        options=game_pb2.GameOptions(rummy101=game_pb2.Rummy101Options()),
        format=game_pb2.MatchFormat(mode=game_pb2.MODE_FRIENDS, rounds=ROUNDS),
        seats=[pb.SeatPlan(reserved_for=name) for name in names],
        limits=events_pb.TimeLimits(turn_ms=DAY_MS, break_ms=1, join_ms=DAY_MS, bot_move_ms=1),
    )
    board.table_id = (await seats[0].stub.CreateTable(request, metadata=seats[0].metadata)).table_id
    for seat in seats:
        join = pb.JoinRequest(table_id=board.table_id, command_id=seat.command_id())
        await seat.stub.Join(join, metadata=seat.metadata)


def _told(window: Window, prefix: str) -> dict[str, float]:
    return {
        f"{prefix}moves_per_second": window.per_second,
        f"{prefix}ack_ms_p50": quantile(window.acknowledged, 0.5),
        f"{prefix}ack_ms_p99": quantile(window.acknowledged, 0.99),
        f"{prefix}seen_ms_p50": quantile(window.seen, 0.5),
        f"{prefix}seen_ms_p99": quantile(window.seen, 0.99),
        f"{prefix}engine_cpu_us": window.each(window.server_cpu),
        f"{prefix}client_cpu_us": window.each(window.client_cpu),
    }


async def measure(load: MovesLoad) -> dict[str, float]:
    """Play at full speed, then at half of the rate that was reached, and return what was measured."""
    return await Crowd(load).run()


def main(plan: str) -> None:
    """Run as a process of its own."""
    print(json.dumps(asyncio.run(measure(MovesLoad(**json.loads(plan))))))


if __name__ == "__main__":
    main(sys.argv[1])
