"""The checks that the page about the ledger gives to people: nothing in good books, something in bad ones."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.fixtures.ledger import canasta_won, ended, grant, reservation
from tests.fixtures.orders import POT, coins, given, pending, post

from meldhall_ledger.domain.accounts import Unit
from meldhall_ledger.domain.happenings import JokerSpent, Numbered
from meldhall_ledger.domain.transfers import Kind, derived_id
from meldhall_ledger.store import Ledger

PAGE = (Path(__file__).parents[3] / "deploy" / "docs" / "ledger.md").read_text()
SQL = "".join(re.findall(r"```sql\n(.*?)```", PAGE, flags=re.DOTALL))
CHECKS = [statement.strip() for statement in SQL.split(";") if statement.strip()]


async def _fill(ledger: Ledger) -> None:
    await ledger.grant(grant(1, "ann", 2))
    await ledger.grant(grant(2, "ben", -5, Unit.POINTS))
    await ledger.reserve_jokers(reservation("t", 1, "ann"))
    await ledger.apply(Numbered("t", 1, JokerSpent("t", 1, 0, "ann")))
    await ledger.apply(Numbered("t", 2, ended("t", 1, {"ann": 101, "ben": -101, "cid": 0})))
    await ledger.reserve_jokers(reservation("t", 2, "ann"))
    await ledger.apply(Numbered("u", 1, canasta_won("u", 0, 1, ("cid", "dan", "", "eve"))))
    orders = (given(11, "ann", 10), pending(12, coins("ann"), POT, 3), pending(13, coins("ann"), POT, 4))
    await ledger.carry_out([(order,) for order in (*orders, post(14, 12, 2))])


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A file: its checks can be turned off to damage it."""
    return f"sqlite:///{tmp_path / 'ledger.sqlite'}"


def _findings(url: str, damage: str = "") -> list[bool]:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.executescript(damage)
        return [bool(db.execute(check).fetchall()) for check in CHECKS]


async def test_good_books_pass_every_check_of_the_page(ledger: Ledger, url: str) -> None:
    await _fill(ledger)

    assert len(CHECKS) == 6
    assert _findings(url) == [False] * 6


@pytest.mark.parametrize(
    ("damage", "found_by"),
    [
        ("UPDATE accounts SET posted = posted + 1 WHERE account_id = 'player:ann:points'", {0, 1}),
        ("UPDATE postings SET change = change + 1 WHERE account_id = 'player:ben:points'", {1, 2}),
        ("DELETE FROM postings WHERE account_id = 'issue:jokers'", {1, 2}),
        ("UPDATE accounts SET held = 0", {3}),
        ("UPDATE holds SET state = 'pending', resolved_at_ms = NULL", {3}),
        ("UPDATE settled_seats SET points = 7 WHERE table_id = 't' AND seat = 2", {5}),
        ("UPDATE settled_seats SET points = 7 WHERE table_id = 'u' AND seat = 0", {5}),
        ("UPDATE pendings SET state = 'voided' WHERE state = 'posted'", {4}),
        ("UPDATE pendings SET posted = 3 WHERE state = 'posted'", {4}),
        ("UPDATE pendings SET state = 'expired' WHERE state = 'pending'", {3}),
    ],
)
async def test_damaged_books_are_found(ledger: Ledger, url: str, damage: str, found_by: set[int]) -> None:
    await _fill(ledger)

    assert {index for index, found in enumerate(_findings(url, damage)) if found} == found_by


def test_the_ids_on_the_page_are_the_ones_that_are_derived() -> None:
    rows = re.findall(r"^    (\S+)/(\d+)/(round_result|joker_spent)/(\d+)\s+(\S+)$", PAGE, flags=re.MULTILINE)

    assert len(rows) == 2
    for table, round_no, kind, seat, written in rows:
        assert str(derived_id(table, int(round_no), Kind(kind), int(seat))) == written
