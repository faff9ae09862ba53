import pytest
from sqlalchemy.exc import IntegrityError
from tests.fixtures.ledger import ended, grant, read_books, reservation
from tests.fixtures.orders import POT, coins, given, pending, post

from meldhall_eventlog.opening import is_postgres
from meldhall_ledger.domain.happenings import JokerSpent, Numbered
from meldhall_ledger.store import Ledger, open_database


@pytest.mark.parametrize(
    "statement",
    [
        *(
            f"UPDATE {table} SET {column} = {column}"  # noqa: S608 - names of this test
            for table, column in [
                ("transfers", "amount"),
                ("postings", "change"),
                ("reservations", "claims"),
                ("settlements", "sequence"),
                ("settled_seats", "points"),
            ]
        ),
        *(
            f"DELETE FROM {table}"  # noqa: S608 - names of this test
            for table in (
                "transfers",
                "postings",
                "reservations",
                "settlements",
                "settled_seats",
                "holds",
                "accounts",
                "inbox",
                "pendings",
            )
        ),
        *(
            f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"  # noqa: S608 - names of this test
            for table in (
                "transfers",
                "postings",
                "reservations",
                "settlements",
                "settled_seats",
                "holds",
                "accounts",
                "inbox",
                "pendings",
            )
        ),
        "UPDATE pendings SET state = 'voided' WHERE state = 'posted'",
        "UPDATE pendings SET state = 'pending', resolved_at_ms = NULL, resolved_by = NULL, posted = 0",
        "UPDATE pendings SET expires_at_ms = 1",
        "UPDATE holds SET state = 'pending', resolved_at_ms = NULL WHERE seat = 0",
        "UPDATE holds SET state = 'released' WHERE seat = 0",
        "UPDATE inbox SET last_sequence = 1",
        "UPDATE accounts SET posted = -1 WHERE account_id = 'player:ben:jokers'",
        "UPDATE accounts SET held = -1 WHERE account_id = 'player:ben:jokers'",
        "UPDATE accounts SET held = posted + 1 WHERE account_id = 'player:ben:jokers'",
    ],
)
async def test_the_database_refuses_to_change_what_was_posted(
    ledger: Ledger, url: str, statement: str
) -> None:
    await ledger.grant(grant(1, "ann", 2))
    await ledger.grant(grant(2, "ben", 2))
    await ledger.reserve_jokers(reservation("t", 1, "ann", "ben"))
    await ledger.apply(Numbered("t", 1, JokerSpent("t", 1, 0, "ann")))
    await ledger.apply(Numbered("t", 2, ended("t", 1, {"ann": 101, "ben": -101})))
    await ledger.carry_out(
        [(given(11, "ann", 10),), (pending(12, coins("ann"), POT, 3),), (post(14, 12, 2),)]
    )
    before = read_books(url)
    database = open_database(url)
    if is_postgres(url):
        # It has no other way of replacing a row than these two.
        statement = statement.replace("INSERT OR REPLACE", "INSERT")

    with pytest.raises(IntegrityError):
        await database.write(lambda connection: connection.exec_driver_sql(statement).rowcount)

    await database.close()
    assert read_books(url) == before
