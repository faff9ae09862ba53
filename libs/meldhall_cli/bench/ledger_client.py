"""The callers of `meldhall bench ledger`: a process that orders transfers and publishes results of rounds.

`python -m meldhall_cli.bench.ledger_client JSON` prints what it measured as one line of JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID, uuid4

import grpc
import nats

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.common.v1.game_pb2 import MODE_QUICK
from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall_cli.bench.meter import quantile
from meldhall_messaging.subjects import Subject
from meldhall_runtime import Role, TokenIssuer

if TYPE_CHECKING:
    from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceAsyncStub

PLAYERS: Final = 10_000
BATCH: Final = 1_000
BATCHES_AT_ONCE: Final = 4
WARM_UP_SECONDS: Final = 1.0
ROUNDS: Final = 10
"""Results of one table, one after another."""

SEATS: Final = 3
TOKEN_SECONDS: Final = 7_200
PATIENCE: Final = 60.0


@dataclass(frozen=True, slots=True)
class LedgerLoad:
    """What the callers do. Times are in seconds."""

    address: str
    nats_url: str
    signing_key: str
    callers: int
    seconds: float
    settlements: int


async def load_ledger(load: LedgerLoad) -> dict[str, float]:
    """Order single transfers, then batches, then have results settled; return what was measured."""
    token = TokenIssuer.from_file(Path(load.signing_key)).issue(
        "bench", Role.SERVICE, ttl_seconds=TOKEN_SECONDS
    )
    metadata = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(load.address) as channel:
        stub: LedgerServiceAsyncStub = LedgerServiceStub(channel)
        numbers = count()

        async def call(orders: Sequence[pb.TransferOrder]) -> None:
            answer = await stub.CreateTransfers(pb.CreateTransfersRequest(orders=orders), metadata=metadata)
            refused = [one for one in answer.verdicts if not one.HasField("accepted")]
            if refused:
                raise RuntimeError(f"the ledger refused an order: {refused[0]}")

        single = await _measure(load.callers, load.seconds, lambda: call([_order(next(numbers))]))
        batch = await _measure(
            BATCHES_AT_ONCE, load.seconds, lambda: call([_order(next(numbers)) for _ in range(BATCH)])
        )
        settlements = await _settle(load, stub, metadata)
    return {
        "single_per_second": len(single) / load.seconds,
        "single_ms_p50": quantile(single, 0.5),
        "single_ms_p99": quantile(single, 0.99),
        "batch_per_second": len(batch) * BATCH / load.seconds,
        "settlements_per_second": settlements,
    }


async def _measure(callers: int, seconds: float, work: Callable[[], Any]) -> list[float]:
    """Have callers work until the time is over; return how long each piece took that ended within it."""
    starts = time.perf_counter() + WARM_UP_SECONDS
    ends = starts + seconds
    times: list[float] = []

    async def caller() -> None:
        while (sent := time.perf_counter()) < ends:
            await work()
            done = time.perf_counter()
            if starts <= done < ends:
                times.append(done - sent)

    await asyncio.gather(*(caller() for _ in range(callers)))
    return times


def _order(number: int) -> pb.TransferOrder:
    """Move a point between two players; points may go below zero, so that nobody has to be paid first."""
    debit, credit = number * 7_919 % PLAYERS, (number * 7_919 + 1) % PLAYERS
    movement = pb.Movement(debit=f"player:p{debit}:points", credit=f"player:p{credit}:points", amount=1)
    return pb.TransferOrder(
        transfer_id=str(uuid4()), kind=pb.TRANSFER_KIND_PAYOUT, reason="bench", move=movement
    )


async def _settle(load: LedgerLoad, stub: "LedgerServiceAsyncStub", metadata: Any) -> float:
    """Publish results of rounds as tables do; return how many were settled a second."""
    connection = await nats.connect(load.nats_url)
    stream = connection.jetstream()
    try:
        started = time.perf_counter()
        for start in range(0, load.settlements, ROUNDS):
            rounds = range(1, min(ROUNDS, load.settlements - start) + 1)
            sent = [
                stream.publish(
                    *_message(f"bench{start}", number), headers={"Nats-Msg-Id": f"bench{start}/{number}"}
                )
                for number in rounds
            ]
            for one in sent:
                await one
        deadline = time.perf_counter() + PATIENCE
        while (
            await stub.CheckSums(pb.CheckSumsRequest(), metadata=metadata)
        ).settled_rounds < load.settlements:
            if time.perf_counter() > deadline:
                raise RuntimeError("the ledger does not settle")
            await asyncio.sleep(0.05)
        return load.settlements / (time.perf_counter() - started)
    finally:
        await connection.close()


def _message(table: str, number: int) -> tuple[str, bytes]:
    players = [f"p{(number * SEATS + seat) * 7 % PLAYERS}" for seat in range(SEATS)]
    changes = [101, -60, -41]
    ended = events_pb.RoundEnded(
        table_id=table,
        game="rummy101",
        mode=MODE_QUICK,
        result=events_pb.RoundResult(round=number, finish=events_pb.FINISH_NORMAL, scores=changes),
        players=players,
        account_changes=changes,
        bots=[False] * SEATS,
    )
    envelope = EventEnvelope(
        event_id=str(UUID(int=hash_of(table, number))),
        stream_id=table,
        version=number,
        sequence=number,
        type=ended.DESCRIPTOR.full_name,
        schema_version=1,
        recorded_at_ms=round(time.time() * 1000),
        payload=ended.SerializeToString(deterministic=True),
    )
    return str(Subject.of("table", 0, table, envelope.type)), envelope.SerializeToString()


def hash_of(table: str, number: int) -> int:
    """Return a number of its own for each result."""
    return int(table.removeprefix("bench")) * ROUNDS + number


if __name__ == "__main__":
    print(json.dumps(asyncio.run(load_ledger(LedgerLoad(**json.loads(sys.argv[1]))))))
