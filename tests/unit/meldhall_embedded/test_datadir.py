"""The data folder: one stack at a time, and what other commands find in it."""

import subprocess
import sys
from pathlib import Path

import pytest

from meldhall_embedded import DataDir, DataDirInUse, StackState

HOLD = """
import sys
from pathlib import Path
from meldhall_embedded import DataDir, StackState
import os
folder = DataDir(Path(sys.argv[1]))
folder.lock()
folder.write_state(StackState(pid=os.getpid(), started_at_ms=5, addresses={"web": "http://127.0.0.1:1"}))
print("locked", flush=True)
sys.stdin.read()
"""


def hold(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_a_second_stack_on_the_folder_is_refused_and_told_the_pid_of_the_first(tmp_path: Path) -> None:
    other = hold(tmp_path / "data")
    try:
        with pytest.raises(DataDirInUse, match=f"in use by process {other.pid}"):
            DataDir(tmp_path / "data").lock()
    finally:
        end(other)


def test_a_killed_stack_leaves_neither_a_lock_nor_a_state_behind(tmp_path: Path) -> None:
    other = hold(tmp_path)
    folder = DataDir(tmp_path)
    running = folder.running()
    assert running is not None
    assert running.pid == other.pid

    end(other)
    assert folder.running() is None
    with folder:
        assert not (tmp_path / "state.json").exists()


def test_the_state_is_what_was_written_and_goes_with_the_stack(tmp_path: Path) -> None:
    folder = DataDir(tmp_path)
    state = StackState(pid=12, started_at_ms=1_700_000_000_000, addresses={"nats": "nats://127.0.0.1:4222"})
    with folder:
        folder.write_state(state)
        assert DataDir(tmp_path).running() == state
    assert DataDir(tmp_path).running() is None
    assert not (tmp_path / "state.json").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1, "started_at_ms": 1, "addresses": []}']
)
def test_a_broken_state_file_is_no_running_stack(tmp_path: Path, text: str) -> None:
    with DataDir(tmp_path) as folder:
        (tmp_path / "state.json").write_text(text, encoding="utf-8")
        assert folder.running() is None


def test_locking_twice_and_releasing_twice_changes_nothing(tmp_path: Path) -> None:
    folder = DataDir(tmp_path)
    folder.lock()
    folder.lock()
    folder.release()
    folder.release()
    with DataDir(tmp_path):
        pass


def test_each_service_has_a_database_of_its_own_and_no_name_leaves_the_folder(tmp_path: Path) -> None:
    folder = DataDir(tmp_path)
    assert folder.database("table") != folder.database("ledger")
    assert folder.database("table").parent.parent == tmp_path
    with pytest.raises(ValueError, match="not a name"):
        folder.database("../table")


def test_only_the_owner_may_read_the_folder(tmp_path: Path) -> None:
    folder = DataDir(tmp_path / "new")
    assert folder.keys.stat().st_mode & 0o077 == 0
    assert folder.path.stat().st_mode & 0o077 == 0
