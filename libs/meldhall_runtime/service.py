"""``Runtime``: what every service is made of, handed to its ``bind``.

A service is one ``async def bind(runtime)``: it opens what it needs, adds its servicers, checks, tasks and
closers, and returns. The runtime then serves until it is told to stop or a background task fails, drains,
and closes in reverse order.
"""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import grpc
import structlog
from prometheus_client import CollectorRegistry
from structlog.stdlib import BoundLogger

from meldhall_runtime.admin import AdminServer, admin_pages
from meldhall_runtime.auth import AccessTable, Authoriser, Role, TokenIssuer, TokenVerifier
from meldhall_runtime.clock import Clock, SystemClock
from meldhall_runtime.config import ConfigError, ServiceSettings, environment_names, unknown_environment
from meldhall_runtime.grpc_client import open_channel
from meldhall_runtime.grpc_server import AddressUnusable, AddServicer, GrpcServer, bind_fault
from meldhall_runtime.health import Readiness, ReadyCheck
from meldhall_runtime.ids import Ids, SystemIds
from meldhall_runtime.lifetime import Closer, Lifetime
from meldhall_runtime.metrics import RuntimeMetrics
from meldhall_runtime.pipeline import Step
from meldhall_runtime.steps import auth_step, count_step, deadline_step, fault_step, log_step, trace_step
from meldhall_runtime.tracing import Tracing, exporter_from_environment

Bind = Callable[["Runtime"], Awaitable[None]]
"""The composition root of a service."""

READINESS_SECONDS: Final = 1.0
LAG_SECONDS: Final = 0.5
_ANY_ADDRESS: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not listened on


class Runtime:
    """One running service.

    Args:
        name: The role: table, matchmaking, ledger…
        settings: The role's settings.
        clock: Time; the machine's when None.
        ids: Identifiers; the system's when None.
        verifier: Checks tokens; from ``auth_public_key_file`` when None.
        issuer: Signs the service's own tokens; from ``auth_signing_key_file`` when None.

    Attributes:
        log: Bound with service, version and instance.
        instance: Names this one run of the service, for leases and logs.
        serving: Whether it has started and nobody has stopped it.
        draining: Whether it is being stopped: begin nothing new.
        failure: Why the service goes down by itself; empty while it does not.

    Raises:
        ConfigError: There is no key to check tokens with, or a key file is no good.
    """

    def __init__(
        self,
        name: str,
        settings: ServiceSettings,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        verifier: TokenVerifier | None = None,
        issuer: TokenIssuer | None = None,
    ) -> None:
        self.name = name
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self.ids: Ids = ids or SystemIds(self.clock)
        self.version = _version()
        self.instance = f"{name}-{self.ids.table_id()}"
        self.log: BoundLogger = structlog.stdlib.get_logger(f"meldhall.{name}").bind(**self._labels())
        self.metrics = RuntimeMetrics(name, self.version)
        self.tracing = Tracing(name, self.version, self.instance, exporter_from_environment())
        self.readiness = Readiness()
        self.failure = ""
        self.serving = False
        self.draining = False
        self._verifier = verifier or self._verifier_from_file()
        self._tokens = self._token_source(issuer)
        self._stop_wanted = asyncio.Event()
        self._drainers: list[Closer] = []
        self._starters: list[Closer] = []
        self._lifetime = Lifetime(self.log, self.fail, self.metrics.tasks)
        self._server = GrpcServer(
            connection_age_seconds=settings.connection_age_seconds, reflection=settings.reflection
        )
        self._admin = AdminServer(admin_pages(self.readiness, self.metrics, show_metrics=settings.metrics))
        self._port = 0
        self._admin_port = 0

    @property
    def registry(self) -> CollectorRegistry:
        """Where the service declares its own metrics."""
        return self.metrics.registry

    @property
    def port(self) -> int:
        """The real gRPC port. Known before ``bind`` runs."""
        return self._port

    @property
    def admin_port(self) -> int:
        """The real admin port."""
        return self._admin_port

    @property
    def address(self) -> str:
        """host:port under which others reach this service. Known before ``bind`` runs."""
        host = self.settings.advertise or self.settings.host
        if host in _ANY_ADDRESS:
            host = socket.gethostname()
        if host.startswith("[") or host.count(":") == 1:
            return host if host.rpartition(":")[2].isdigit() else f"{host}:{self._port}"
        return f"[{host}]:{self._port}" if ":" in host else f"{host}:{self._port}"

    def add_servicer(self, add: AddServicer, servicer: object, access: AccessTable) -> None:
        """Serve ``servicer``.

        Args:
            add: The generated ``add_XServicer_to_server``.
            servicer: Its methods are asynchronous.
            access: Every one of its methods, by full name, with the roles that may call it.
        """
        self._server.add(add, servicer, access)

    def add_ready_check(self, name: str, check: ReadyCheck, *, required: bool = True) -> None:
        """The service is ready only while ``check`` returns and does not raise a reason for people.

        What is not ``required`` is told by /readyz and in the log, and the service stays ready: it works on
        without it.
        """
        self.readiness.add(name, check, required=required)

    def on_started(self, start: Closer) -> None:
        """Call this once the service serves, such as to begin to claim work. In order of registration."""
        self._starters.append(start)

    def on_drain(self, drain: Closer) -> None:
        """Call this while the service still serves but is to stop: hand work over, end streams. In order."""
        self._drainers.append(drain)

    def on_close(self, close: Closer, name: str = "") -> None:
        """Call this after serving has ended, in reverse order of registration (background tasks included)."""
        self._lifetime.on_close(name or getattr(close, "__qualname__", repr(close)), close)

    def spawn(
        self, name: str, work: Coroutine[Any, Any, None], *, may_end: bool = False
    ) -> asyncio.Task[None]:
        """Run ``work`` in the background until the service closes.

        If it raises, or ends though it may not, the service drains and ends with exit code 1.
        """
        return self._lifetime.spawn(name, work, may_end=may_end)

    def open_channel(self, target: str) -> grpc.aio.Channel:
        """Open a channel to another service, with this service's own token. The caller closes it."""
        return open_channel(target, tokens=self._tokens)

    def channel(self, target: str) -> grpc.aio.Channel:
        """Open a channel to another service, with this service's own token. The runtime closes it."""
        channel = self.open_channel(target)
        self.on_close(partial(channel.close, None), f"channel to {target}")
        return channel

    def fail(self, reason: str, error: BaseException | None = None) -> None:
        """Bring the service down, with exit code 1. The first reason is kept."""
        self.log.error("service_failed", reason=reason, exc_info=error)
        self.failure = self.failure or reason
        self._stop_wanted.set()

    def request_stop(self) -> None:
        """Ask the service to drain and end."""
        self._stop_wanted.set()

    async def wait(self) -> None:
        """Return when the service is to stop."""
        await self._stop_wanted.wait()

    async def start(self, bind: Bind) -> None:
        """Take the ports, ``bind``, and serve. Whatever fails, what was opened is closed.

        Raises:
            RuntimeFault: A port is taken or the set-up is wrong; for people.
        """
        structlog.contextvars.bind_contextvars(**self._labels())
        self.log.info("service_starting", pid=os.getpid())
        for name in unknown_environment(type(self.settings)):
            self.log.warning("setting_unknown", variable=name)
        try:
            await self._open_ports()
            await bind(self)
            await self._server.start(self._steps())
            for start in self._starters:
                await start()
            self.readiness.open()
            self.spawn("readiness", self._watch_readiness())
            self.spawn("loop_lag", self._measure_lag())
        except BaseException:
            await self._server.stop(0)
            await self._lifetime.close()
            raise
        self.serving = True
        self.log.info("service_started", address=self.address, admin_port=self._admin_port)

    async def stop(self) -> bool:
        """Not ready, drain, stop serving, close. Tell whether all of it went well."""
        self.log.info("service_draining")
        self.serving, self.draining = False, True
        ends_at = asyncio.get_running_loop().time() + self.settings.drain_seconds
        self.readiness.close()
        self.metrics.ready.set(0)
        await self._server.set_draining()
        clean = await self._drain(ends_at)
        left = ends_at - asyncio.get_running_loop().time()
        await self._server.stop(max(left, min(1.0, self.settings.drain_seconds)))
        clean = await self._lifetime.close() and clean
        self.log.info("service_stopped", clean=clean)
        return clean

    async def _drain(self, ends_at: float) -> bool:
        clean = True
        for drain in self._drainers:
            try:
                async with asyncio.timeout_at(ends_at):
                    await drain()
            except Exception:
                self.log.exception("drain_failed", what=getattr(drain, "__qualname__", repr(drain)))
                clean = False
        return clean

    async def _open_ports(self) -> None:
        host, kind = self.settings.host, type(self.settings)
        self._port = self._server.bind(host, self.settings.port, environment_names(kind, "port")[0])
        self.on_close(partial(asyncio.to_thread, self.tracing.shutdown), "tracing")
        setting = environment_names(kind, "admin_port")[0]
        try:
            self._admin_port = await self._admin.start(host, self.settings.admin_port)
        except OSError as error:
            fault = bind_fault(host, self.settings.admin_port, setting)
            raise fault or AddressUnusable(f"cannot listen for {setting}: {error.strerror}") from None
        self.on_close(self._admin.stop, "admin server")

    def _steps(self) -> tuple[Step, ...]:
        return (
            trace_step(self.tracing),
            count_step(self.metrics, self.clock),
            log_step(self.log, self.clock),
            fault_step(self.log, self.ids),
            deadline_step(),
            auth_step(Authoriser(self._verifier, self._server.access)),
        )

    async def _watch_readiness(self) -> None:
        before: tuple[str, ...] | None = None
        while True:
            failing = tuple(one.name for one in await self.readiness.report() if one.blocks)
            if failing != before:
                self.metrics.ready.set(not failing)
                await self._server.set_ready(ready=not failing)
                self.log.info("readiness_changed", ready=not failing, failing=failing)
            before = failing
            await asyncio.sleep(READINESS_SECONDS)

    async def _measure_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_SECONDS
            await asyncio.sleep(LAG_SECONDS)
            self.metrics.loop_lag.set(max(0.0, loop.time() - due))

    def _labels(self) -> dict[str, str]:
        return {"service": self.name, "version": self.version, "instance": self.instance}

    def _verifier_from_file(self) -> TokenVerifier:
        path = self.settings.auth_public_key_file
        if path is None:
            names = " or ".join(environment_names(type(self.settings), "auth_public_key_file"))
            raise ConfigError(f"there is no key to check tokens with; set {names} to a PEM file")
        return TokenVerifier.from_file(path, self.clock)

    def _token_source(self, issuer: TokenIssuer | None) -> Callable[[], str] | None:
        path = self.settings.auth_signing_key_file
        if issuer is None and path is not None:
            issuer = TokenIssuer.from_file(path, self.clock)
        return issuer.source(self.name, Role.SERVICE) if issuer else None


def _version() -> str:
    try:
        return version("meldhall")
    except PackageNotFoundError:
        return "unknown"
