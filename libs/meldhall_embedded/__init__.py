"""The local stack: the data folder, servers of its own, and child processes that are kept running."""

from meldhall_embedded.datadir import DataDir, StackState
from meldhall_embedded.errors import (
    BinaryNotFound,
    BinaryTooOld,
    DataDirInUse,
    EmbeddedError,
    FolderUnusable,
    PortTaken,
    StartFailed,
)
from meldhall_embedded.nats import NatsServer, find_nats_server
from meldhall_embedded.ports import check_port, free_port
from meldhall_embedded.postgres import PostgresServer, find_postgres
from meldhall_embedded.processes import ChildProcess, ProcessSpec
from meldhall_embedded.supervisor import Supervisor

__all__ = [
    "BinaryNotFound",
    "BinaryTooOld",
    "ChildProcess",
    "DataDir",
    "DataDirInUse",
    "EmbeddedError",
    "FolderUnusable",
    "NatsServer",
    "PortTaken",
    "PostgresServer",
    "ProcessSpec",
    "StackState",
    "StartFailed",
    "Supervisor",
    "check_port",
    "find_nats_server",
    "find_postgres",
    "free_port",
]
