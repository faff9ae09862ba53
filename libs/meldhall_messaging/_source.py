"""What a relay needs of a log, and the marks that it keeps there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from meldhall_eventlog.named_leases import LeaseFence
from meldhall_eventlog.types import FIRST, Position, StoredEvent


class RelaySource(Protocol):
    """A log or an outbox that a relay reads. ``meldhall_eventlog.EventLog`` is one."""

    async def read_all(
        self, *, after: Position = FIRST, limit: int = 500, public_only: bool = False
    ) -> Sequence[StoredEvent]:
        """Read a page in commit order, with no event ever skipped by a concurrent commit."""
        ...

    async def count_all(self, *, after: Position = FIRST, public_only: bool = False) -> int:
        """Count what ``read_all`` has after a position."""
        ...

    async def load_checkpoint(self, name: str) -> Position:
        """Return a stored position, ``FIRST`` at first."""
        ...

    async def save_checkpoint(
        self, name: str, position: Position, *, under: LeaseFence | None = None
    ) -> None:
        """Store a position durably, unless ``under`` is somebody else's by now (``LeaseLost``)."""

    async def wait_for_append(self, seconds: float) -> bool:
        """Wait until this process appends something, or at most that long."""
        ...


class Marks:
    """What a relay keeps beside the log, each a checkpoint of its own; plain numbers as the ``seq`` of one.

    The order of writing matters, since a crash may come between any two: the sequence before the position
    (the message found there may then be ahead of the position, which is no loss), and a rebuild's request
    last. Where a fence is given, marks are written under it: a relay that lost its lease writes none.
    """

    def __init__(self, source: RelaySource, name: str, fence: LeaseFence | None) -> None:
        self._source = source
        self._name = name
        self._fence = fence

    async def position(self) -> Position:
        """Return the log position up to which everything is published."""
        return await self._source.load_checkpoint(self._name)

    async def save_position(self, position: Position) -> None:
        """Move the position."""
        await self._save(self._name, position)

    async def sequence(self) -> int:
        """Return where the stream stored the last event, 0 when that is not known."""
        return (await self._source.load_checkpoint(f"{self._name}.sequence")).seq

    async def save_sequence(self, sequence: int) -> None:
        """Remember where the stream stored the last event."""
        await self._save(f"{self._name}.sequence", Position(0, sequence))

    async def generation(self) -> int:
        """Return how often events were published anew on purpose; it becomes part of message ids."""
        return (await self._source.load_checkpoint(f"{self._name}.generation")).seq

    async def begin_generation(self) -> None:
        """Let message ids differ from all that were used before."""
        after = Position(0, await self.generation() + 1)
        await self._save(f"{self._name}.generation", after)

    async def take_rebuild(self) -> Position | None:
        """Carry out a rebuild that was asked for and return where it starts; None when none was."""
        asked = await self._source.load_checkpoint(_rebuild_mark(self._name))
        if not asked.seq:
            return None
        start = Position(asked.tx, asked.seq - 1)
        await self.begin_generation()
        await self.save_position(start)
        await self._save(_rebuild_mark(self._name), FIRST)
        return start

    async def _save(self, mark: str, position: Position) -> None:
        await self._source.save_checkpoint(mark, position, under=self._fence)


@dataclass(frozen=True, slots=True)
class RelayProgress:
    """Where a relay stands: ``left`` public events wait to be published.

    ``rebuild`` is the position that a rebuild was asked from and no relay has begun yet.
    """

    position: Position
    left: int
    rebuild: Position | None


def relay_lease(name: str) -> str:
    """Return the name of the lease that the relays of a name contend for."""
    return f"relay/{name}"


async def relay_progress(source: RelaySource, name: str) -> RelayProgress:
    """Look where the relay of a name stands, from any process."""
    # In this order: a relay stores the position of a rebuild before it takes the request away.
    asked = await source.load_checkpoint(_rebuild_mark(name))
    position = await source.load_checkpoint(name)
    left = await source.count_all(after=position, public_only=True)
    return RelayProgress(position, left, Position(asked.tx, asked.seq - 1) if asked.seq else None)


async def request_rebuild(source: RelaySource, name: str, position: Position = FIRST) -> None:
    """Ask the relay of a name to publish again every event after a position.

    The relay may run in another process, or later: the request lies in the log's database until it is taken.
    """
    if min(position) < 0:
        raise ValueError(f"not a position: {position}")
    # One more than asked for, so that a request from the very start differs from none.
    await source.save_checkpoint(_rebuild_mark(name), Position(position.tx, position.seq + 1))


def _rebuild_mark(name: str) -> str:
    return f"{name}.rebuild"
