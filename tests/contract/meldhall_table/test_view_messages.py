"""No message for a viewer has a field that could carry another hand, the stock's order or a secret."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from meldhall.table.v1 import table_log_pb2, table_service_pb2, table_view_pb2

TILES_FOR_A_VIEWER = {
    # The viewer's own.
    "meldhall.table.v1.RoundView.own_hand",
    "meldhall.table.v1.OwnHandDealt.tiles",
    # What lies open on the table.
    "meldhall.table.v1.RoundView.discards",
    "meldhall.table.v1.RoundStarted.discards",
    "meldhall.table.v1.LaidMeld.tiles",
    "meldhall.table.v1.LaidOff.tiles",
    "meldhall.table.v1.LaidOff.result",
    # A pile that lay open, bonus threes exposed for a team.
    "meldhall.table.v1.PileTaken.tiles",
    "meldhall.table.v1.TilesExposed.tiles",
    # What was left in the hands when a round was over.
    "meldhall.table.v1.TilesLeft.tiles",
}
"""Every list of tiles that a viewer may be sent: one belongs here only if he may see all that it holds."""

NUMBERS_FOR_A_VIEWER = {
    "meldhall.table.v1.RoundView.hand_sizes",
    "meldhall.table.v1.RoundView.button_used",
    "meldhall.table.v1.RoundView.laid",
    "meldhall.table.v1.TurnBegan.laid",
    "meldhall.table.v1.RoundView.thresholds",
    "meldhall.table.v1.RoundStarted.hand_sizes",
    "meldhall.table.v1.RoundStarted.thresholds",
    "meldhall.table.v1.RoundEnded.account_changes",
    "meldhall.table.v1.RoundEnded.bots",
    "meldhall.table.v1.RoundResult.scores",
    "meldhall.table.v1.RoundResult.totals",
    "meldhall.table.v1.TableView.totals",
    "meldhall.table.v1.MatchEnded.stake_changes",
    "meldhall.table.v1.MatchEnded.account_changes",
    "meldhall.table.v1.MatchEnded.bots",
    "meldhall.table.v1.MatchResult.winners",
    "meldhall.table.v1.MatchResult.totals",
}
"""Lists of numbers that are no tiles."""

BYTES_FOR_A_VIEWER = {
    "meldhall.table.v1.TableView.commitment",
    "meldhall.table.v1.TableView.last_secret",
    "meldhall.table.v1.TableCreated.commitment",
    "meldhall.table.v1.RoundEnded.round_secret",
    "meldhall.table.v1.SeatTaken.client_seed",
    "meldhall.table.v1.SeatView.client_seed",
    "meldhall.table.v1.CreateTableResponse.commitment",
}

ROOTS: list[Any] = [
    table_view_pb2.TableView,
    table_view_pb2.TableEvent,
    table_service_pb2.WatchResponse,
    table_service_pb2.PlayResponse,
    table_service_pb2.ActResponse,
    table_service_pb2.JoinResponse,
    table_service_pb2.LeaveResponse,
    table_service_pb2.CreateTableResponse,
]


def reachable(root: Any, seen: set[str]) -> Iterator[FieldDescriptor]:
    if root.full_name in seen:
        return
    seen.add(root.full_name)
    for field in root.fields:
        yield field
        if field.message_type is not None:
            yield from reachable(field.message_type, seen)


def fields_of_all() -> list[FieldDescriptor]:
    seen: set[str] = set()
    return [field for root in ROOTS for field in reachable(root.DESCRIPTOR, seen)]


def is_tiles(field: FieldDescriptor) -> bool:
    of_tiles = field.message_type is not None and field.message_type.name in {"LaidTile", "PlacedTile"}
    is_number = field.message_type is None and field.type not in {
        FieldDescriptor.TYPE_STRING,
        FieldDescriptor.TYPE_BYTES,
    }
    return field.is_repeated and (of_tiles or is_number)


def test_every_list_of_tiles_is_one_that_the_viewer_may_see() -> None:
    found = {field.full_name for field in fields_of_all() if is_tiles(field)}
    assert found == TILES_FOR_A_VIEWER | NUMBERS_FOR_A_VIEWER


def test_every_secret_is_one_that_was_published() -> None:
    found = {field.full_name for field in fields_of_all() if field.type == FieldDescriptor.TYPE_BYTES}
    assert found == BYTES_FOR_A_VIEWER


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.DESCRIPTOR.name)
def test_no_answer_can_hold_what_is_only_in_the_log(root: type[Message]) -> None:
    private = {message.full_name for message in table_log_pb2.DESCRIPTOR.message_types_by_name.values()}
    held = {
        field.message_type.full_name
        for field in reachable(root.DESCRIPTOR, set())
        if field.message_type is not None
    }
    assert held.isdisjoint(private)


def test_what_another_seat_draws_has_no_field_for_the_tile() -> None:
    assert [field.name for field in table_view_pb2.TileDrawn.DESCRIPTOR.fields] == ["seat"]
    assert list(table_view_pb2.Hidden.DESCRIPTOR.fields) == []
