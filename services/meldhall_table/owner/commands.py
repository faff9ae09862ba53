"""Commands on their way to a table: their id in the log, their receipt, how they are decided and answered."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_eventlog.types import Meta
from meldhall_table.domain.events import Event
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.store.stream import Step

DIGEST_SIZE: Final = 32
_LONGEST_SUBJECT: Final = 63
_LABEL: Final = b"meldhall/command/1"

Decide = Callable[[Table, int], tuple[Event, ...] | Refusal]
"""Answers a command at a table at a time (Unix milliseconds). No events: nothing is to be done."""

Render = Callable[[Table, Sequence[Step]], bytes]
"""Writes the answer: the table after the command, and what the command caused."""


@dataclass(frozen=True, slots=True)
class TableCommand:
    """A command of a caller.

    ``command_id`` is the id under which the log keeps its receipt, ``digest`` says which request of
    which caller it is.
    """

    command_id: str
    digest: bytes
    meta: Meta
    decide: Decide
    render: Render


def stored_id(subject: str, command_id: str) -> str:
    """Return the id that a caller's command goes by in the log.

    It has the caller's name in it, so that the ids of two callers never meet; a long or unprintable name
    is replaced by its hash. Names with a colon could still meet, which is why the digest names the caller
    too.
    """
    if len(subject) > _LONGEST_SUBJECT or not subject.isprintable():
        subject = hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()[:_LONGEST_SUBJECT]
    return f"{subject}:{command_id}"


def digest(subject: str, method: str, body: bytes) -> bytes:
    """Return what tells one request from another: 32 bytes over the caller, the method and the body."""
    parts = (_LABEL, subject.encode("utf-8", "surrogatepass"), method.encode(), body)
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hashlib.sha256(framed).digest()


def response_of(receipt: bytes, wanted: bytes) -> bytes | None:
    """Return the first answer to a command from its receipt; None where it was another request."""
    return receipt[DIGEST_SIZE:] if receipt[:DIGEST_SIZE] == wanted else None
