"""Ratings by results from NATS: each match counts once, whatever is delivered how often."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fixtures.ledger import envelopes
from tests.fixtures.matchmaking import FIXED, TWO, Client, FakeTables, matchmaking
from tests.fixtures.table_streams import publisher
from tests.fixtures.waiting import until
from tests.integration.meldhall_matchmaking.databases import enqueue, waits

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.common.v1.game_pb2 import MODE_QUICK
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall.table.v1 import table_events_pb2 as events
from meldhall_embedded import NatsServer
from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_matchmaking.results import Ratings
from meldhall_matchmaking.store import TicketStore
from meldhall_matchmaking.store.ratings import Result
from meldhall_runtime.testing import Keys, RunningService

RANKED = replace(TWO, play=Play.RANKED)
CANASTA = Wish("canasta", (), 4, 1, Play.RANKED)


async def open_table(store: TicketStore, *players: str, wish: Wish = RANKED, table: str = "t") -> None:
    tickets = []
    for number, player in enumerate(players):
        answer = await enqueue(store, player, wish, command=table, now=number, new=f"ticket-{table}-{player}")
        tickets.append(getattr(answer, "ticket"))  # noqa: B009 - a refusal has none
    await store.claim(f"p-{table}", tickets, 5)
    assert await store.match(f"p-{table}", table, "host:1", 6)


async def points(ratings: Ratings, player: str, game: str = "rummy101") -> int:
    return (await ratings.of(player))[game].points


async def test_a_result_counts_once(store: TicketStore) -> None:
    ratings, result = Ratings(store.database), Result("t", ("ann", "ben"), (0,), (101, 20))
    await open_table(store, "ann", "ben")

    assert await ratings.count(result, 10)
    won = await points(ratings, "ann")
    assert await ratings.count(result, 11) is False

    assert won == await points(ratings, "ann") > 1_500 > await points(ratings, "ben")
    assert (await ratings.of("ann"))["rummy101"].matches == 1
    assert await ratings.of("cid") == {}


async def test_a_table_that_is_not_ranked_counts_nothing(store: TicketStore) -> None:
    ratings = Ratings(store.database)
    await store.claim("p", await waits(store, "ann", "ben"), 1)
    await store.match("p", "t", "host:1", 2)

    assert await ratings.count(Result("t", ("ann", "ben"), (0,), (101, 20)), 10) is False
    assert await ratings.of("ann") == {}


async def test_results_at_once_of_the_same_players_all_count(store: TicketStore) -> None:
    ratings = Ratings(store.database)
    for number in range(8):
        await open_table(store, "ann", "ben", table=f"t{number}")

    counted = await asyncio.gather(
        *(
            ratings.count(Result(f"t{number}", players, (0,), (101, 20)), 10)
            for number in range(8)
            for players in [("ann", "ben") if number % 2 else ("ben", "ann")]
            for _ in range(2)
        )
    )

    assert counted.count(True) == 8
    assert [(await ratings.of(name))["rummy101"].matches for name in ("ann", "ben")] == [8, 8]


async def test_partners_are_rated_as_a_team(store: TicketStore) -> None:
    ratings, players = Ratings(store.database), ("ann", "ben", "cid", "dan")
    await open_table(store, *players, wish=CANASTA)

    await ratings.count(Result("t", players, (1,), (500, 900)), 10)

    found = [await points(ratings, name, "canasta") for name in players]
    assert found[0] == found[2] < 1_500 < found[1] == found[3]


async def test_a_result_that_cannot_be_is_refused_and_changes_nothing(store: TicketStore) -> None:
    ratings = Ratings(store.database)
    await open_table(store, "ann", "ben")

    with pytest.raises(ValueError, match="3 totals of 2 players"):
        await ratings.count(Result("t", ("ann", "ben"), (0,), (1, 2, 3)), 10)

    assert await ratings.awaits("t")
    assert await ratings.of("ann") == {}


async def test_the_next_ranked_ticket_has_the_new_rating(store: TicketStore) -> None:
    ratings = Ratings(store.database)
    await open_table(store, "ann", "ben")
    await ratings.count(Result("t", ("ann", "ben"), (1,), (101, 20)), 10)

    answer = await enqueue(store, "ben", RANKED, command="again", new="ticket-2")
    quick = await enqueue(store, "ann", TWO, command="quick", new="ticket-3")

    tickets = [getattr(one, "ticket") for one in (answer, quick)]  # noqa: B009 - a refusal has none
    assert [one.rating for one in tickets if isinstance(one, Ticket)] == [await points(ratings, "ben"), 0]


async def test_who_is_erased_is_rated_no_more(store: TicketStore) -> None:
    ratings = Ratings(store.database)
    await open_table(store, "ann", "ben")
    await ratings.count(Result("t", ("ann", "ben"), (0,), (101, 20)), 10)

    await store.erase("ann", 20)

    assert await ratings.of("ann") == {}
    assert list(await ratings.of("ben")) == ["rummy101"]


def story(table: str, *players: str) -> list[EventEnvelope]:
    """What a table publishes of a match that the first of the players wins."""
    ended = events.MatchEnded(
        table_id=table,
        game="rummy101",
        mode=MODE_QUICK,
        result=events.MatchResult(winners=[0], totals=[101, 20], rounds=1),
        players=players,
        bots=[False] * len(players),
        stake_changes=[0] * len(players),
        account_changes=[0] * len(players),
    )
    return envelopes(table, [events.SeatTaken(), ended, events.TableClosed()])


async def ranked_pair(client: Client) -> str:
    """Let two meet in ranked play; return the command id of their table."""
    asked = [await client.enqueue(name, play=pb.PLAY_RANKED) for name in ("ann", "ben")]
    assert [(one.play, one.rating, one.bots_at_unix_ms) for one in asked] == [(pb.PLAY_RANKED, 1_500, 0)] * 2
    told = [await client.follow(one.player_id, one.ticket_id) for one in asked]
    return told[0].table_id


def sample(running: RunningService, name: str) -> float:
    return running.runtime.registry.get_sample_value(f"meldhall_matchmaking_{name}") or 0.0


async def test_a_ranked_match_moves_ratings_once_however_often_it_is_told(
    path: Path, table_address: str, tables: FakeTables, keys: Keys, nats: NatsServer
) -> None:
    async with (
        publisher(nats) as relay,
        matchmaking(path, table_address, keys, bots_after_seconds=0, rate=True, nats_url=nats.url) as (
            client,
            running,
        ),
    ):
        table = await ranked_pair(client)
        assert tables.seatings() == [["ann", "ben"]]
        created, ended, closed = story(table, "ann", "ben")
        other = story("a table of friends", "ann", "ben")
        await relay.publish([created, ended, ended, *other, ended, closed])
        await until(lambda: sample(running, "matches_rated_total") == 1)
        again = story("another table", "ann", "ben")
        await relay.publish([ended, *again])

        answer = await client.stub("cid").GetRatings(pb.GetRatingsRequest(player_id="ann"))
        mine = await client.stub("ben").GetRatings(pb.GetRatingsRequest())

        assert answer.ratings["rummy101"].rating > 1_500 > mine.ratings["rummy101"].rating
        assert answer.ratings["rummy101"].uncertainty < 1_000
        assert (answer.ratings["rummy101"].matches, mine.ratings["rummy101"].matches) == (1, 1)
        assert not (await client.stub("cid").GetRatings(pb.GetRatingsRequest())).ratings
        assert sample(running, "matches_rated_total") == 1


async def test_ranked_and_quick_players_do_not_meet(
    path: Path, table_address: str, tables: FakeTables, keys: Keys
) -> None:
    async with matchmaking(path, table_address, keys, bots_after_seconds=3600) as (client, _):
        await client.enqueue("ann", play=pb.PLAY_RANKED)
        ben = await client.enqueue("ben", play=pb.PLAY_QUICK)
        cid = await client.enqueue("cid", options=FIXED)

        told = [await client.follow(one.player_id, one.ticket_id) for one in (ben, cid)]

        assert tables.seatings() == [["ben", "cid"]]
        assert not told[0].HasField("rating")
        refusal = await client.enqueue("dan", play=pb.PLAY_RANKED)
        assert refusal.play == pb.PLAY_RANKED
