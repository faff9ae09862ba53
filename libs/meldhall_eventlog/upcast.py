"""Reading events of earlier schemas: pure functions from one version's payload to the next one's.

What lies in the log is never rewritten, since hashes are over the stored bytes. A reader brings each payload
up to the version that its code knows, a step at a time. Fields that protobuf only adds need no new version;
one is needed where the meaning of what is there changes.
"""

from collections.abc import Callable, Mapping
from typing import Final

from meldhall_eventlog.errors import EventLogError

FIRST_VERSION: Final = 1

Upcaster = Callable[[bytes], bytes]
"""Turns a payload of one version into the same event's payload of the next, always in the same way."""


class UnknownSchema(EventLogError):
    """An event was written by code that is newer than this one."""

    def __init__(self, type_name: str, schema_version: int, known: int) -> None:
        super().__init__(f"event type {type_name} with schema version {schema_version}; known up to {known}")
        self.type_name = type_name
        self.schema_version = schema_version


class Upcasters:
    """The steps between versions, by type of event.

    Args:
        steps: by type and version, what leads from that version to the next. The version that a type is at
            now is the one after its last step, 1 where it has none.

    Raises:
        ValueError: a step is missing in between.
    """

    def __init__(self, steps: Mapping[tuple[str, int], Upcaster]) -> None:
        self._steps = dict(steps)
        self._current: dict[str, int] = {}
        for type_name, version in sorted(self._steps):
            if version != self.current(type_name):
                raise ValueError(f"{type_name}: no step from version {self.current(type_name)}")
            self._current[type_name] = version + 1

    def current(self, type_name: str) -> int:
        """Return the version in which events of a type are written now."""
        return self._current.get(type_name, FIRST_VERSION)

    def upcast(self, type_name: str, schema_version: int, payload: bytes) -> bytes:
        """Bring a stored payload up to the current version of its type.

        Raises:
            UnknownSchema: it has a later version, or none that ever was.
        """
        current = self.current(type_name)
        if not FIRST_VERSION <= schema_version <= current:
            raise UnknownSchema(type_name, schema_version, current)
        for version in range(schema_version, current):
            payload = self._steps[type_name, version](payload)
        return payload
