"""The tournaments' tables as SQLAlchemy Core sees them. Checks, indices and triggers are in the migrations.

``tournaments`` has a row each: ``version`` is that of its last event, ``seed`` what its lots are drawn from
(nobody is told before the start), ``settled`` whether nothing more is to be done for it.
"""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, LargeBinary, MetaData, Table, Text, text

metadata = MetaData()

tournaments: Final = Table(
    "tournaments",
    metadata,
    Column("tournament_id", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Column("settled", Boolean, nullable=False),
)

# Written out and not bound: SQLite uses a partial index only where it can see that the condition holds.
IS_UNSETTLED: Final = text("NOT tournaments.settled")

events: Final = Table(
    "events",
    metadata,
    Column("tournament_id", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("type", Text, nullable=False),
    Column("payload", Text, nullable=False),
)

receipts: Final = Table(
    "receipts",
    metadata,
    Column("tournament_id", Text, primary_key=True),
    Column("actor", Text, primary_key=True),
    Column("command_id", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
)

seated_tables: Final = Table(
    "seated_tables",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("tournament_id", Text, nullable=False),
)
