"""The commands of `meldhall`, each as a process, with its exit code and what it says."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from tests.fixtures.command import run_command
from tests.fixtures.stack import NAMES, backend
from tests.fixtures.stack_checks import settled_once

from meldhall.table.v1 import table_events_pb2 as events_pb
from meldhall.table.v1 import table_log_pb2 as log_pb
from meldhall_eventlog.chain import event_hash
from meldhall_runtime import Role, TokenVerifier

pytestmark = pytest.mark.asyncio(loop_scope="module")

V1 = "meldhall.table.v1"
SCENARIOS = Path(__file__).parents[1] / "conformance" / "rummy101"


@dataclass(frozen=True, slots=True)
class Played:
    """A data folder of a stopped stack on which two tables were played."""

    folder: Path
    table: str
    other: str
    moves: int


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("played")
    names = NAMES[:2]
    async with backend(folder) as made:
        table = await made.open_for(*names, rounds=2)
        game = await made.play(table, *names)
        other = await made.open_for("cleo", "dan")
        await settled_once(made, game)
        await made.play(other, "cleo", "dan")
    return Played(folder, table, other, game.moves)


async def test_the_demo_plays_replays_settles_and_says_so_in_json() -> None:
    code, out, err = await run_command("demo", "--rounds", "2", "--players", "2", "--json")
    assert code == 0, err
    summary = json.loads(out.splitlines()[-1])
    assert set(summary) == {
        "rounds",
        "moves",
        "verified_rounds",
        "replay_mismatches",
        "ledger_sum",
        "settled_rounds",
        "seconds",
    }
    assert summary["rounds"] >= 2
    assert summary["verified_rounds"] == summary["settled_rounds"] == summary["rounds"]
    assert summary["replay_mismatches"] == summary["ledger_sum"] == 0
    assert summary["moves"] > 10
    assert summary["seconds"] > 0


async def test_replay_prints_a_round_step_by_step(played: Played) -> None:
    code, out, err = await run_command("replay", f"{played.table}/1", "--data", str(played.folder))
    assert (code, err) == (0, "")
    assert "round 1" in out
    assert "round 2" not in out
    assert all(name in out for name in NAMES[:2])
    code, whole, _ = await run_command("replay", played.table, "--hands", "--data", str(played.folder))
    assert code == 0
    assert "round 2" in whole
    assert "match over" in whole


async def test_replay_as_json_has_a_line_for_every_event_with_open_hands(played: Played) -> None:
    code, out, _ = await run_command("replay", played.table, "--json", "--data", str(played.folder))
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["version"] for line in lines] == list(range(1, len(lines) + 1))
    moves = [line for line in lines if "move" in line]
    assert len(moves) >= played.moves
    assert all(len(line["hands"]) == 2 for line in moves)


@pytest.mark.parametrize(
    ("target", "word"),
    [("nowhere", "nowhere"), ("nowhere/1", "nowhere"), ("{table}/9", "round 9"), ("{table}/x", "number")],
)
async def test_replay_of_what_is_not_there_says_so(played: Played, target: str, word: str) -> None:
    target = target.format(table=played.table)
    code, out, err = await run_command("replay", target, "--data", str(played.folder))
    assert (code, out) == (2, "")
    assert word in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", [("replay", "x"), ("verify",), ("reconcile",)])
async def test_a_folder_without_a_log_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    missing = tmp_path / "nothing"
    code, _, err = await run_command(*command, "--data", str(missing))
    assert code == 2
    assert str(missing) in err
    assert "Traceback" not in err
    assert not missing.exists()


async def test_verify_of_an_unknown_table_is_no_table_that_holds(played: Played) -> None:
    code, _, err = await run_command("verify", "nowhere", "--data", str(played.folder))
    assert code == 2
    assert "nowhere" in err


async def test_verify_finds_that_everything_holds(played: Played) -> None:
    code, out, _ = await run_command("verify", "--data", str(played.folder))
    assert code == 0
    assert "2 tables" in out
    assert "everything holds" in out
    code, out, _ = await run_command("verify", played.table, "--json", "--data", str(played.folder))
    assert code == 0
    line, summary = map(json.loads, out.splitlines())
    assert line["ok"] is True
    assert line["rounds"] == summary["verified_rounds"] >= 2
    assert summary["bad_tables"] == 0


class Forger:
    """Somebody who can write to the log's file, and takes away what guards it."""

    def __init__(self, db: sqlite3.Connection, table: str) -> None:
        self.db = db
        self.table = table
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f'DROP TRIGGER "{name}"')

    def payload(self, kind: str) -> tuple[int, bytes]:
        query = (
            "SELECT version, payload FROM events WHERE stream_id = ? AND type = ? ORDER BY version LIMIT 1"
        )
        version, payload = self.db.execute(query, (self.table, f"{V1}.{kind}")).fetchone()
        return int(version), bytes(payload)

    def write(self, version: int, payload: bytes) -> int:
        self.db.execute(
            "UPDATE events SET payload = ? WHERE stream_id = ? AND version = ?",
            (payload, self.table, version),
        )
        return version

    def chain_again(self) -> None:
        """Compute every hash anew, so that the chain holds over what was forged."""
        before = bytes(32)
        query = "SELECT version, type, payload FROM events WHERE stream_id = ? ORDER BY version"
        for version, kind, payload in self.db.execute(query, (self.table,)).fetchall():
            after = event_hash(before, self.table, version, kind, payload)
            self.db.execute(
                "UPDATE events SET prev_hash = ?, hash = ? WHERE stream_id = ? AND version = ?",
                (before, after, self.table, version),
            )
            before = after


def one_byte(forger: Forger) -> int:
    version, payload = forger.payload("TurnBegan")
    return forger.write(version, payload[:-1] + bytes([payload[-1] ^ 1]))


def a_score(forger: Forger) -> int:
    version, payload = forger.payload("RoundEnded")
    ended = events_pb.RoundEnded.FromString(payload)
    ended.result.scores[0] += 1
    forger.write(version, ended.SerializeToString(deterministic=True))
    forger.chain_again()
    return version


def a_payment(forger: Forger) -> int:
    version, payload = forger.payload("RoundEnded")
    ended = events_pb.RoundEnded.FromString(payload)
    ended.account_changes[0] += 100
    forger.write(version, ended.SerializeToString(deterministic=True))
    forger.chain_again()
    return version


def two_tiles(forger: Forger) -> int:
    version, payload = forger.payload("RoundDealt")
    dealt = log_pb.RoundDealt.FromString(payload)
    dealt.order[0], dealt.order[-1] = dealt.order[-1], dealt.order[0]
    forger.write(version, dealt.SerializeToString(deterministic=True))
    forger.chain_again()
    return version


def a_drawn_tile(forger: Forger) -> int:
    version, payload = forger.payload("StockDrawn")
    drawn = log_pb.StockDrawn.FromString(payload)
    drawn.tile = (drawn.tile + 1) % 106
    forger.write(version, drawn.SerializeToString(deterministic=True))
    forger.chain_again()
    return version


def a_secret(forger: Forger) -> int:
    version, payload = forger.payload("RoundEnded")
    ended = events_pb.RoundEnded.FromString(payload)
    ended.round_secret = bytes(32)
    forger.write(version, ended.SerializeToString(deterministic=True))
    forger.chain_again()
    return version


def a_missing_event(forger: Forger) -> int:
    version, _ = forger.payload("Discarded")
    forger.db.execute("DELETE FROM events WHERE stream_id = ? AND version = ?", (forger.table, version))
    return version


def a_missing_end(forger: Forger) -> int:
    query = "SELECT max(version) FROM events WHERE stream_id = ?"
    ((last,),) = forger.db.execute(query, (forger.table,))
    forger.db.execute("DELETE FROM events WHERE stream_id = ? AND version = ?", (forger.table, last))
    return int(last)


@pytest.mark.parametrize(
    ("forge", "word"),
    [
        (one_byte, "hash"),
        (a_score, "result"),
        (a_payment, "account changes"),
        (two_tiles, "round 1"),
        (a_drawn_tile, "stock"),
        (a_secret, "secret"),
        (a_missing_event, "missing"),
        (a_missing_end, "ends at version"),
    ],
)
async def test_verify_names_table_version_and_difference_of_a_forged_log(
    played: Played, tmp_path: Path, forge: Callable[[Forger], int], word: str
) -> None:
    version = forged(played, tmp_path, forge)
    code, out, _ = await run_command("verify", "--json", "--data", str(tmp_path))
    assert code == 1
    *lines, summary = map(json.loads, out.splitlines())
    (bad,) = (line for line in lines if not line["ok"])
    assert (bad["table"], bad["version"]) == (played.table, version)
    assert word in bad["difference"]
    assert (summary["tables"], summary["bad_tables"]) == (2, 1)


async def test_verify_tells_people_the_same(played: Played, tmp_path: Path) -> None:
    version = forged(played, tmp_path, a_score)
    code, out, _ = await run_command("verify", "--data", str(tmp_path))
    assert code == 1
    assert f"table {played.table}, version {version}: round 1: result: the log says" in out
    assert "1 tables do not hold" in out


def forged(played: Played, folder: Path, forge: Callable[[Forger], int]) -> int:
    """Copy the log into a folder and forge the copy; return the version at which that has to be found."""
    shutil.copytree(played.folder / "db", folder / "db")
    with sqlite3.connect(folder / "db" / "table.sqlite3") as db:
        version = forge(Forger(db, played.table))
    db.close()
    return version


async def test_reconcile_finds_nothing_in_good_books(played: Played) -> None:
    code, out, err = await run_command("reconcile", "--data", str(played.folder))
    assert (code, err) == (0, ""), out
    assert "unsettled" in out
    code, out, _ = await run_command("reconcile", "--json", "--data", str(played.folder))
    assert code == 0
    assert json.loads(out)["findings"] == 0


async def test_reconcile_names_what_differs_from_the_books_and_from_the_log(
    played: Played, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(played.folder, folder)
    with closing(sqlite3.connect(folder / "db" / "ledger.sqlite3")) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute(
            "UPDATE settlements SET table_id = 'nowhere' WHERE table_id = ? AND round = 1", (played.table,)
        )
        db.execute("UPDATE accounts SET posted = posted + 1 WHERE account_id = 'issue:points'")
        db.commit()
    with closing(sqlite3.connect(folder / "db" / "table.sqlite3")) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE events SET recorded_at_ms = recorded_at_ms - 3600000")
        db.commit()

    code, out, _ = await run_command("reconcile", "--json", "--data", str(folder))

    assert code == 1
    *lines, last = [json.loads(line) for line in out.splitlines()]
    found = {(line["check"], line["subject"]) for line in lines}
    assert last["findings"] == len(lines)
    assert {
        ("sum", "points"),
        ("balance", "issue:points"),
        ("unsettled", f"{played.table}/1"),
        ("unheard", "nowhere/1"),
    } <= found


async def test_token_signs_for_one_person_and_one_role(played: Played) -> None:
    verifier = TokenVerifier.from_file(played.folder / "keys" / "auth-public.pem")
    for option, role in (
        ("--player", Role.PLAYER),
        ("--service", Role.SERVICE),
        ("--operator", Role.OPERATOR),
    ):
        code, out, _ = await run_command("token", option, "anna", "--data", str(played.folder))
        assert code == 0
        principal = verifier.verify(out.strip())
        assert (principal.subject, principal.role) == ("anna", role)
    for wrong in ((), ("--player", "anna", "--operator", "anna")):
        code, out, err = await run_command("token", *wrong, "--data", str(played.folder))
        assert (code, out) == (2, "")
        assert "--player" in err


async def test_scenarios_are_run_and_the_one_that_does_not_hold_is_named(tmp_path: Path) -> None:
    good = min(SCENARIOS.glob("*.yaml"))
    bad = tmp_path / "bad.yaml"
    bad.write_text("game: rummy101\ncases:\n  - id: wrong\n    moves: [nonsense]\n")
    code, out, _ = await run_command("scenario", "run", str(good))
    assert code == 0
    assert "0 do not" in out
    code, out, _ = await run_command("scenario", "run", str(good), str(bad))
    assert code == 1
    assert str(bad) in out
    assert "FAIL" in out
    code, _, err = await run_command("scenario", "run", str(tmp_path / "none.yaml"))
    assert code == 2
    assert "none.yaml" in err
    assert "Traceback" not in err


async def test_commands_that_nobody_knows_are_refused() -> None:
    answers = await asyncio.gather(run_command("serve", "kitchen"), run_command("fly"))
    for code, out, err in answers:
        assert (code, out) == (2, "")
        assert "Traceback" not in err
    assert "kitchen" in answers[0][2]


async def test_the_relay_of_a_stopped_stack_has_published_everything_and_takes_a_request(
    played: Played,
) -> None:
    data = ("--data", str(played.folder), "--json")
    code, out, err = await run_command("relay", *data)
    assert code == 0, err
    before = json.loads(out)
    assert (before["relay"], before["holder"], before["left"]) == ("table-engine", None, 0)
    assert before["finished"] is True
    code, out, err = await run_command("relay", "--rebuild-from", "0", *data)
    assert code == 0, err
    assert (json.loads(out)["rebuild_waiting"], json.loads(out)["finished"]) == ("0/0", False)
    code, _, err = await run_command("relay", "--rebuild-from", "yesterday", *data)
    assert code == 2
    assert "takes 0, a number or TRANSACTION/NUMBER" in err


async def test_the_ledger_of_a_good_stack_stands_still_at_nothing(played: Played) -> None:
    data = ("--data", str(played.folder))
    code, out, err = await run_command("poison", "list", *data, "--json")
    assert (code, json.loads(out)) == (0, {"stopped": []}), err
    code, _, err = await run_command("poison", "retry", played.table, *data)
    assert code == 2
    assert f"{played.table} does not stand still" in err
    code, _, err = await run_command("poison", "retry", *data)
    assert code == 2
    assert "name a table, or give --all" in err
