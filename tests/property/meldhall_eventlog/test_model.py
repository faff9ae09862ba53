"""The log against a model of a few lines: any sequence of appends, claims, repeats and closings."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldhall_eventlog import (
    DuplicateCommand,
    EventLogError,
    Fenced,
    Receipt,
    SqlEventLog,
    StreamClosed,
    UnknownStream,
    WrongVersion,
    verify_stream,
)
from meldhall_eventlog.migrate import upgrade
from meldhall_eventlog.testing import appending, new_event


@dataclass
class Stream:
    epoch: int
    publics: list[bool] = field(default_factory=list)
    receipts: dict[str, Receipt] = field(default_factory=dict)
    closed: bool = False


@dataclass(frozen=True)
class Try:
    """An append whose version and epoch are off by so much from the right ones."""

    stream: int
    version_off: int
    epoch_off: int
    command: str | None
    publics: tuple[bool, ...]


@dataclass(frozen=True)
class Claim:
    stream: int
    epoch: int


@dataclass(frozen=True)
class Close:
    stream: int
    epoch_off: int


Step = Try | Claim | Close
Outcome = type[EventLogError] | Receipt | int | None

streams = st.integers(0, 1)
mostly_right = st.sampled_from([0, 0, 0, 0, -1, 1])
steps = st.one_of(
    st.builds(
        Try,
        streams,
        mostly_right,
        mostly_right,
        st.sampled_from([None, "a", "b", "c"]),
        st.lists(st.booleans(), min_size=1, max_size=4).map(tuple),
    ),
    st.builds(Claim, streams, st.integers(0, 5)),
    st.builds(Close, streams, st.sampled_from([0, 1, -1, 1])),
)


class Model:
    """What the log should say to each step, in the order of its guards."""

    def __init__(self) -> None:
        self.streams: dict[str, Stream] = {}

    def append(
        self, name: str, version: int, epoch: int, command: str | None, publics: tuple[bool, ...]
    ) -> Outcome:
        stream = self.streams.get(name)
        if stream is None:
            if version:
                return WrongVersion
            stream = self.streams[name] = Stream(epoch)
        elif command is not None and command in stream.receipts:
            return stream.receipts[command]
        elif stream.epoch != epoch:
            return Fenced
        elif stream.closed:
            return StreamClosed
        elif len(stream.publics) != version:
            return WrongVersion
        stream.publics.extend(publics)
        last = len(stream.publics)
        if command is not None:
            stream.receipts[command] = Receipt(name, command, version + 1, last, b"%d" % last)
        return last

    def claim(self, name: str, epoch: int) -> Outcome:
        stream = self.streams.get(name)
        if stream is None:
            return None
        if stream.epoch > epoch:
            return Fenced
        stream.epoch = epoch
        return epoch

    def close(self, name: str, epoch: int) -> Outcome:
        stream = self.streams.get(name)
        if stream is None:
            return UnknownStream
        if stream.epoch != epoch:
            return Fenced
        stream.closed = True
        return None


async def take(log: SqlEventLog, name: str, step: Step, version: int, epoch: int) -> Outcome:
    """Take a step in the log; return what it said, an error by its type or a duplicate by its receipt."""
    try:
        match step:
            case Try():
                request = appending(
                    name,
                    *(new_event(public=public) for public in step.publics),
                    after=version,
                    epoch=epoch,
                    command_id=step.command,
                    response=b"%d" % (version + len(step.publics)),
                )
                return (await log.append(request))[-1].version
            case Claim():
                claimed = await log.claim(name, step.epoch)
                return claimed.owner_epoch if claimed else None
            case Close():
                await log.close_stream(name, epoch)
                return None
    except DuplicateCommand as error:
        return error.receipt
    except EventLogError as error:
        return type(error)


async def follow(log: SqlEventLog, model: Model, prefix: str, step: Step) -> None:
    """Take a step in the log and in the model; they must agree."""
    name = f"{prefix}-{step.stream}"
    stream = model.streams.get(name)
    version, epoch = (len(stream.publics), stream.epoch) if stream else (0, 1)
    expected: Outcome
    match step:
        case Try():
            version, epoch = max(0, version + step.version_off), max(0, epoch + step.epoch_off)
            expected = model.append(name, version, epoch, step.command, step.publics)
        case Claim():
            expected = model.claim(name, step.epoch)
        case Close():
            epoch = max(0, epoch + step.epoch_off)
            expected = model.close(name, epoch)
    assert await take(log, name, step, version, epoch) == expected


async def compare(log: SqlEventLog, model: Model) -> None:
    """What lies in the log is what the model has."""
    for name, stream in model.streams.items():
        info = await log.info(name)
        assert info is not None
        assert (info.version, info.public_seq) == (len(stream.publics), sum(stream.publics))
        assert (info.owner_epoch, info.closed) == (stream.epoch, stream.closed)
        events = await log.read_stream(name)
        numbers = count(1)
        assert [event.public_seq for event in events] == [
            next(numbers) if p else None for p in stream.publics
        ]
        assert (await verify_stream(log, name)).hash == info.last_hash
        for command, receipt in stream.receipts.items():
            assert await log.receipt(name, command) == receipt


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def log(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlEventLog]:
    path: Path = tmp_path_factory.mktemp("model") / "log.db"
    upgrade(f"sqlite:///{path}")
    log = runner.run(SqlEventLog.open(f"sqlite:///{path}"))
    yield log
    runner.run(log.close())


prefixes = count()


@settings(max_examples=80, deadline=None)
@given(st.lists(steps, max_size=25))
def test_the_log_answers_as_the_model_does(
    runner: asyncio.Runner, log: SqlEventLog, sequence: list[Step]
) -> None:
    async def example() -> None:
        model, prefix = Model(), f"example-{next(prefixes)}"
        for step in sequence:
            await follow(log, model, prefix, step)
        await compare(log, model)

    runner.run(example())
