"""The reconciler: silent about good books, and every kind of damage has a check that finds it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.fixtures.ledger import arena_won, canasta_won, ended, grant, reservation
from tests.fixtures.orders import POT, coins, given, pending, post, void

from meldhall_ledger.domain.accounts import Unit
from meldhall_ledger.domain.happenings import ArenaOpened, JokerSpent, Numbered
from meldhall_ledger.domain.stakes import Stakes
from meldhall_ledger.store import Ledger
from meldhall_ledger.store.reconcile import CHECKS

PLAYERS = ("ann", "ben")


async def fill(ledger: Ledger) -> None:
    for number, name in enumerate(PLAYERS, 1):
        await ledger.grant(grant(number, name, 5))
        await ledger.grant(grant(10 + number, name, 900, Unit.COINS))
    await ledger.reserve_jokers(reservation("t", 1, *PLAYERS))
    await ledger.apply(Numbered("t", 1, JokerSpent("t", 1, 0, "ann")))
    await ledger.apply(Numbered("t", 2, ended("t", 1, {"ann": 101, "ben": -101})))
    await ledger.reserve_jokers(reservation("t", 2, *PLAYERS))
    await ledger.apply(Numbered("u", 1, canasta_won("u", 0, 1, ("cid", "dan", "", "eve"))))
    await ledger.hold_stakes(Stakes("v", 200, PLAYERS), actor="m")
    await ledger.apply(Numbered("v", 1, ArenaOpened("v", 200, 100, 2)))
    await ledger.apply(Numbered("v", 2, arena_won("v", 0, PLAYERS, 200, 100)))
    await ledger.hold_stakes(Stakes("w", 200, PLAYERS), actor="m")
    orders = (given(21, "ann", 10), pending(22, coins("ann"), POT, 3), pending(23, coins("ann"), POT, 4))
    await ledger.carry_out([(order,) for order in (*orders, post(24, 22, 2))])
    await ledger.carry_out([(pending(25, coins("ann"), POT, 4),), (void(26, 25),)])


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A file: its checks can be turned off to damage it."""
    return f"sqlite:///{tmp_path / 'ledger.sqlite'}"


def damage(url: str, statements: str) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.executescript(statements)


async def test_good_books_have_no_finding(ledger: Ledger) -> None:
    assert await ledger.reconcile() == []
    await fill(ledger)

    assert await ledger.reconcile() == []


DAMAGE = {
    "UPDATE accounts SET posted = posted + 1 WHERE account_id = 'player:ann:points'": {"sum", "balance"},
    "UPDATE postings SET change = change + 1 WHERE account_id = 'player:ben:points'": {
        "balance",
        "running_balance",
        "two_sides",
    },
    "UPDATE postings SET balance = 7 WHERE account_id = 'player:ben:points'": {"running_balance"},
    "DELETE FROM postings WHERE account_id = 'issue:jokers'": {"balance", "two_sides"},
    "UPDATE accounts SET held = 0": {"held"},
    "UPDATE accounts SET lowest = 2000 WHERE account_id = 'player:ann:coins'": {"limit"},
    "UPDATE transfers SET phase = 'pending' WHERE phase = 'single' AND kind = 'rake'": {"moved_early"},
    "UPDATE pendings SET posted = 9 WHERE state = 'posted'": {"resolved"},
    "UPDATE pendings SET state = 'voided', posted = 0 WHERE state = 'posted'": {"resolved"},
    "UPDATE settled_seats SET points = 7 WHERE table_id = 't'": {"settled"},
    "DELETE FROM settlements WHERE table_id = 't'": {"source"},
    "DELETE FROM settlements WHERE table_id = 'v'": {"source"},
    "UPDATE settled_seats SET coins = 7 WHERE table_id = 'v'": {"arena"},
    "UPDATE transfers SET amount = 1 WHERE kind = 'payout'": {"arena", "two_sides"},
    "UPDATE accounts SET posted = 5 WHERE account_id = 'escrow:v:coins'": {"escrow", "sum", "balance"},
    "INSERT INTO inbox VALUES ('w', 1, 1)": {"stakes_of_closed"},
    "UPDATE inbox SET over = 1 WHERE stream_id = 't'": {"jokers_of_closed", "escrow"},
}


@pytest.mark.parametrize(("statements", "checks"), DAMAGE.items())
async def test_damage_is_found_by_its_check(
    ledger: Ledger, url: str, statements: str, checks: set[str]
) -> None:
    await fill(ledger)
    damage(url, statements)

    assert {finding.check for finding in await ledger.reconcile()} == checks


def test_every_check_has_found_something() -> None:
    assert {check for checks in DAMAGE.values() for check in checks} == set(CHECKS)


async def test_a_finding_says_where_and_what(ledger: Ledger, url: str) -> None:
    await fill(ledger)
    damage(url, "INSERT INTO inbox VALUES ('w', 1, 1)")

    first, _ = await ledger.reconcile()

    assert first.detail == "stake of seat 0 at table w is still held"
