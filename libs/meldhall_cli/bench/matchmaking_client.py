"""The players of `meldhall bench matchmaking`: a process in which each enqueues once.

`python -m meldhall_cli.bench.matchmaking_client JSON` prints what it measured as one line of JSON.
"""

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc

from meldhall.common.v1.game_pb2 import GameOptions, Rummy101Options
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from meldhall_cli.bench.meter import quantile
from meldhall_runtime import Role, TokenIssuer

if TYPE_CHECKING:
    from meldhall.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceAsyncStub

MOST_A_SECOND: Final = 6_000
"""Tokens are made beforehand, for so many players a second."""

WARM_UP_SECONDS: Final = 1.0
CHANNELS: Final = 2
"""To each replica."""

TOKEN_SECONDS: Final = 7_200
SEATS: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class EnqueueLoad:
    """How many call at once, and for how long; times are in seconds."""

    addresses: list[str]
    signing_key: str
    callers: int
    seconds: float


async def load_enqueues(load: EnqueueLoad) -> dict[str, float]:
    """Have players enqueue until the time is over; return how many did a second, and how long each took.

    Raises:
        RuntimeError: there are more than tokens were made for.
    """
    issuer = TokenIssuer.from_file(Path(load.signing_key))
    players = round((load.seconds + WARM_UP_SECONDS) * MOST_A_SECOND)
    tokens = [
        f"Bearer {issuer.issue(f'player-{number}', Role.PLAYER, ttl_seconds=TOKEN_SECONDS)}"
        for number in range(players)
    ]
    requests = [
        pb.EnqueueRequest(command_id="bench", options=GameOptions(rummy101=Rummy101Options()), seats=seats)
        for seats in SEATS
    ]
    channels = [grpc.aio.insecure_channel(address) for address in load.addresses for _ in range(CHANNELS)]
    stubs: list[MatchmakingServiceAsyncStub] = [MatchmakingServiceStub(channel) for channel in channels]
    numbers, times = count(), list[float]()
    starts = time.perf_counter() + WARM_UP_SECONDS
    ends = starts + load.seconds

    async def caller(stub: "MatchmakingServiceAsyncStub") -> None:
        while (sent := time.perf_counter()) < ends:
            number = next(numbers)
            if number >= players:
                raise RuntimeError(f"there are tokens for {players} players only")
            metadata = (("authorization", tokens[number]),)
            await stub.Enqueue(requests[number % len(SEATS)], metadata=metadata)
            done = time.perf_counter()
            if starts <= done < ends:
                times.append(done - sent)

    try:
        await asyncio.gather(*(caller(stubs[number % len(stubs)]) for number in range(load.callers)))
    finally:
        for channel in channels:
            await channel.close()
    return {
        "enqueues_per_second": len(times) / load.seconds,
        "enqueue_ms_p50": quantile(times, 0.5),
        "enqueue_ms_p99": quantile(times, 0.99),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(load_enqueues(EnqueueLoad(**json.loads(sys.argv[1]))))))
