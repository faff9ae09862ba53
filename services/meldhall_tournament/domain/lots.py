"""Lots from the committed seed. Whoever has the seed draws the same ones.

    lot of entrant n = HMAC-SHA256(seed, "meldhall/lot/1" || 0x00 || n in decimal), first 6 bytes, big-endian

The seed is 32 random bytes. Its SHA-256 is public from the announcement on, the seed from the start on.
"""

import hashlib
import hmac
from typing import Final

LABEL: Final = b"meldhall/lot/1\x00"
SEED_BYTES: Final = 32


def commitment(seed: bytes) -> bytes:
    """Return what is published of a seed beforehand."""
    return hashlib.sha256(seed).digest()


def lot(seed: bytes, number: int) -> int:
    """Return an entrant's lot, 0 to 2^48 - 1; the highest is the best."""
    return int.from_bytes(hmac.digest(seed, LABEL + str(number).encode(), "sha256")[:6], "big")
