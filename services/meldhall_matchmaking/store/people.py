"""Who is not to meet whom: blocks that players set, and whom they last met in a ranked match."""

import json
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, delete, func, insert, or_, select

from meldhall_eventlog.dialects import insert_if_absent
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import Ticket
from meldhall_matchmaking.store.invites import erase_host
from meldhall_matchmaking.store.tables import blocks, meetings

MOST_BLOCKS: Final = 200
"""How many others a player may block: each makes the search for a table a little harder."""


def block(connection: Connection, player_id: str, other_id: str, now_ms: int) -> Refusal | None:
    """Let a player never meet another one. Blocking twice is as blocking once."""
    mine = select(func.count()).select_from(blocks).where(blocks.c.player_id == player_id)
    known = mine.where(blocks.c.blocked_id == other_id)
    if connection.execute(known).scalar_one():
        return None
    if connection.execute(mine).scalar_one() >= MOST_BLOCKS:
        return Refusal(Code.TOO_MANY_BLOCKS, f"a player blocks {MOST_BLOCKS} others at most")
    row = {"player_id": player_id, "blocked_id": other_id, "blocked_at_ms": now_ms}
    insert_if_absent(connection, blocks, row)
    return None


def unblock(connection: Connection, player_id: str, other_id: str) -> None:
    """Take a block back; without one nothing changes."""
    mine = (blocks.c.player_id == player_id, blocks.c.blocked_id == other_id)
    connection.execute(delete(blocks).where(*mine))


def blocked_by(connection: Connection, player_id: str) -> tuple[str, ...]:
    """Return whom a player blocks, sorted."""
    query = select(blocks.c.blocked_id).where(blocks.c.player_id == player_id).order_by(blocks.c.blocked_id)
    return tuple(connection.execute(query).scalars())


def note_meeting(connection: Connection, group: Sequence[Ticket], now_ms: int) -> None:
    """Remember for each of a ranked group the strangers among the others."""
    connection.execute(delete(meetings).where(meetings.c.player_id.in_([one.player_id for one in group])))
    connection.execute(
        insert(meetings),
        [
            {"player_id": one.player_id, "others": json.dumps(_strangers(one, group)), "met_at_ms": now_ms}
            for one in group
        ],
    )


def forget_meetings(connection: Connection, before_ms: int) -> None:
    """Forget the meetings of before a time."""
    connection.execute(delete(meetings).where(meetings.c.met_at_ms < before_ms))


def erase_person(connection: Connection, player_id: str) -> None:
    """Forget whom a player blocked and met, that others did so with him, and his invitations."""
    named = or_(blocks.c.player_id == player_id, blocks.c.blocked_id == player_id)
    connection.execute(delete(blocks).where(named))
    quoted = json.dumps(player_id)
    with_him = or_(meetings.c.player_id == player_id, meetings.c.others.contains(quoted, autoescape=True))
    connection.execute(delete(meetings).where(with_him))
    erase_host(connection, player_id)


def _strangers(one: Ticket, group: Sequence[Ticket]) -> list[str]:
    return sorted(
        other.player_id
        for other in group
        if other is not one and not (one.party_id and one.party_id == other.party_id)
    )
