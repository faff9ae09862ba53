"""The declared stream of events and its durable consumers, as plain values."""

from dataclasses import dataclass
from typing import Final

from meldhall_messaging.errors import InvalidSubject
from meldhall_messaging.subjects import ALL, ROOT

EVENTS_STREAM: Final = "MELDHALL_EVENTS"


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """The JetStream stream of events: in files, oldest out first, single messages never deleted.

    It is a cache for distribution. What it forgot or lost comes back from the logs, so ``max_age`` only has
    to be longer than a consumer may be away. ``duplicate_window`` has to be longer than a relay takes to try
    a window again. Times are in seconds.
    """

    name: str = EVENTS_STREAM
    subjects: tuple[str, ...] = (ALL,)
    max_age: float = 14 * 86_400
    duplicate_window: float = 600
    replicas: int = 1
    max_bytes: int = -1


@dataclass(frozen=True, slots=True)
class ConsumerSpec:
    """A durable pull consumer with explicit acknowledgement and no limit on deliveries.

    ``filter_subjects`` name whole areas or shards (``subjects.area_filter``). ``max_ack_pending`` bounds what
    is out for work; each partition that poison stopped keeps one of them. ``ack_wait`` is in seconds.
    """

    durable: str
    filter_subjects: tuple[str, ...]
    ack_wait: float = 30.0
    max_ack_pending: int = 256

    def __post_init__(self) -> None:
        """Refuse filters that hide events of a stream: every stream would look full of gaps."""
        if not self.filter_subjects:
            raise InvalidSubject(f"consumer {self.durable} has no filter")
        for subject in self.filter_subjects:
            if not subject.startswith(f"{ROOT}.") or not subject.endswith(".>"):
                raise InvalidSubject(f"consumer {self.durable}: {subject!r} is no whole area or shard")
