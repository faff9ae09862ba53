"""Not one byte that leaves the table service tells a seat what it may not know yet."""

import asyncio
import urllib.request
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import nats
import pytest
import pytest_asyncio
from google.protobuf.message import Message
from tests.fixtures.play_stream import told_by
from tests.fixtures.secrecy import Secrets, secrets_of, written_secrets
from tests.fixtures.stack import NAMES, Backend, Game, OwnBackend, backend
from tests.fixtures.stack_checks import settled_once

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.table.v1.table_service_pb2_grpc import TableServiceStub
from meldhall_runtime import Role
from meldhall_table.store.stream import PUBLIC

PUBLIC_TYPES = {f"meldhall.table.v1.{event.__name__}" for event in PUBLIC}
DEBUG = {"MELDHALL_LOG_LEVEL": "debug", "MELDHALL_LOG_FORMAT": "json"}
NOBODY = -1

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OwnBackend]:
    async with backend(tmp_path_factory.mktemp("backend"), DEBUG) as running:
        yield running


class Tap:
    """Stands between a stub and its channel and keeps every byte that comes in."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self.heard: list[tuple[bytes, Message]] = []

    def unary_unary(self, path: str, **options: Any) -> Any:
        return self._channel.unary_unary(path, **self._tapped(options))

    def unary_stream(self, path: str, **options: Any) -> Any:
        return self._channel.unary_stream(path, **self._tapped(options))

    def stream_stream(self, path: str, **options: Any) -> Any:
        return self._channel.stream_stream(path, **self._tapped(options))

    def _tapped(self, options: dict[str, Any]) -> dict[str, Any]:
        parse: Callable[[bytes], Message] = options.pop("response_deserializer")

        def hear(raw: bytes) -> Message:
            message = parse(raw)
            self.heard.append((raw, message))
            return message

        return {**options, "response_deserializer": hear}


def parts(message: Message) -> list[tuple[int, Message]]:
    """Take an answer of the table service apart into what belongs to one version each."""
    match message:
        case pb.JoinResponse():
            return [(message.view.version, message.view)]
        case pb.ActResponse():
            return [(event.version, event) for event in message.events]
        case pb.WatchResponse():
            if message.HasField("go_away"):
                return []
            kind = message.WhichOneof("message")
            content = message.snapshot if kind == "snapshot" else message.event
            return [(content.version, content)]
        case pb.ReadyResponse() | pb.LeaveResponse():
            return []
        case pb.PlayResponse():
            told = told_by(message)
            seen = [one.snapshot if one.HasField("snapshot") else one.event for one in told]
            return [(content.version, content) for content in seen if content.version]
        case _:
            raise AssertionError(f"no player asked for a {type(message).__name__}")


def leaks(secrets: Secrets, viewer: int, heard: Sequence[tuple[bytes, Message]]) -> list[str]:
    """Return everything that a viewer was told too early."""
    found: list[str] = []
    for raw, message in heard:
        of_versions = parts(message)
        for version, part in of_versions:
            found += [f"{version}: {name} {tile}" for name, tile in secrets.unknown(version, viewer, part)]
        if of_versions:
            latest = max(version for version, _ in of_versions)
            found += [
                f"{latest}: bytes {secret.hex()}" for secret in secrets.open_at(latest) if secret in raw
            ]
    return found


async def test_no_seat_is_ever_sent_a_tile_that_it_cannot_know(made: OwnBackend) -> None:
    for name in NAMES:
        await made.give_joker(name, 5)
    for seats in (2, 3, 4):
        names = NAMES[:seats]
        table_id = await made.open_for(*names, rounds=2)
        game, taps, spectator = await tapped_game(made, table_id, names)
        secrets = secrets_of(await made.steps(table_id))
        assert len(secrets.orders) == game.finals[0].match_result.rounds
        assert secrets.drawn > 0
        for seat, tap in enumerate(taps):
            versions = {version for _, message in tap.heard for version, _ in parts(message)}
            assert versions >= set(range(made.version(table_id) - 20, made.version(table_id) + 1))
            assert leaks(secrets, seat, tap.heard) == []
            # The same messages would have told another seat too much, and a spectator as well.
            assert leaks(secrets, (seat + 1) % seats, tap.heard)
            assert leaks(secrets, NOBODY, tap.heard)
        assert len(spectator.heard) > 20
        assert leaks(secrets, NOBODY, spectator.heard) == []


async def tapped_game(made: Backend, table_id: str, names: Sequence[str]) -> tuple[Game, list[Tap], Tap]:
    """Play a table to its end with a tap on every seat, and on an operator who watches."""
    spectator = Tap(made.table_channel)
    stub = tapped_stub(spectator)
    watching = asyncio.create_task(
        drained(stub.Watch(pb.WatchRequest(table_id=table_id), metadata=made.by("op", Role.OPERATOR)))
    )
    taps = [Tap(made.table_channel) for _ in names]
    stubs = [tapped_stub(tap) for tap in taps]
    first = pb.PlayRequest(watch=pb.WatchRequest(table_id=table_id))
    playing = [
        asyncio.create_task(drained(stub.Play(iter_of(first), metadata=made.by(name))))
        for stub, name in zip(stubs, names, strict=True)
    ]
    game = Game(made, table_id, names, stubs)
    async with asyncio.timeout(60):
        await game.finish()
        await asyncio.gather(watching, *playing)
    return game, taps, spectator


def tapped_stub(tap: Tap) -> Any:
    channel: Any = tap
    return TableServiceStub(channel)


async def iter_of(request: pb.PlayRequest) -> AsyncIterator[pb.PlayRequest]:
    """Send a request and keep the stream open."""
    yield request
    await asyncio.Event().wait()


async def drained(call: Any) -> None:
    async for _ in call:
        pass


@asynccontextmanager
async def everything_on_nats(made: Backend) -> AsyncIterator[list[tuple[str, bytes]]]:
    """Hear every message that passes through NATS, whoever it is for."""
    heard: list[tuple[str, bytes]] = []

    async def hear(message: Any) -> None:
        heard.append((message.subject, message.data))

    client = await nats.connect(f"nats://127.0.0.1:{made.ports.nats}")
    await client.subscribe(">", cb=hear)
    await client.flush()
    try:
        yield heard
    finally:
        await client.drain()


async def test_nats_and_logs_and_metrics_never_have_the_deal_a_secret_or_a_drawn_tile(
    made: OwnBackend,
) -> None:
    names = ("eve", "finn", "gus")
    for name in names:
        await made.give_joker(name)
    async with everything_on_nats(made) as heard:
        table_id = await made.open_for(*names, rounds=2)
        game = await made.play(table_id, *names)
        await settled_once(made, game)
    secrets = secrets_of(await made.steps(table_id))
    query = "SELECT type, payload FROM events WHERE stream_id = ?"
    payloads: dict[str, bytes] = dict(made.sql("table", query, table_id))
    metrics = await asyncio.to_thread(read, f"{made.ports.admin('table')}/metrics")
    check_nats(secrets, table_id, heard)
    # What is looked for would be found where it is: in the private events of the log.
    assert secrets.tip in payloads["meldhall.table.v1.SecretsDrawn"]
    assert any(window in payloads["meldhall.table.v1.RoundDealt"] for window in secrets.dealt())

    texts = {path.name: path.read_text() for path in made.data.logs.iterdir()}
    assert {"table.log", "ledger.log"} <= texts.keys()
    assert '"rpc_finished"' in texts["table.log"]
    for name, text in {**texts, "metrics": metrics}.items():
        assert written_secrets(secrets, text) == [], name


def check_nats(secrets: Secrets, table_id: str, heard: Sequence[tuple[str, bytes]]) -> None:
    types: set[str] = set()
    for subject, raw in heard:
        if not subject.startswith("meldhall."):
            # The protocol of JetStream itself: requests and acknowledgements.
            assert [secret for secret in secrets.open_at(0) if secret in raw] == [], subject
            continue
        envelope = EventEnvelope.FromString(raw)
        types.add(envelope.type)
        assert envelope.stream_id == table_id
        assert envelope.type in PUBLIC_TYPES
        event = getattr(events_pb, envelope.type.rpartition(".")[2]).FromString(envelope.payload)
        assert secrets.unknown(envelope.version, NOBODY, event) == []
        assert [secret for secret in secrets.open_at(envelope.version) if secret in raw] == []
    assert types >= {f"meldhall.table.v1.{name}" for name in ("RoundStarted", "RoundEnded", "MatchEnded")}


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own admin port
        return str(answer.read().decode())
