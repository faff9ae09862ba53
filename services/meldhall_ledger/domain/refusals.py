"""What the ledger says no to, as values with stable codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique


@unique
class Code(StrEnum):
    """Why a request was refused. Codes are public and never change their meaning."""

    INSUFFICIENT = "INSUFFICIENT"
    """The account has less to spare than is to be taken; what is held counts as gone."""
    TRANSFER_EXISTS = "TRANSFER_EXISTS"
    """The transfer id was used for something else."""
    RESERVATION_EXISTS = "RESERVATION_EXISTS"
    """The round's jokers were reserved for other seats or players."""
    PENDING_NOT_FOUND = "PENDING_NOT_FOUND"
    """There is no pending transfer with the id that was to be posted or voided."""
    PENDING_POSTED = "PENDING_POSTED"
    """The pending transfer was posted before."""
    PENDING_VOIDED = "PENDING_VOIDED"
    """The pending transfer was voided before."""
    PENDING_EXPIRED = "PENDING_EXPIRED"
    """The pending transfer's time was over before it was posted or voided."""
    EXCEEDS_PENDING = "EXCEEDS_PENDING"
    """More was to be posted than is pending."""
    CORRECTED_NOT_FOUND = "CORRECTED_NOT_FOUND"
    """There is no transfer with the id that a correction is of."""
    TABLE_OVER = "TABLE_OVER"
    """The table plays no further match, so nothing is held for it any more."""
    LINKED_REFUSED = "LINKED_REFUSED"
    """Another transfer of its chain was refused, so none of the chain was posted."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that was refused and changed nothing. ``parameters`` are for the client's own text."""

    code: Code
    detail: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@unique
class FaultCode(StrEnum):
    """Why an event of a table cannot be what a correct table writes."""

    MALFORMED = "MALFORMED"
    """A field is missing or out of its range, or lists that run by seat differ in length."""
    FOREIGN = "FOREIGN"
    """The event speaks of another table than the one whose stream it is in."""
    CHANGES_DIFFER = "CHANGES_DIFFER"
    """The account changes are not what the rules of the game make of the result in this mode."""
    WINNERS_DIFFER = "WINNERS_DIFFER"
    """The winners of a match are not those that its totals allow."""
    UNKNOWN_GAME = "UNKNOWN_GAME"
    """This version does not have the game, so what its results move would be a guess."""
    SETTLED_BEFORE = "SETTLED_BEFORE"
    """Another event of the table has ended this round, or the match, already."""
    NO_HOLD = "NO_HOLD"
    """A joker was spent that nobody holds for the seat, or a match was won whose stakes are not held."""
    TRANSFER_CLASH = "TRANSFER_CLASH"
    """The id that the transfer has to have was used for something else."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An event that is neither posted nor skipped: its stream stops until people have looked at it."""

    code: FaultCode
    detail: str
