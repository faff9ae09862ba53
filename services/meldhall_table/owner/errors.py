"""Why the owner of tables cannot answer. What the rules or the table refuse are values, not errors."""


class OwnerError(Exception):
    """Root of the owner's errors. Each names the table."""

    def __init__(self, table_id: str) -> None:
        super().__init__(f"table {table_id}")
        self.table_id = table_id


class TableUnknown(OwnerError):
    """There is no such table."""


class TableArchived(OwnerError):
    """The table is over, and its events are in an archive and not in the database any more."""


class Draining(OwnerError):
    """This process is being stopped and takes no more commands."""


class Overloaded(OwnerError):
    """Too many calls wait for this table."""


class TooManyTables(OwnerError):
    """This process has as many tables as it may have."""


class TableLost(OwnerError):
    """The table was dropped from memory: the outcome of its last append is unknown, or the log failed."""


class NotOwner(OwnerError):
    """Another engine owns the table, or nobody does at the moment.

    Attributes:
        shard: the table's shard.
        owner_address: host:port of who owns it; empty while nobody does, or nobody is known to.
        owner_epoch: the last epoch under which the shard is known to have been owned, 0 for none.
    """

    def __init__(self, table_id: str, *, shard: int, owner_address: str, owner_epoch: int) -> None:
        super().__init__(table_id)
        self.shard = shard
        self.owner_address = owner_address
        self.owner_epoch = owner_epoch


class CommandReused(OwnerError):
    """The command id belongs to another request."""
