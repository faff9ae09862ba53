"""The one statement that SQLite and PostgreSQL need written differently."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert
from sqlalchemy.dialects import postgresql


def insert_if_absent(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless there is one with its primary key; True when it was inserted.

    SQLite's ``INSERT OR IGNORE`` and ``ON CONFLICT`` come after BEFORE INSERT triggers, which refuse
    replacements; its writing transactions have the file for themselves, so looking first is safe. PostgreSQL
    waits for a transaction that is inserting the same key.
    """
    if connection.dialect.name == "sqlite":
        keys = [column == row[column.name] for column in table.primary_key]
        if connection.execute(table.select().where(*keys)).first() is not None:
            return False
        connection.execute(insert(table), row)
        return True
    keyed = postgresql.insert(table).on_conflict_do_nothing(index_elements=list(table.primary_key))
    return connection.execute(keyed, row).rowcount == 1
