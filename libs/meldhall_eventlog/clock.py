"""The database's clock, the only one that leases go by: clocks of machines may differ, this one is shared."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

DatabaseClock = Callable[[Connection], int]
"""Reads Unix time in milliseconds over a connection."""

_NOW_MS: Final = {
    # Not now(), which is when the transaction began: one that waited for a lock would live in the past.
    "postgresql": "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
    # Days since noon of -4713-11-24; 2440587.5 is 1970-01-01.
    "sqlite": "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
}


def now_ms(connection: Connection) -> int:
    """Return the time of the database, as Unix milliseconds."""
    now: int = connection.exec_driver_sql(_NOW_MS[connection.dialect.name]).scalar_one()
    return now
