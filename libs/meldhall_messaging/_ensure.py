"""Making streams and consumers as declared, however often and whatever is there."""

from typing import Any, Final, Protocol

import nats.js.errors
from nats.js import JetStreamContext, api

from meldhall_messaging.errors import IncompatibleConfig, ServerTooOld
from meldhall_messaging.streams import ConsumerSpec, StreamSpec

MINIMUM_VERSION: Final = (2, 11)
NAME_IN_USE: Final = 10058


class _Version(Protocol):
    @property
    def major(self) -> int: ...

    @property
    def minor(self) -> int: ...


class Connected(Protocol):
    """A client that knows the version of its server."""

    @property
    def connected_server_version(self) -> _Version:
        """The version that the server told at the connect."""
        ...


def check_version(client: Connected) -> None:
    """Refuse a server that lacks features that Meldhall needs.

    Raises:
        ServerTooOld: it does.
    """
    version = client.connected_server_version
    if (version.major, version.minor) < MINIMUM_VERSION:
        needed = ".".join(map(str, MINIMUM_VERSION))
        raise ServerTooOld(
            f"nats-server {version.major}.{version.minor} is too old; {needed} or newer is needed"
        )


async def stream(js: JetStreamContext, spec: StreamSpec) -> None:
    """Create the stream, or change it into what is declared.

    Raises:
        IncompatibleConfig: a setting that cannot be changed differs.
    """
    wanted = api.StreamConfig(
        name=spec.name,
        subjects=list(spec.subjects),
        retention=api.RetentionPolicy.LIMITS,
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.OLD,
        max_age=spec.max_age,
        max_bytes=spec.max_bytes,
        duplicate_window=spec.duplicate_window,
        num_replicas=spec.replicas,
        deny_delete=True,
    )
    try:
        await js.add_stream(wanted)
    except nats.js.errors.BadRequestError as error:
        if error.err_code != NAME_IN_USE:
            raise IncompatibleConfig(f"stream {spec.name}: {error.description}") from error
    else:
        return
    try:
        await js.update_stream(wanted)
    except nats.js.errors.APIError as error:
        if isinstance(error, nats.js.errors.ServiceUnavailableError):
            raise
        found = (await js.stream_info(spec.name)).config
        raise IncompatibleConfig(
            f"stream {spec.name} cannot be changed into what is declared: {error.description} "
            f"({_differences(wanted, found)})"
        ) from error


async def consumer(js: JetStreamContext, stream_name: str, spec: ConsumerSpec) -> None:
    """Create the durable consumer, or change it into what is declared.

    Raises:
        IncompatibleConfig: a setting that cannot be changed differs.
    """
    wanted = api.ConsumerConfig(
        name=spec.durable,
        durable_name=spec.durable,
        filter_subjects=list(spec.filter_subjects),
        deliver_policy=api.DeliverPolicy.ALL,
        ack_policy=api.AckPolicy.EXPLICIT,
        ack_wait=spec.ack_wait,
        max_ack_pending=spec.max_ack_pending,
        max_deliver=-1,
    )
    try:
        await js.add_consumer(stream_name, wanted)
    except nats.js.errors.NotFoundError:
        raise
    except nats.js.errors.APIError as error:
        if isinstance(error, nats.js.errors.ServiceUnavailableError):
            raise
        try:
            found = (await js.consumer_info(stream_name, spec.durable)).config
        except nats.js.errors.NotFoundError:
            found = None
        raise IncompatibleConfig(
            f"consumer {spec.durable} cannot be made as declared: {error.description} "
            f"({_differences(wanted, found)})"
        ) from error


def _differences(wanted: Any, found: Any) -> str:
    if found is None:
        return "there is none yet"
    pairs = []
    for name, value in vars(wanted).items():
        there = getattr(found, name)
        if value is not None and value != there and (value or there):
            pairs.append(f"{name}: declared {_plain(value)}, found {_plain(there)}")
    return "; ".join(pairs) or "no visible difference"


def _plain(value: object) -> object:
    return getattr(value, "value", value)
