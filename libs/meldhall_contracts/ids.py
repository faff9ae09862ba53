"""Ids that whoever makes a request can know before it is answered."""

import base64
import hashlib
from typing import Final

_TABLE_LABEL: Final = b"meldhall/table/1"
_ID_LENGTH: Final = 26


def table_id_of(subject: str, command_id: str) -> str:
    """Return the id of the table that a caller opens by a command: the same command, the same table.

    26 characters of lower-case base 32 of SHA-256("meldhall/table/1" 0x00 subject 0x00 command id).
    """
    parts = (_TABLE_LABEL, subject.encode("utf-8", "surrogatepass"), command_id.encode())
    hashed = hashlib.sha256(b"\0".join(parts)).digest()
    return base64.b32encode(hashed).decode("ascii").lower()[:_ID_LENGTH]
