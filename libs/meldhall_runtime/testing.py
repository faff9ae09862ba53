"""For tests of services: a service on free ports in this process, a clock set by hand, ids that count up.

Nothing stands in for gRPC, HTTP or tokens: they are the real ones on 127.0.0.1.
"""

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from meldhall_runtime.auth import Principal, Role, TokenIssuer, TokenVerifier
from meldhall_runtime.clock import Clock
from meldhall_runtime.config import ServiceSettings
from meldhall_runtime.grpc_client import open_channel
from meldhall_runtime.ids import Ids, encode_sortable
from meldhall_runtime.service import Bind, Runtime

START_MS: Final = 1_700_000_000_000
_TURNS: Final = 10


class ServiceFailed(AssertionError):
    """A background task of the service under test failed, and the test did not expect it."""


class ManualClock:
    """Time that passes only when it is told to.

    Args:
        start_ms: Unix time at the start, in milliseconds.
    """

    def __init__(self, start_ms: int = START_MS) -> None:
        self._start_ms = start_ms
        self._elapsed_us = 0
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    def now_ms(self) -> int:
        """Unix time in milliseconds."""
        return self._start_ms + self._elapsed_us // 1000

    def monotonic(self) -> float:
        """Seconds since the start."""
        return self._elapsed_us / 1_000_000

    async def sleep(self, seconds: float) -> None:
        """Wait until ``advance`` has passed the time."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        self._count += 1
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed_us + round(seconds * 1_000_000), self._count, sleeper))
        await sleeper

    async def advance(self, seconds: float) -> None:
        """Let time pass, and wake whoever slept in the order of their times, each at its own time."""
        await _let_others_run()
        end = self._elapsed_us + round(seconds * 1_000_000)
        while self._sleepers and self._sleepers[0][0] <= end:
            self._elapsed_us, _, sleeper = heapq.heappop(self._sleepers)
            if not sleeper.done():
                sleeper.set_result(None)
                await _let_others_run()
        self._elapsed_us = end

    def sleepers(self) -> int:
        """How many wait."""
        return sum(not sleeper.done() for _, _, sleeper in self._sleepers)


class SequentialIds:
    """Ids that count up, the same in every run.

    Args:
        start: The first number.
    """

    def __init__(self, start: int = 1) -> None:
        self._next = start

    def event_id(self) -> UUID:
        """The next number as a version 7 UUID."""
        return UUID(int=0x7 << 76 | 0b10 << 62 | self._take())

    def table_id(self) -> str:
        """The next number as a table id."""
        return encode_sortable(self._take())

    def _take(self) -> int:
        self._next += 1
        return self._next - 1


class Keys:
    """A pair of keys that lives in memory.

    Attributes:
        issuer: Signs tokens.
        verifier: Checks them.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        key = Ed25519PrivateKey.generate()
        self.issuer = TokenIssuer(key, clock)
        self.verifier = TokenVerifier(key.public_key(), clock)

    def token(self, subject: str = "player-1", role: Role = Role.PLAYER, *, ttl_seconds: int = 3600) -> str:
        """A token; one that has ended already if ``ttl_seconds`` is negative."""
        return self.issuer.issue(subject, role, ttl_seconds=ttl_seconds)


@dataclass(slots=True)
class RunningService:
    """A service that runs in this process.

    Attributes:
        runtime: Its insides.
        keys: Who signs tokens for it.
        failure_expected: Set it when the test makes a background task fail.
    """

    runtime: Runtime
    keys: Keys
    _stack: AsyncExitStack
    failure_expected: bool = False

    @property
    def address(self) -> str:
        """host:port of gRPC."""
        return f"127.0.0.1:{self.runtime.port}"

    async def channel(self, principal: Principal | None = None) -> grpc.aio.Channel:
        """A channel that calls as ``principal``, or without a token. It is closed with the service."""
        tokens = None
        if principal is not None:
            tokens = self.keys.issuer.source(principal.subject, principal.role)
        return await self._stack.enter_async_context(open_channel(self.address, tokens=tokens))


def player(subject: str = "player-1") -> Principal:
    """Somebody who plays."""
    return Principal(subject, Role.PLAYER)


def service(subject: str = "table") -> Principal:
    """Another service."""
    return Principal(subject, Role.SERVICE)


def operator(subject: str = "operator-1") -> Principal:
    """Somebody who runs the installation."""
    return Principal(subject, Role.OPERATOR)


@asynccontextmanager
async def running_service(
    bind: Bind,
    settings: ServiceSettings | None = None,
    *,
    name: str = "",
    clock: Clock | None = None,
    ids: Ids | None = None,
    keys: Keys | None = None,
) -> AsyncIterator[RunningService]:
    """Run a service on free ports until the block ends; then drain and close it.

    Args:
        bind: The service's composition root.
        settings: Its settings; ports and draining time are replaced by what suits a test.
        name: The role; the settings' section when empty.
        clock: Time; the machine's when None.
        ids: Identifiers; the system's when None.
        keys: Who signs tokens; a new pair when None.

    Raises:
        ServiceFailed: A background task failed, and ``failure_expected`` was not set.
    """
    chosen = (settings or ServiceSettings()).model_copy(
        update={"host": "127.0.0.1", "port": 0, "admin_port": 0, "drain_seconds": 2.0}
    )
    own_keys = keys or Keys()
    role = name or chosen.section or "testing"
    runtime = Runtime(role, chosen, clock=clock, ids=ids, verifier=own_keys.verifier, issuer=own_keys.issuer)
    async with AsyncExitStack() as stack:
        # A task of its own: what the service binds to its context stays out of the test's.
        await asyncio.create_task(runtime.start(bind))
        stack.push_async_callback(_stop, runtime)
        running = RunningService(runtime, own_keys, stack)
        yield running
    if runtime.failure and not running.failure_expected:
        raise ServiceFailed(runtime.failure)


async def _stop(runtime: Runtime) -> None:
    if runtime.serving:
        await runtime.stop()


async def _let_others_run() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)
