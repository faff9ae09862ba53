"""Invitations to friends' tables, and what the list of open tables has to know of a table."""

from dataclasses import dataclass, field, replace
from typing import Final

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O, U, so that a code can be read out and mistyped letters are understood."""

CODE_LENGTH: Final = 10
CODE_BYTES: Final = 7
"""Bytes of chance from which a code is made; 50 of their bits count."""

_MISREAD: Final = str.maketrans({"I": "1", "L": "1", "O": "0", " ": None, "-": None})


@dataclass(frozen=True, slots=True)
class Invite:
    """A friends' table and the code that leads to it. Times are Unix milliseconds.

    ``options`` and ``form`` are the stored messages of the request, for showing them again. ``ended_at_ms``
    is when the code was taken back, or the match was seen to have begun; None while it leads to the table.
    """

    code: str
    table_id: str
    host_id: str
    command_id: str
    digest: bytes
    game: str
    options: bytes
    form: bytes
    seats: int
    listed: bool
    created_at_ms: int
    expires_at_ms: int
    ended_at_ms: int | None = None

    def leads(self, now_ms: int) -> bool:
        """Tell whether the code leads to the table."""
        return self.ended_at_ms is None and now_ms < self.expires_at_ms


@dataclass(frozen=True, slots=True)
class Lobby:
    """A table before its match as its public events tell of it, up to the event of a number."""

    sequence: int = 0
    taken: frozenset[int] = field(default_factory=frozenset)
    locked: bool = False
    over: bool = False

    def sat_down(self, seat: int) -> "Lobby":
        """A seat is taken."""
        return replace(self, taken=self.taken | {seat})

    def stood_up(self, seat: int) -> "Lobby":
        """A seat is free again."""
        return replace(self, taken=self.taken - {seat})

    def open_to_all(self, seats: int) -> bool:
        """Tell whether somebody can still come to a table of so many seats."""
        return not (self.over or self.locked or len(self.taken) >= seats)


def new_code(chance: bytes) -> str:
    """Make a code from ``CODE_BYTES`` bytes of chance."""
    number = int.from_bytes(chance, "big")
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(CODE_LENGTH))


def read_code(typed: str) -> str | None:
    """Return the code that somebody typed, None where it cannot be one."""
    code = typed.upper().translate(_MISREAD)
    fits = len(code) == CODE_LENGTH and all(letter in ALPHABET for letter in code)
    return code if fits else None
