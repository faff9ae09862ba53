import json
import zlib
from dataclasses import fields
from typing import Any

import pytest
from tests.fixtures.table_domain import dealt

from meldhall_rules import registry
from meldhall_table.domain.state import Table
from meldhall_table.store import snapshot
from meldhall_table.store.snapshot import SnapshotError

TABLE = dealt("anna", "ben")


def sealed(content: bytes) -> bytes:
    """Bytes as ``encode`` would write them, with any content."""
    packed = zlib.compress(content)
    return snapshot._check(packed) + packed


def test_a_table_that_was_read_back_is_equal_and_so_are_its_bytes() -> None:
    written = snapshot.encode(TABLE)
    again = snapshot.decode(written)
    assert again == TABLE
    assert snapshot.encode(again) == written


def test_one_flipped_bit_anywhere_is_noticed() -> None:
    written = snapshot.encode(TABLE)
    for at in range(len(written)):
        damaged = bytes((*written[:at], written[at] ^ 1 << at % 8, *written[at + 1 :]))
        with pytest.raises(SnapshotError):
            snapshot.decode(damaged)


@pytest.mark.parametrize("length", [0, 1, 8, 9, 100])
def test_a_part_of_a_snapshot_is_noticed(length: int) -> None:
    with pytest.raises(SnapshotError):
        snapshot.decode(snapshot.encode(TABLE)[:length])


@pytest.mark.parametrize("content", [b"", b"\xff", b"{}", b"[]", b"null", b"[1,2", b'["t"]'])
def test_bytes_that_hold_no_table_are_refused(content: bytes) -> None:
    with pytest.raises(SnapshotError):
        snapshot.decode(sealed(content))


def test_a_state_that_is_cut_off_and_sealed_again_is_refused() -> None:
    packed = snapshot.encode(TABLE)[snapshot.CHECK_BYTES :][:-10]
    with pytest.raises(SnapshotError, match="cut off"):
        snapshot.decode(snapshot._check(packed) + packed)


def test_a_state_that_unpacks_without_end_is_refused() -> None:
    with pytest.raises(SnapshotError, match="more than"):
        snapshot.decode(sealed(b" " * (snapshot.MOST_BYTES + 1)))


@pytest.mark.parametrize("place", range(len(fields(Table))))
def test_a_field_of_another_type_is_refused(place: int) -> None:
    row: list[Any] = json.loads(zlib.decompress(snapshot.encode(TABLE)[snapshot.CHECK_BYTES :]))
    row[place] = 1.5
    with pytest.raises(SnapshotError):
        snapshot.decode(sealed(json.dumps(row).encode()))


def test_a_new_version_of_any_rules_makes_another_format(monkeypatch: pytest.MonkeyPatch) -> None:
    class Later:
        name = "rummy101"
        rules_version = 2

    every = registry.every()
    assert snapshot._format(snapshot._CODEC) == snapshot.FORMAT
    monkeypatch.setattr(registry, "every", lambda: (*every, Later()))
    assert snapshot._format(snapshot._CODEC) != snapshot.FORMAT


@pytest.mark.parametrize("game", registry.every(), ids=lambda game: f"{game.name} {game.rules_version}")
def test_the_format_covers_the_state_of_every_game(game: Any) -> None:
    label = f"{game.state_type.__module__}.{game.state_type.__qualname__}("
    assert label in snapshot._CODEC.shape
