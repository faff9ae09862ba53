"""The gRPC server of a service: guarded handlers, health, reflection, keepalive, clear words."""

import asyncio
import errno
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection_pb2_grpc
from grpc_reflection.v1alpha._async import ReflectionServicer

from meldhall_runtime.auth import OPEN_SERVICES, AccessTable, Role
from meldhall_runtime.errors import RuntimeFault
from meldhall_runtime.pipeline import Recorder, Step, wrap_handler

MAX_REQUEST_BYTES: Final = 1 << 20
MAX_ANSWER_BYTES: Final = 4 << 20
READINESS_SERVICE: Final = "readiness"
"""Health service name that follows the readiness checks, for gRPC probes."""

AddServicer = Callable[[Any, Any], None]
"""A generated ``add_XServicer_to_server``."""


class PortTaken(RuntimeFault):
    """Another process listens on the port. ``setting`` names what to change."""

    def __init__(self, host: str, port: int, setting: str) -> None:
        super().__init__(f"port {port} on {host} is taken by another process; free it or set {setting}")
        self.host = host
        self.port = port
        self.setting = setting


class AddressUnusable(RuntimeFault):
    """The address cannot be listened on, for a reason other than another listener."""


class AccessTableWrong(RuntimeFault):
    """Served methods and access table do not name the same methods."""


def server_options(connection_age_seconds: int) -> Sequence[tuple[str, int]]:
    """Channel arguments of the server.

    Without SO_REUSEPORT a second process cannot share the port unnoticed. The ping settings accept our
    clients' keepalive; grpc's own defaults would answer it with GOAWAY ``too_many_pings``. Connections end
    at an age, so that clients find new instances.
    """
    options = [
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
        ("grpc.max_send_message_length", MAX_ANSWER_BYTES),
        ("grpc.max_metadata_size", 16 * 1024),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
        ("grpc.http2.max_ping_strikes", 3),
    ]
    if connection_age_seconds:
        age = connection_age_seconds * 1000
        options += [("grpc.max_connection_age_ms", age), ("grpc.max_connection_age_grace_ms", age)]
    return tuple(options)


class _Health(HealthServicer):  # type: ignore[misc]
    """grpc's own servicer has no asynchronous ``List``."""

    async def List(self, _request: object, _context: object) -> object:  # noqa: N802 - a method of gRPC
        """Tell the status of everything."""
        found = health_pb2.HealthListResponse()
        for service, status in self._server_status.items():
            found.statuses[service].status = status
        return found


class GrpcServer:
    """Servicers, then a port, then service.

    Args:
        connection_age_seconds: When clients must reconnect; 0 for never.
        reflection: Whether to serve reflection.
    """

    def __init__(self, *, connection_age_seconds: int = 0, reflection: bool = True) -> None:
        self._server = grpc.aio.server(options=server_options(connection_age_seconds))
        self._recorder = Recorder()
        self._access: dict[str, frozenset[Role]] = {}
        self._reflection = reflection
        self._health = _Health()

    @property
    def access(self) -> AccessTable:
        """Method to roles, of all servicers."""
        return self._access

    def bind(self, host: str, port: int, setting: str) -> int:
        """Take the port without serving yet, and return the real one.

        Raises:
            PortTaken: Somebody else has it.
            AddressUnusable: The host is unknown or the port not permitted.
        """
        # Asked first, since grpc only says that it failed, and prints lines of its own to standard error.
        fault = bind_fault(host, port, setting)
        if fault is not None:
            raise fault
        target = f"[{host}]" if ":" in host else host
        try:
            return self._server.add_insecure_port(f"{target}:{port}")
        except RuntimeError as error:
            raise AddressUnusable(f"cannot listen on {host} port {port}: {error}; see {setting}") from None

    def add(self, add: AddServicer, servicer: object, access: AccessTable) -> None:
        """Serve ``servicer``. ``access`` names every one of its methods."""
        add(servicer, self._recorder)
        self._access.update(access)

    async def start(self, steps: Sequence[Step]) -> None:
        """Check the access table, put ``steps`` around every method and serve.

        Raises:
            AccessTableWrong: A method is served without an entry, or an entry names no served method.
        """
        own = list(self._recorder.services)
        _check_access(self._recorder.methods, self._access)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._recorder)
        if self._reflection:
            names = [*self._recorder.services, "grpc.reflection.v1alpha.ServerReflection"]
            reflection_pb2_grpc.add_ServerReflectionServicer_to_server(
                ReflectionServicer(names), self._recorder
            )
        wrapped = {name: wrap_handler(name, one, steps) for name, one in self._recorder.methods.items()}
        for service in self._recorder.services:
            head = f"/{service}/"
            methods = {name.removeprefix(head): one for name, one in wrapped.items() if name.startswith(head)}
            self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, methods),))
        for service in (*own, READINESS_SERVICE):
            await self._health.set(service, health_pb2.HealthCheckResponse.NOT_SERVING)
        await self._server.start()

    async def set_ready(self, *, ready: bool) -> None:
        """Tell health watchers. The overall status "" does not follow: it is SERVING from start to drain."""
        status = health_pb2.HealthCheckResponse
        own = [name for name in self._recorder.services if name not in OPEN_SERVICES]
        for service in (*own, READINESS_SERVICE):
            await self._health.set(service, status.SERVING if ready else status.NOT_SERVING)

    async def set_draining(self) -> None:
        """NOT_SERVING for everything, for good."""
        await self._health.enter_graceful_shutdown()

    async def stop(self, grace: float) -> None:
        """Refuse new calls at once, give open ones ``grace`` seconds, then cancel them."""
        await self._server.stop(grace)
        # Handlers that were cancelled get a turn of the loop to end before anything they use is closed.
        await asyncio.sleep(0)


def bind_fault(host: str, port: int, setting: str) -> RuntimeFault | None:
    """Find out whether an address can be listened on, and why not."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except socket.gaierror as error:
        return AddressUnusable(f"the host {host} is not known: {error.strerror}")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return PortTaken(host, port, setting)
        return AddressUnusable(f"cannot listen on {host} port {port}: {error.strerror}; see {setting}")
    return None


def _check_access(served: Mapping[str, object], access: AccessTable) -> None:
    faults = [
        f"{name} is served but not in the access table" for name in sorted(served.keys() - access.keys())
    ]
    faults += [
        f"{name} is in the access table but not served" for name in sorted(access.keys() - served.keys())
    ]
    if faults:
        raise AccessTableWrong("\n".join(faults))
