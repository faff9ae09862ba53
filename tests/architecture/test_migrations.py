"""Every migration says which code still works on its schema."""

from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in ROOT.glob("*/meldhall_*/*migrations/versions"))


def test_every_owner_of_tables_is_looked_at() -> None:
    assert {folder.parent.name for folder in FOLDERS} >= {
        "meldhall_eventlog",
        "meldhall_ledger",
        "meldhall_matchmaking",
        "meldhall_tournament",
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_every_migration_names_a_floor_and_floors_never_fall(folder: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(folder))
    scripts = list(ScriptDirectory.from_config(config).walk_revisions())[::-1]
    assert [script.revision for script in scripts] == [f"{n:04d}" for n in range(1, len(scripts) + 1)]
    floors = [getattr(script.module, "oldest_code", "") for script in scripts]
    assert "" not in floors, f"{folder}: a migration does not name its oldest_code"
    assert floors == sorted(floors)
    assert all(floor <= script.revision for floor, script in zip(floors, scripts, strict=True))
