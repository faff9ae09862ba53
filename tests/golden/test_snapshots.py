"""A state that was written and read back is the same state, at every version of every golden log."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.golden.generate import state_hash

from meldhall_table.domain.evolve import evolve
from meldhall_table.domain.state import Table
from meldhall_table.store import snapshot
from meldhall_table.store.decode import decode

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*/*.json"))

PROBE = """
import hashlib, json, sys
from meldhall_table.domain.evolve import evolve
from meldhall_table.store import snapshot
from meldhall_table.store.decode import decode

digest = hashlib.sha256()
for path in sys.argv[1:]:
    table = None
    with open(path) as file:
        lines = json.load(file)["events"]
    for line in lines:
        payload = bytes.fromhex(line["payload"])
        event = decode(line["type"], line["schema"], payload, table.form if table else None)
        table = evolve(table, event, line["at_ms"])
        if len(lines) - table.version < 20:
            digest.update(snapshot.encode(table))
print(snapshot.FORMAT, digest.hexdigest())
"""


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_log_folds_to_its_end_through_a_snapshot_at_every_version(path: Path) -> None:
    golden = read(path)
    table: Table | None = None
    for line in golden["events"]:
        payload = bytes.fromhex(line["payload"])
        event = decode(line["type"], line["schema"], payload, table.form if table else None)
        folded = evolve(table, event, line["at_ms"])
        # The next event is folded onto what was read back, so that the end is that of a chain of snapshots.
        table = snapshot.decode(snapshot.encode(folded))
        assert table == folded
    assert table is not None
    # Compares types as well, which equality of words and numbers does not.
    assert state_hash(table) == golden["state_sha256"]


def test_neither_hash_seed_nor_optimisation_changes_a_byte() -> None:
    paths = [str(next((FOLDER / game).glob("1-bots-*.json"))) for game in ("canasta", "rummy", "rummy101")]
    found = set()
    for seed, flags in (("0", ()), ("4711", ()), ("1", ("-O",)), ("random", ("-OO",))):
        run = subprocess.run(
            [sys.executable, *flags, "-c", PROBE, *paths],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(run.stdout)
    assert len(found) == 1
    assert found.pop().startswith(f"{snapshot.FORMAT} ")
