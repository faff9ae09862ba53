"""Subjects: ``meldhall.<area>.<shard>.<entity>.<Event>``.

``area`` is the service that the event belongs to, ``shard`` a number, ``entity`` the id of the stream of
events (a table, a ticket, a tournament) and ``Event`` the last part of the event's type. An id may hold
characters that a subject may not; they are percent-encoded.
"""

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import unquote

from meldhall_messaging.errors import InvalidSubject

ROOT: Final = "meldhall"
ALL: Final = f"{ROOT}.>"
"""Every subject of Meldhall: what the stream of events takes."""

_AREA: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_EVENT: Final = re.compile(r"[A-Z][A-Za-z0-9]{0,63}")
_UNSAFE: Final = re.compile(rb"[^A-Za-z0-9_-]")
_MAX_ENTITY: Final = 256


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of one event. ``str()`` gives what NATS sees."""

    area: str
    shard: int
    entity: str
    event: str

    def __post_init__(self) -> None:
        """Refuse parts that no subject can hold."""
        if not _AREA.fullmatch(self.area):
            raise InvalidSubject(f"not an area: {self.area!r}")
        if self.shard < 0:
            raise InvalidSubject(f"not a shard: {self.shard}")
        if not self.entity or len(self.entity) > _MAX_ENTITY:
            raise InvalidSubject(f"an entity has 1 to {_MAX_ENTITY} characters, not {len(self.entity)}")
        if not _EVENT.fullmatch(self.event):
            raise InvalidSubject(f"not the name of an event: {self.event!r}")

    def __str__(self) -> str:
        return f"{ROOT}.{self.area}.{self.shard}.{_encode(self.entity)}.{self.event}"

    @classmethod
    def of(cls, area: str, shard: int, stream_id: str, event_type: str) -> Self:
        """Make the subject of an event of a type such as ``meldhall.table.v1.RoundEnded``."""
        return cls(area, shard, stream_id, event_type.rpartition(".")[2])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a subject.

        Raises:
            InvalidSubject: it is not of the form, or not written as ``str()`` would.
        """
        tokens = text.split(".")
        if len(tokens) != 5 or tokens[0] != ROOT or not (tokens[2].isascii() and tokens[2].isdigit()):
            raise InvalidSubject(f"not a subject of an event: {text!r}")
        try:
            subject = cls(tokens[1], int(tokens[2]), unquote(tokens[3], errors="strict"), tokens[4])
        except UnicodeDecodeError as error:
            raise InvalidSubject(f"not a subject of an event: {text!r}") from error
        if str(subject) != text:
            raise InvalidSubject(f"not a subject of an event: {text!r}")
        return subject


def area_filter(area: str, shard: int | None = None) -> str:
    """Return the filter for all events of an area, or of one of its shards.

    There is no filter by event: a consumer counts the events of a stream to see that it missed none, so it
    has to see all of them.
    """
    if not _AREA.fullmatch(area):
        raise InvalidSubject(f"not an area: {area!r}")
    if shard is None:
        return f"{ROOT}.{area}.>"
    if shard < 0:
        raise InvalidSubject(f"not a shard: {shard}")
    return f"{ROOT}.{area}.{shard}.>"


def _encode(entity: str) -> str:
    return _UNSAFE.sub(lambda match: b"%%%02X" % match[0][0], entity.encode()).decode("ascii")
