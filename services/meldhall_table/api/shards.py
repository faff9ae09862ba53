"""Telling who owns which shard."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final

import grpc

from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_table.owner.shards import Owner, Shards

EPOCH_KEY: Final = "meldhall-epoch"
"""Trailing metadata: the epoch under which the table was served. A lower one is out of date."""


def tell_epoch(context: grpc.aio.ServicerContext[Any, Any], epoch: int) -> None:
    """Have a call's trailing metadata say under which epoch it was answered."""
    context.set_trailing_metadata(((EPOCH_KEY, str(epoch)),))


async def follow_shards(shards: Shards) -> AsyncGenerator[pb.WatchShardsResponse, None]:
    """Send the owners of all shards, then of those that changed, until the service is stopped."""
    watch = shards.watch()
    try:
        while (changed := await watch.next()) is not None:
            yield _message(changed)
    finally:
        watch.end()


def _message(owners: Mapping[int, Owner]) -> pb.WatchShardsResponse:
    return pb.WatchShardsResponse(
        owners=[
            pb.ShardOwner(shard=shard, address=owner.address, epoch=owner.epoch)
            for shard, owner in sorted(owners.items())
        ]
    )
