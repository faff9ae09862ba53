"""Append-only log of events over SQL: versioned streams, one global order, receipts, fences, a hash chain.

``EventLog`` is the port, ``SqlEventLog`` the adapter, ``meldhall_eventlog.testing`` the suite that every
adapter passes. Services that keep tables of their own use ``open_database`` and
``meldhall_eventlog.migrate``.
"""

from meldhall_eventlog.chain import CHAIN_START, ChainLink, event_hash, verify_chain, verify_stream
from meldhall_eventlog.database import Database, GroupCommit
from meldhall_eventlog.errors import (
    ArchiveDamaged,
    ChainBroken,
    DuplicateCommand,
    EventLogError,
    Fenced,
    InvalidAppend,
    LeaseLost,
    LogUnavailable,
    NotMigrated,
    StreamArchived,
    StreamClosed,
    UnknownStream,
    WrongVersion,
)
from meldhall_eventlog.leases import SHARDS, Claimed, Instance, ShardLeases, ShardMap, ShardOwner
from meldhall_eventlog.named_leases import Holding, LeaseFence, NamedLease, who_holds
from meldhall_eventlog.opening import LOG_SCHEMA, make_folder, open_database
from meldhall_eventlog.sql import SqlEventLog
from meldhall_eventlog.store import EventLog, LogReader
from meldhall_eventlog.types import (
    FIRST,
    GENESIS_HASH,
    Append,
    Meta,
    NewEvent,
    Position,
    Receipt,
    Snapshot,
    SnapshotCount,
    StoredEvent,
    StreamInfo,
)
from meldhall_eventlog.upcast import UnknownSchema, Upcasters

__all__ = [
    "CHAIN_START",
    "FIRST",
    "GENESIS_HASH",
    "LOG_SCHEMA",
    "SHARDS",
    "Append",
    "ArchiveDamaged",
    "ChainBroken",
    "ChainLink",
    "Claimed",
    "Database",
    "DuplicateCommand",
    "EventLog",
    "EventLogError",
    "Fenced",
    "GroupCommit",
    "Holding",
    "Instance",
    "InvalidAppend",
    "LeaseFence",
    "LeaseLost",
    "LogReader",
    "LogUnavailable",
    "Meta",
    "NamedLease",
    "NewEvent",
    "NotMigrated",
    "Position",
    "Receipt",
    "ShardLeases",
    "ShardMap",
    "ShardOwner",
    "Snapshot",
    "SnapshotCount",
    "SqlEventLog",
    "StoredEvent",
    "StreamArchived",
    "StreamClosed",
    "StreamInfo",
    "UnknownSchema",
    "UnknownStream",
    "Upcasters",
    "WrongVersion",
    "event_hash",
    "make_folder",
    "open_database",
    "verify_chain",
    "verify_stream",
    "who_holds",
]
