"""A shuffle that a player can check.

A match has a chain of secrets, each the SHA-256 of the next. The first is published before the seats add
their own seeds, every other at the end of its round; so nobody, the house included, can choose a deal, and
everybody can deal a finished round again. All chance in the rules comes from here, by key and label.
Source: ``deploy/docs/shuffle.md``.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

PREFIX: Final = b"meldhall/shuffle/1"
SECRET_SIZE: Final = 32
CHAIN_LENGTH: Final = 1024
"""Rounds that a chain lasts for."""

DEAL: Final = "deal"
DEALER: Final = "dealer"

_WORDS: Final = 1 << 32


def reshuffle_label(nth: int) -> str:
    """Return the label of the nth reshuffle of a round, counted from 1."""
    return f"reshuffle/{nth}"


def shuffle_key(round_secret: bytes, seeds: Sequence[bytes]) -> bytes:
    """Return the 32-byte key of a round.

    Args:
        round_secret: the 32 bytes of the round in the chain.
        seeds: what each seat added, in seat order, at most 255 bytes each; empty for a seat that added
        nothing.
    """
    if len(round_secret) != SECRET_SIZE:
        raise ValueError(f"a round secret has {SECRET_SIZE} bytes, not {len(round_secret)}")
    digest = hashlib.sha256(PREFIX + round_secret)
    for seat, seed in enumerate(seeds):
        if len(seed) > 255:
            raise ValueError(f"the seed of seat {seat} has {len(seed)} bytes, more than 255")
        digest.update(bytes((len(seed),)) + seed)
    return digest.digest()


@dataclass(slots=True)
class Stream:
    """An endless stream of words made from a key and a label; each label has a stream of its own."""

    key: bytes
    label: str
    _block: int = field(default=0, init=False)
    _words: list[int] = field(default_factory=list, init=False)

    def word(self) -> int:
        """Return the next four bytes as a number, big-endian."""
        if not self._words:
            message = self.label.encode() + b"\0" + self._block.to_bytes(8, "big")
            block = hmac.digest(self.key, message, "sha256")
            self._block += 1
            self._words = [int.from_bytes(block[at : at + 4], "big") for at in range(28, -1, -4)]
        return self._words.pop()

    def uniform(self, below: int) -> int:
        """Return a number from 0 to ``below`` - 1, each equally likely.

        Words past the last whole multiple of ``below`` would favour the low numbers and are skipped.
        """
        if not 0 < below <= _WORDS:
            raise ValueError(f"uniform below {below}")
        limit = _WORDS - _WORDS % below
        word = self.word()
        while word >= limit:
            word = self.word()
        return word % below


def permutation(key: bytes, label: str, count: int) -> tuple[int, ...]:
    """Shuffle the numbers 0 … count - 1 (Fisher and Yates, from the end)."""
    stream = Stream(key, label)
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        chosen = stream.uniform(last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def first_dealer(key: bytes, seats: int) -> int:
    """Draw the seat that deals, or in games without a dealer starts, the first round of a match."""
    return Stream(key, DEALER).uniform(seats)


def secret_chain(tip: bytes, length: int = CHAIN_LENGTH) -> tuple[bytes, ...]:
    """Return the secrets of a match from the one published first to the tip: ``length`` + 1 of them."""
    chain = [tip]
    for _ in range(length):
        chain.append(hashlib.sha256(chain[-1]).digest())
    return tuple(reversed(chain))


def secret_at(tip: bytes, round_number: int, length: int = CHAIN_LENGTH) -> bytes:
    """Return the secret of a round, 0 for the one that is published before the seats add their seeds."""
    if not 0 <= round_number <= length:
        raise ValueError(f"a chain of {length} has no round {round_number}")
    secret = tip
    for _ in range(length - round_number):
        secret = hashlib.sha256(secret).digest()
    return secret


def verify_secret(previous: bytes, secret: bytes, steps: int = 1) -> bool:
    """Tell whether a published secret leads back to one published ``steps`` rounds earlier."""
    for _ in range(steps):
        secret = hashlib.sha256(secret).digest()
    return hmac.compare_digest(previous, secret)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a round is not what its secret says: the thing, the place in it, and both values."""

    what: str
    place: int
    found: str
    expected: str

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.what}[{self.place}] is {self.found}, should be {self.expected}"


@dataclass(frozen=True, slots=True)
class Published:
    """What a seat knows of the shuffling of a finished round.

    ``commitment`` is the secret published ``steps`` rounds before ``secret``, ``order`` the dealt order and
    ``tiles`` the number of tiles of the game. ``reshuffles`` are, in order, the pile that was shuffled
    (bottom first) and the stock that it became (in drawing order). ``dealer`` is that of the first round of a
    match, None in later ones, where it follows from the round before.
    """

    commitment: bytes
    secret: bytes
    seeds: tuple[bytes, ...]
    order: tuple[int, ...]
    tiles: int
    steps: int = 1
    dealer: int | None = None
    reshuffles: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()


def verify_deal(published: Published) -> Difference | None:
    """Check a finished round against its secret; return the first difference, None when everything fits."""
    if not verify_secret(published.commitment, published.secret, published.steps):
        hashed = secret_at(published.secret, 0, published.steps).hex()
        return Difference("commitment", published.steps, published.commitment.hex(), hashed)
    key = shuffle_key(published.secret, published.seeds)
    if published.dealer is not None:
        drawn = first_dealer(key, len(published.seeds))
        if drawn != published.dealer:
            return Difference("dealer", 0, str(published.dealer), str(drawn))
    dealt = permutation(key, DEAL, published.tiles)
    found = _first_difference("order", published.order, dealt)
    if found is not None:
        return found
    for nth, (pile, stock) in enumerate(published.reshuffles, 1):
        label = reshuffle_label(nth)
        expected = tuple(pile[at] for at in permutation(key, label, len(pile)))
        found = _first_difference(label, stock, expected)
        if found is not None:
            return found
    return None


def _first_difference(what: str, found: Sequence[int], expected: Sequence[int]) -> Difference | None:
    if len(found) != len(expected):
        return Difference(f"{what} length", 0, str(len(found)), str(len(expected)))
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        if one != other:
            return Difference(what, place, str(one), str(other))
    return None
