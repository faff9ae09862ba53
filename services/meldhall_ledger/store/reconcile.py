"""Checks of everything that has to be true of the books, from the journal up.

Each check is a query that returns nothing in good books: a row names what is wrong and how. The queries read
a consistent snapshot and change nothing. Source: ``deploy/docs/ledger.md``, "The reconciler".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

MOST: Final = 100
"""Findings of one check that are listed; there is work enough in them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that cannot be in good books: which check found it, where, and how it looks."""

    check: str
    subject: str
    detail: str


CHECKS: Final[Mapping[str, str]] = {
    "sum": """
        SELECT unit, 'adds up to ' || sum(posted) FROM accounts GROUP BY unit HAVING sum(posted) <> 0
    """,
    "balance": """
        SELECT a.account_id, 'has ' || a.posted || ', its journal ' || coalesce(sum(p.change), 0)
        FROM accounts a LEFT JOIN postings p ON p.account_id = a.account_id
        GROUP BY a.account_id, a.posted HAVING a.posted <> coalesce(sum(p.change), 0)
    """,
    "running_balance": """
        SELECT account_id, 'line ' || number || ' says ' || balance || ', it should be ' || total FROM (
            SELECT account_id, number, balance,
                sum(change) OVER (PARTITION BY account_id ORDER BY number) AS total
            FROM postings) AS lines
        WHERE balance <> total
    """,
    "held": """
        SELECT a.account_id, 'holds ' || a.held || ', pending is ' || coalesce(sum(w.amount), 0)
        FROM accounts a LEFT JOIN (
            SELECT 'player:' || player_id || '\\:jokers' AS account_id, 1 AS amount
            FROM holds WHERE state = 'pending'
            UNION ALL
            SELECT t.debit, t.amount FROM transfers t JOIN pendings p ON p.transfer_id = t.transfer_id
            WHERE p.state = 'pending') AS w ON w.account_id = a.account_id
        GROUP BY a.account_id, a.held HAVING a.held <> coalesce(sum(w.amount), 0)
    """,
    "limit": """
        SELECT account_id, posted || ' less ' || held || ' is below ' || lowest FROM accounts
        WHERE lowest IS NOT NULL AND posted - held < lowest
    """,
    "two_sides": """
        SELECT t.transfer_id, count(p.number) || ' postings' FROM transfers t
        LEFT JOIN postings p ON p.transfer_id = t.transfer_id
            AND ((p.account_id = t.debit AND p.change = -t.amount)
                OR (p.account_id = t.credit AND p.change = t.amount))
        WHERE t.phase IN ('single', 'post') GROUP BY t.transfer_id HAVING count(p.number) <> 2
    """,
    "moved_early": """
        SELECT t.transfer_id, t.phase || ' with postings' FROM transfers t
        WHERE t.phase IN ('pending', 'void')
            AND EXISTS (SELECT 1 FROM postings p WHERE p.transfer_id = t.transfer_id)
    """,
    "resolved": """
        SELECT p.transfer_id, p.state || ' by ' || coalesce(p.resolved_by, 'nothing') FROM pendings p
        LEFT JOIN transfers t ON t.transfer_id = p.resolved_by
        WHERE p.state IN ('posted', 'voided') AND (t.refers_to IS NULL OR t.refers_to <> p.transfer_id
            OR t.phase <> CASE p.state WHEN 'posted' THEN 'post' ELSE 'void' END
            OR (p.state = 'posted' AND t.amount <> p.posted))
    """,
    "settled": """
        SELECT s.table_id || '/' || s.round || '/' || s.seat,
            'says ' || s.points || ', posted was ' || coalesce(
            CASE WHEN t.credit LIKE 'player:%' THEN t.amount ELSE -t.amount END, 0)
        FROM settled_seats s LEFT JOIN transfers t ON t.transfer_id = s.transfer_id
        WHERE s.points <> coalesce(CASE WHEN t.credit LIKE 'player:%' THEN t.amount ELSE -t.amount END, 0)
    """,
    "source": """
        SELECT t.transfer_id, t.kind || ' of table ' || coalesce(t.table_id, '?') || ', which is not settled'
        FROM transfers t LEFT JOIN settlements s ON s.table_id = t.table_id AND s.round = t.round
        WHERE t.kind IN ('round_result', 'match_result', 'payout', 'rake') AND s.table_id IS NULL
    """,
    "arena": """
        SELECT s.table_id || '/' || s.seat, 'says ' || s.coins || ', moved was ' || coalesce(m.moved, 0)
        FROM settled_seats s LEFT JOIN (
            SELECT table_id, seat,
                sum(CASE WHEN kind = 'payout' THEN amount
                    WHEN phase = 'post' THEN -amount ELSE 0 END) AS moved
            FROM transfers WHERE kind IN ('stake', 'payout') GROUP BY table_id, seat) AS m
            ON m.table_id = s.table_id AND m.seat = s.seat
        WHERE s.round = 0 AND s.coins <> coalesce(m.moved, 0)
    """,
    "escrow": """
        SELECT a.account_id, 'has ' || a.posted || ' left' FROM accounts a
        JOIN inbox i ON a.account_id = 'escrow:' || i.stream_id || ':' || a.unit
        WHERE i.over AND a.posted <> 0
    """,
    "stakes_of_closed": """
        SELECT t.transfer_id, 'stake of seat ' || t.seat || ' at table ' || t.table_id || ' is still held'
        FROM transfers t JOIN pendings p ON p.transfer_id = t.transfer_id
        JOIN inbox i ON i.stream_id = t.table_id
        WHERE p.state = 'pending' AND i.over
    """,
    "jokers_of_closed": """
        SELECT h.table_id || '/' || h.round || '/' || h.seat, 'a joker of ' || h.player_id || ' is still held'
        FROM holds h JOIN inbox i ON i.stream_id = h.table_id WHERE h.state = 'pending' AND i.over
    """,
}
"""Queries by the name of the check. Each row: what it is about, and how it looks."""


def reconcile(connection: Connection) -> Sequence[Finding]:
    """Run every check; return what was found, at most ``MOST`` of each check."""
    found: list[Finding] = []
    for name, query in CHECKS.items():
        rows = connection.execute(text(f"{query} LIMIT {MOST}")).all()
        found.extend(Finding(name, str(row[0]), str(row[1])) for row in rows)
    return found
