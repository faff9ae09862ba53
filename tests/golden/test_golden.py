"""Logs of earlier days fold to what they folded to then."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.table_domain import dealt
from tests.golden.generate import state_hash

from meldhall_eventlog import GENESIS_HASH, event_hash
from meldhall_rules import registry
from meldhall_rules.events import Finish
from meldhall_table.domain import events
from meldhall_table.domain.evolve import evolve
from meldhall_table.domain.state import Table
from meldhall_table.store.decode import decode
from meldhall_table.store.encode import encode

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*/*.json"))
END_REASONS = {
    "rummy101": {Finish.NORMAL, Finish.JOKER, Finish.ONE_TURN, Finish.ONE_TURN_JOKER, Finish.EXHAUSTED},
    "rummy": {Finish.NORMAL, Finish.RUMMY, Finish.VOID},
    "canasta": {Finish.NORMAL, Finish.EXHAUSTED},
    "three_thirteen": {Finish.NORMAL, Finish.EXHAUSTED},
}


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_log_folds_to_the_same_state_for_ever(path: Path) -> None:
    golden = read(path)
    table: Table | None = None
    previous = GENESIS_HASH
    finishes = []
    for version, line in enumerate(golden["events"], 1):
        payload = bytes.fromhex(line["payload"])
        previous = event_hash(previous, golden["stream"], version, line["type"], payload)
        event = decode(line["type"], line["schema"], payload, table.form if table else None)
        assert encode(event).SerializeToString(deterministic=True) == payload
        table = evolve(table, event, line["at_ms"])
        if isinstance(event, events.RoundEnded):
            finishes.append(event.ending.finish.value)
    assert table is not None
    assert previous.hex() == golden["chain_sha256"]
    assert finishes == golden["finishes"]
    assert list(table.totals) == golden["totals"]
    assert state_hash(table) == golden["state_sha256"]


def test_a_field_that_joined_later_changes_the_hash_only_where_it_says_something() -> None:
    table = dealt("anna", "ben")
    assert state_hash(table) == state_hash(replace(table, round_deadline_ms=0))
    assert state_hash(table) != state_hash(replace(table, round_deadline_ms=1))
    assert state_hash(table) != state_hash(replace(table, deadline_ms=table.deadline_ms + 1))


@pytest.mark.parametrize("game", registry.names())
def test_there_are_twenty_golden_rounds_of_every_game_and_one_of_each_end(game: str) -> None:
    finishes = [
        Finish(finish) for path in FILES if path.parent.name == game for finish in read(path)["finishes"]
    ]
    assert len(finishes) >= 20
    assert set(finishes) == END_REASONS[game]


@pytest.mark.parametrize("game", registry.names())
def test_every_version_of_the_rules_has_golden_logs(game: str) -> None:
    versions = {read(path)["rules_version"] for path in FILES if path.parent.name == game}
    assert versions == set(range(1, registry.game(game).rules_version + 1))
