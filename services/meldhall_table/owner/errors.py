"""Why the owner of tables cannot answer. What the rules or the table refuse are values, not errors."""


class OwnerError(Exception):
    """Root of the owner's errors. Each names the table."""

    def __init__(self, table_id: str) -> None:
        super().__init__(f"table {table_id}")
        self.table_id = table_id


class TableUnknown(OwnerError):
    """There is no such table."""


class Draining(OwnerError):
    """This process is being stopped and takes no more commands."""


class Overloaded(OwnerError):
    """Too many calls wait for this table."""


class TooManyTables(OwnerError):
    """This process has as many tables as it may have."""


class TableLost(OwnerError):
    """The table was dropped from memory: the outcome of its last append is unknown, or the log failed."""


class NotOwner(OwnerError):
    """Another process owns the table."""


class CommandReused(OwnerError):
    """The command id belongs to another request."""
