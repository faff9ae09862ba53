"""`meldhall boards --rebuild`."""

import json
from pathlib import Path

import pytest
from rich.console import Console
from sqlalchemy import update
from tests.fixtures.ledger import ended
from typer.testing import CliRunner

from meldhall_cli.app import app
from meldhall_cli.boards import rebuild_boards
from meldhall_cli.faults import CommandFault
from meldhall_ledger.domain.happenings import Numbered
from meldhall_ledger.store import Ledger, open_database
from meldhall_ledger.store.tables import board_entries


async def run(url: str | None, *, as_json: bool, data: Path | None = None) -> bool:
    console = Console(width=200)
    return await rebuild_boards(data=data, ledger_database=url, as_json=as_json, console=console)


async def test_it_says_what_was_wrong_and_mends_it(
    url: str, ledger: Ledger, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MELDHALL_LEDGER_SEASON_MONTHS", "3")
    await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 10, "ben": -10}), 1_700_000_000_000))
    database = open_database(url)
    try:
        await database.write(
            lambda connection: connection.execute(
                update(board_entries).where(board_entries.c.player_id == "ann").values(score=11)
            )
        )
    finally:
        await database.close()

    assert await run(url, as_json=True)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["results"], told["season_months"]) == (1, 3)
    assert told["entries_mended"] >= 2
    assert await run(url, as_json=False)
    assert "Every place was right." in capsys.readouterr().out


async def test_without_books_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(CommandFault, match="there are no books"):
        await run(None, as_json=True, data=tmp_path)


def test_without_the_flag_it_does_nothing() -> None:
    answer = CliRunner().invoke(app, ["boards"])
    assert answer.exit_code != 0
