"""The checks of secrecy themselves: nothing escapes them because nobody thought of it."""

import pytest
from google.protobuf.message import Message
from tests.fixtures.secrecy import PLAIN_NAMES, TILE_FIELDS, Secrets, numbers_of, written_secrets

from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_service_pb2 as pb


def test_every_number_that_a_message_can_hold_is_known_to_be_a_tile_or_none() -> None:
    kinds: list[type[Message]] = [
        pb.WatchResponse,
        pb.PlayResponse,
        pb.ActResponse,
        pb.JoinResponse,
        pb.LeaveResponse,
        pb.CreateTableResponse,
    ]
    told = numbers_of(
        *(kind.DESCRIPTOR for kind in kinds), *events_pb.DESCRIPTOR.message_types_by_name.values()
    )
    assert told >= TILE_FIELDS
    unclassified = {name for name in told - TILE_FIELDS if name.rpartition(".")[2] not in PLAIN_NAMES}
    assert unclassified == set()


@pytest.mark.parametrize("text", ["tip={hex}", "deal: [{tiles}]", '{{"tile": 7}}', "hand {hand}"])
def test_a_log_that_tells_something_would_be_found_out(text: str) -> None:
    order = tuple((7 * number) % 106 for number in range(106))
    secrets = Secrets(tip=bytes(range(32)), orders=[order])
    written = text.format(
        hex=secrets.tip.hex(), tiles=", ".join(map(str, order[20:30])), hand=str(sorted(order[21:42]))
    )
    assert written_secrets(secrets, written)
