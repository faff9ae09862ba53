"""Players who enter together."""

import asyncio
from collections.abc import Awaitable
from itertools import count
from pathlib import Path

import grpc
import pytest
from tests.fixtures.matchmaking import THREE, TWO, Client, FakeTables, matchmaking, refusal
from tests.integration.meldhall_matchmaking.databases import enqueue

from meldhall.common.v1 import game_pb2
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as tickets_pb
from meldhall.matchmaking.v1 import party_service_pb2 as pb
from meldhall.matchmaking.v1.party_service_pb2_grpc import PartyServiceStub
from meldhall_matchmaking.domain.refusals import Code, Refusal
from meldhall_matchmaking.domain.ticket import TicketState, Wish
from meldhall_matchmaking.parties import Parties
from meldhall_matchmaking.store import Enqueued, NewTicket, TicketStore
from meldhall_matchmaking.store.parties import IDLE_MS, MOST, Party
from meldhall_runtime.testing import Keys, SequentialIds

CANASTA = game_pb2.GameOptions(canasta=game_pb2.CanastaOptions())
numbers = count(1)


@pytest.fixture
def parties(store: TicketStore) -> Parties:
    return Parties(store.database, SequentialIds(next(numbers) * 1_000))


async def together(parties: Parties, *players: str) -> Party:
    party = await parties.found(players[0], 1)
    for player in players[1:]:
        assert isinstance(party, Party)
        party = await parties.join(party.party_id, player, 2)
    assert isinstance(party, Party)
    return party


async def enter(
    parties: Parties, player: str, wish: Wish = TWO, *, command: str = "c", now: int = 5
) -> Enqueued | Refusal:
    return await parties.enter(NewTicket(f"first-{player}", player, command, wish, now, now + 10_000))


def code(answer: object) -> Code:
    assert isinstance(answer, Refusal)
    return answer.code


async def test_a_party_has_a_leader_and_players_in_order(parties: Parties) -> None:
    party = await together(parties, "ann", "ben", "cid")

    assert (party.leader_id, party.players) == ("ann", ("ann", "ben", "cid"))
    assert await parties.found("ben", 9) == party
    assert await parties.join(party.party_id, "ben", 9) == party
    assert await parties.of("cid") == (party, None)
    assert await parties.of("dan") == (None, None)


async def test_a_player_is_in_one_party(parties: Parties) -> None:
    await together(parties, "ann")
    other = await together(parties, "ben")

    assert code(await parties.join(other.party_id, "ann", 3)) is Code.IN_ANOTHER_PARTY
    assert code(await parties.join("none", "cid", 3)) is Code.PARTY_NOT_FOUND


async def test_a_party_is_full_some_day(parties: Parties) -> None:
    party = await together(parties, *(f"player-{number}" for number in range(MOST)))

    assert code(await parties.join(party.party_id, "one more", 3)) is Code.PARTY_FULL


async def test_players_who_join_at_once_are_all_in_and_never_too_many(parties: Parties) -> None:
    party = await together(parties, "ann")

    answers = await asyncio.gather(
        *(parties.join(party.party_id, f"player-{number}", 3) for number in range(MOST + 3))
    )

    assert sum(isinstance(one, Party) for one in answers) == MOST - 1
    found, _ = await parties.of("ann")
    assert found is not None
    assert len(set(found.players)) == MOST


async def test_the_next_one_leads_when_the_leader_leaves(parties: Parties) -> None:
    party = await together(parties, "ann", "ben")

    await parties.leave("ann", 3)
    await parties.leave("ann", 4)
    assert await parties.of("ann") == (None, None)
    assert (await parties.of("ben"))[0] == Party(party.party_id, "ben", ("ben",))
    await parties.leave("ben", 5)
    assert code(await parties.join(party.party_id, "cid", 6)) is Code.PARTY_NOT_FOUND


async def test_everybody_of_a_party_gets_a_ticket(parties: Parties, store: TicketStore) -> None:
    await together(parties, "ann", "ben")

    answer = await enter(parties, "ann", THREE)
    again = await enter(parties, "ann", THREE)

    assert isinstance(answer, Enqueued)
    assert isinstance(again, Enqueued)
    assert (answer.new, again.new) == (True, False)
    assert again.ticket == answer.ticket
    waiting = await store.waiting()
    assert sorted(one.player_id for one in waiting) == ["ann", "ben"]
    assert {(one.party_id, one.party_size) for one in waiting} == {(answer.ticket.ticket_id, 2)}
    ben = (await parties.of("ben"))[1]
    assert ben is not None
    assert ben in waiting
    assert code(await enter(parties, "ann", TWO)) is Code.COMMAND_ID_REUSED


async def test_who_may_not_enter_is_told_why(parties: Parties, store: TicketStore) -> None:
    await together(parties, "ann", "ben", "cid")

    assert code(await enter(parties, "ben", THREE)) is Code.NOT_PARTY_LEADER
    assert code(await enter(parties, "dan", THREE)) is Code.NOT_PARTY_LEADER
    assert code(await enter(parties, "ann", TWO)) is Code.PARTY_TOO_LARGE
    await enqueue(store, "cid", THREE)
    busy = await enter(parties, "ann", THREE)
    assert code(busy) is Code.PARTY_BUSY
    assert isinstance(busy, Refusal)
    assert busy.facts == {"player_id": "cid"}


async def test_whoever_leaves_takes_the_tickets_of_the_party_back(
    parties: Parties, store: TicketStore
) -> None:
    await together(parties, "ann", "ben")
    await enter(parties, "ann", THREE)

    ended = await parties.leave("ben", 9)

    assert {(one.player_id, one.state) for one in ended} == {
        ("ann", TicketState.CANCELLED),
        ("ben", TicketState.CANCELLED),
    }
    assert await store.waiting() == ()


async def test_a_block_does_not_part_those_who_come_together(parties: Parties, store: TicketStore) -> None:
    await together(parties, "ann", "ben")
    await store.block("ann", "ben", 3)
    await enter(parties, "ann", TWO)

    claimed = await store.claim("p", await store.waiting(), 6)

    assert claimed is not None
    assert len(claimed.tickets) == 2


async def test_idle_parties_and_erased_players_are_forgotten(parties: Parties, store: TicketStore) -> None:
    party = await together(parties, "ann", "ben")
    await store.erase("ann", 3)
    assert (await parties.of("ben"))[0] == Party(party.party_id, "ben", ("ben",))

    await store.purge(IDLE_MS + 3)
    assert (await parties.of("ben"))[0] is not None
    await store.purge(IDLE_MS + 4)
    assert (await parties.of("ben"))[0] is None


async def meet(client: Client, leader: str, *others: str) -> pb.Party:
    stub = PartyServiceStub(client.channel(leader))
    party = (await stub.CreateParty(pb.CreatePartyRequest())).party
    for other in others:
        joined = PartyServiceStub(client.channel(other))
        party = (await joined.JoinParty(pb.JoinPartyRequest(party_id=party.party_id))).party
    assert list(party.player_ids) == [leader, *others]
    return party


async def follow_own(client: Client, player: str) -> tickets_pb.Ticket:
    """Find the own ticket, as a client does whose leader has entered, and follow it."""
    stub = PartyServiceStub(client.channel(player))
    answer = await stub.GetParty(pb.GetPartyRequest())
    return await client.follow(player, answer.ticket.ticket_id)


async def test_a_party_is_a_team_in_canasta(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, _):
        await client.enqueue("cid", options=CANASTA, seats=4)
        await meet(client, "ann", "ben")
        await client.enqueue("ann", options=CANASTA, seats=4, as_party=True)
        await client.enqueue("dan", options=CANASTA, seats=4)

        told = await asyncio.gather(*(follow_own(client, name) for name in ("ann", "ben", "cid", "dan")))

        assert len({one.table_id for one in told}) == 1
        assert tables.seatings() == [["ann", "cid", "ben", "dan"]]


async def test_party_members_are_opponents_elsewhere_and_a_member_ends_the_wait_of_all(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, _):
        await meet(client, "ann", "ben")
        ann = await client.enqueue("ann", seats=3, as_party=True)
        following = asyncio.create_task(client.follow("ann", ann.ticket_id))
        await PartyServiceStub(client.channel("ben")).LeaveParty(pb.LeavePartyRequest())
        assert (await following).state == tickets_pb.TICKET_STATE_CANCELLED

        await meet(client, "cid", "dan")
        await client.enqueue("cid", as_party=True)
        told = await asyncio.gather(*(follow_own(client, name) for name in ("cid", "dan")))

        assert {one.state for one in told} == {tickets_pb.TICKET_STATE_MATCHED}
        assert [sorted(seats) for seats in tables.seatings()] == [["cid", "dan"]]


async def refused(call: Awaitable[object]) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return refusal(caught.value)[:2]


async def test_refusals_have_codes(path: Path, table_address: str, keys: Keys) -> None:
    async with matchmaking(path, table_address, keys) as (client, _):
        stub = PartyServiceStub(client.channel("ann"))
        wrong = pb.JoinPartyRequest(party_id="none")
        assert await refused(stub.JoinParty(wrong)) == (grpc.StatusCode.NOT_FOUND, "PARTY_NOT_FOUND")
        empty = await refused(stub.JoinParty(pb.JoinPartyRequest()))
        assert empty == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
        alone = await refused(client.enqueue("ann", as_party=True))
        assert alone == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_PARTY_LEADER")
        assert not (await stub.GetParty(pb.GetPartyRequest())).HasField("party")
