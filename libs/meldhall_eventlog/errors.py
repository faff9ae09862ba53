"""Errors of the log. Each names the stream and what was found there."""

from meldhall_eventlog.types import Receipt


class EventLogError(Exception):
    """Root of every error of the log."""


class InvalidAppend(EventLogError):
    """The append cannot succeed as it is: malformed, or with an event id that is in the log already.

    Nothing was written.
    """


class WrongVersion(EventLogError):
    """Somebody else appended first, or the caller's state is stale."""

    def __init__(self, stream_id: str, *, expected: int, actual: int) -> None:
        super().__init__(f"stream {stream_id} is at version {actual}, not {expected}")
        self.stream_id = stream_id
        self.expected = expected
        self.actual = actual


class Fenced(EventLogError):
    """The stream belongs to another epoch: the caller is not its owner any more."""

    def __init__(self, stream_id: str, *, epoch: int, owner_epoch: int) -> None:
        super().__init__(f"stream {stream_id} belongs to epoch {owner_epoch}, not {epoch}")
        self.stream_id = stream_id
        self.epoch = epoch
        self.owner_epoch = owner_epoch


class DuplicateCommand(EventLogError):
    """The command was answered before; ``receipt`` has the first answer."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__(f"command {receipt.command_id} on stream {receipt.stream_id} was answered before")
        self.receipt = receipt


class StreamClosed(EventLogError):
    """The stream takes no more events."""

    def __init__(self, stream_id: str) -> None:
        super().__init__(f"stream {stream_id} is closed")
        self.stream_id = stream_id


class ChainBroken(EventLogError):
    """A stored event does not follow from the one before it."""

    def __init__(self, stream_id: str, version: int, what: str) -> None:
        super().__init__(f"stream {stream_id} version {version}: {what}")
        self.stream_id = stream_id
        self.version = version
        self.what = what


class NotMigrated(EventLogError):
    """The database is below, or above, the revision that this code needs."""


class UnknownStream(EventLogError):
    """There is no such stream."""

    def __init__(self, stream_id: str) -> None:
        super().__init__(f"there is no stream {stream_id}")
        self.stream_id = stream_id


class StreamArchived(EventLogError):
    """The stream's events lie in an archive file and not in the database any more."""

    def __init__(self, stream_id: str, archive: str) -> None:
        super().__init__(f"stream {stream_id} is ARCHIVED: its events are in the archive file {archive}")
        self.stream_id = stream_id
        self.archive = archive


class ArchiveDamaged(EventLogError):
    """A file of an archive is not what was written."""

    def __init__(self, file: str, what: str) -> None:
        super().__init__(f"archive file {file}: {what}")
        self.file = file
        self.what = what


class LogUnavailable(EventLogError):
    """The database is locked, full, broken or closed.

    An append that failed so may still have been committed: read the stream, or the receipt, before going on.
    """


class LeaseLost(EventLogError):
    """Somebody else holds the lease, or nobody: what the caller wanted to write under it is not written."""

    def __init__(self, name: str, *, epoch: int | None) -> None:
        held = "is not held here" if epoch is None else f"is not held with epoch {epoch} any more"
        super().__init__(f"lease {name} {held}")
        self.name = name
        self.epoch = epoch
