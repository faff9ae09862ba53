"""The suite of the leases, on any database that the log lies in."""

from meldhall_eventlog.testing.interleavings import InterleavingCases
from meldhall_eventlog.testing.names import NameCases
from meldhall_eventlog.testing.shards import ShardCases


class LeaseConformance(ShardCases, NameCases, InterleavingCases):
    """Everything that the leases must do on a database."""
