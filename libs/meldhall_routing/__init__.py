"""Finds the engine that owns a table, and stays with the table when it moves."""

from meldhall_routing.answers import TableUnreachable
from meldhall_routing.play import PlayStream
from meldhall_routing.router import RoutedStub, TableRouter
from meldhall_routing.search import Patience
from meldhall_routing.shards import shard_of
from meldhall_routing.streams import TableStreams
from meldhall_routing.watch import WatchStream

__all__ = [
    "Patience",
    "PlayStream",
    "RoutedStub",
    "TableRouter",
    "TableStreams",
    "TableUnreachable",
    "WatchStream",
    "shard_of",
]
