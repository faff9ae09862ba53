"""Replaying any round of any game prints it, in words and as JSON."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from tests.golden.test_golden import FILES, read

from meldhall_cli.replay import _JsonLines, _Pages
from meldhall_table.domain import events
from meldhall_table.domain.evolve import evolve
from meldhall_table.domain.state import Table
from meldhall_table.store.decode import decode
from meldhall_table.store.stream import Step


def steps_of(path: Path) -> list[Step]:
    table: Table | None = None
    steps = []
    for version, line in enumerate(read(path)["events"], 1):
        form = table.form if table else None
        event = decode(line["type"], line["schema"], bytes.fromhex(line["payload"]), form)
        table = evolve(table, event, line["at_ms"])
        steps.append(Step(version, line["at_ms"], event, table))
    return steps


def printed(path: Path) -> str:
    out = io.StringIO()
    pages = _Pages(Console(file=out, width=200), hands=True)
    for step in steps_of(path):
        pages.step(step)
    return out.getvalue()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_golden_log_is_printed_to_its_end(path: Path) -> None:
    text = printed(path)
    assert text.count("── round") == len(read(path)["finishes"])
    for finish in read(path)["finishes"]:
        assert f"end {finish}" in text


def test_cards_are_printed_as_cards_and_teams_by_both_partners() -> None:
    folder = FILES[0].parent.parent
    cards = printed(folder / "rummy" / "1-bots-0.json")
    assert "draw R" not in cards
    match = folder / "canasta" / "1-match.json"
    over = next(step.event for step in steps_of(match) if isinstance(step.event, events.MatchEnded))
    (team,) = over.winners
    assert f"won by {over.players[team]}, {over.players[team + 2]}" in printed(match)


def test_json_has_an_object_for_every_version(capsys: pytest.CaptureFixture[str]) -> None:
    path = FILES[0]
    for step in steps_of(path):
        _JsonLines().step(step)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["version"] for line in lines] == list(range(1, len(read(path)["events"]) + 1))
    assert any("discard" in line.get("move", "") for line in lines)
