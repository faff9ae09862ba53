"""The command `meldhall simulate`: what it prints and writes, and that it is the same everywhere."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from meldhall_cli.faults import CommandFault
from meldhall_cli.scenario import run_scenarios
from meldhall_cli.simulate import option_values, run_simulation
from meldhall_rules.simulate import Simulation, SimulationError

ALL_GAMES = """
import sys
from meldhall_cli.app import app
for game, players in (("canasta", "4"), ("rummy", "2"), ("rummy101", "2"), ("three_thirteen", "2")):
    given = ["--game", game, "--players", players, "--rounds", "2", "--seed", "9", "--jokers", "1"]
    app(["simulate", *given, "--export", sys.argv[1], "--json"], standalone_mode=False)
"""


def simulation(game: str, seats: int, rounds: int = 1, **more: object) -> Simulation:
    given: dict[str, object] = {"seed": 4, "bots": ("strong", "easy"), **more}
    return Simulation(game=game, seats=seats, rounds=rounds, **given)  # type: ignore[arg-type]


def run(
    wanted: Simulation, *, export: Path | None = None, as_json: bool = False, timing: bool = False
) -> tuple[bool, str]:
    console = Console(file=io.StringIO(), width=40)
    good = run_simulation(wanted, export=export, as_json=as_json, timing=timing, console=console)
    assert isinstance(console.file, io.StringIO)
    return good, console.file.getvalue()


def test_the_same_seed_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    said = []
    for hash_seed in ("1", "2"):
        folder = tmp_path / hash_seed
        done = subprocess.run(
            [sys.executable, "-c", ALL_GAMES, str(folder)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "COLUMNS": hash_seed + "0"},
        )
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        assert len(files) == len(done.stdout.splitlines()) * 2 == 8
        assert {"rummy-2p-9-000001.yaml", "rummy-2p-9-000002.yaml"} < set(files)
        said.append((done.stdout, done.stderr, files))
    assert said[0] == said[1]


def test_json_is_one_object_with_everything_that_was_counted(capsys: pytest.CaptureFixture[str]) -> None:
    options = option_values(["allow_all_wild=true"])
    wanted = simulation("three_thirteen", 3, 11, bots=("normal", "easy"), options=options)
    good, _ = run(wanted, as_json=True)
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert good
    assert err == ""
    assert result["options"]["allow_all_wild"] == "true"
    assert (result["game"], result["players"], result["rounds"], result["seed"]) == (
        "three_thirteen",
        3,
        11,
        4,
    )
    assert result["faults"] == 0
    assert sum(result["finishes"].values()) == 11
    assert [bot["bot"] for bot in result["bots"]] == ["normal", "easy"]
    assert sum(bot["played"] for bot in result["bots"]) == 33
    assert result["margin"]["low"] < result["margin"]["mean"] < result["margin"]["high"]
    assert "fewer penalty points" in result["margin"]["sign"]
    assert "moves_per_second" not in result


def test_the_speed_is_in_json_only_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    run(simulation("rummy", 2), as_json=True, timing=True)
    out, err = capsys.readouterr()
    assert json.loads(out)["moves_per_second"] > 0
    assert "moves a second" in err


def test_people_read_wins_finishes_faults_and_the_margin_with_its_sign() -> None:
    _, text = run(simulation("rummy", 2, 4))
    for part in ("wins of 4", "finishes: ", "faults: 0", "margin of strong over easy", "95 %", "positive: "):
        assert part in text


def test_exported_rounds_run_as_scenarios(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    run(simulation("rummy101", 4, 3, jokers=1), export=folder)
    console = Console(file=io.StringIO(), width=200)
    assert run_scenarios([folder], as_json=False, console=console)
    assert isinstance(console.file, io.StringIO)
    assert "3 cases hold, 0 do not" in console.file.getvalue()


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (simulation("whist", 2), "no game 'whist'"),
        (simulation("rummy", 7), "2 to 6 players"),
        (simulation("rummy", 2, bots=("perfect",)), "no bot 'perfect'"),
        (simulation("rummy", 2, options={"aces": "high"}), "no option 'aces'"),
    ],
)
def test_what_cannot_be_simulated_is_said(wanted: Simulation, says: str) -> None:
    with pytest.raises((CommandFault, SimulationError), match=says):
        run(wanted)


def test_a_folder_that_cannot_be_written_is_said() -> None:
    with pytest.raises(CommandFault, match="cannot write"):
        run(simulation("rummy", 2), export=Path("/dev/null/folder"))


def test_an_option_has_a_name_and_a_value() -> None:
    with pytest.raises(CommandFault, match="NAME=VALUE"):
        option_values(["aces"])
