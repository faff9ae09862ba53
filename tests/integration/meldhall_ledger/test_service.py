import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import nats as nats_client
import pytest
import pytest_asyncio
from tests.fixtures.ledger import (
    Books,
    TableEvent,
    canasta_round,
    canasta_won,
    envelopes,
    match_ended,
    read_books,
    round_ended,
)
from tests.fixtures.table_streams import Publisher, TableServer, publisher, table_server
from tests.fixtures.waiting import until

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from meldhall.table.v1 import table_events_pb2 as pb
from meldhall_embedded import NatsServer
from meldhall_ledger.app import bind
from meldhall_ledger.config import LedgerSettings
from meldhall_messaging import EVENTS_STREAM
from meldhall_runtime import load_settings
from meldhall_runtime.testing import Keys, RunningService, operator, running_service, service

FAST_ACK = 1.0


class House:
    """A nats-server, a table service, and ledgers that come and go."""

    def __init__(
        self, nats: NatsServer, keys: Keys, table: TableServer, events: Publisher, home: Path
    ) -> None:
        self.nats = nats
        self.keys = keys
        self.table = table
        self.events = events
        self._home = home

    def url(self, name: str = "ledger") -> str:
        return f"sqlite:///{self._home / name}.sqlite"

    @asynccontextmanager
    async def ledger(self, name: str = "ledger") -> AsyncIterator[RunningService]:
        settings = load_settings(
            LedgerSettings,
            database_url=self.url(name),
            nats_url=self.nats.url,
            table_address=self.table.address,
            consumer_name=name,
            ack_wait_seconds=FAST_ACK,
        )
        async with running_service(bind, settings, keys=self.keys) as running:
            yield running

    def write(self, table: str, events: Sequence[TableEvent]) -> list[EventEnvelope]:
        """Let a table's log have these events, and return them as envelopes."""
        self.table.streams[table] = envelopes(table, events)
        return self.table.streams[table]

    async def until_settled(self, rounds: int, name: str = "ledger") -> Books:
        await until(lambda: read_books(self.url(name)).settled >= rounds)
        return read_books(self.url(name))


@pytest_asyncio.fixture
async def house(nats: NatsServer, tmp_path: Path) -> AsyncIterator[House]:
    keys = Keys()
    async with table_server(keys.verifier) as table, publisher(nats) as events:
        yield House(nats, keys, table, events, tmp_path)


def _rounds(table: str, count: int) -> list[pb.SeatTaken | pb.RoundEnded | pb.JokerSpent]:
    rounds = [round_ended(table, n, {"ann": 101 * n, "ben": -101 * n}) for n in range(1, count + 1)]
    return [pb.SeatTaken(seat=0, player_id="ann"), *rounds]


def _metric(running: RunningService, name: str) -> float | None:
    return running.runtime.registry.get_sample_value(name)


async def test_a_published_round_moves_points_once_however_often_it_comes(house: House) -> None:
    stream = house.write("t", _rounds("t", 3))
    async with house.ledger() as running:
        for _ in range(3):
            await house.events.publish(stream)
        books = await house.until_settled(3)
        await until(
            lambda: (
                running.runtime.registry.get_sample_value(
                    "meldhall_ledger_events_total", {"outcome": "duplicate"}
                )
                == 8
            )
        )

        stub = LedgerServiceStub(await running.channel(operator()))
        settlement = await stub.GetSettlement(ledger_pb.GetSettlementRequest(table_id="t", round=2))

    assert books.balances == {"player:ann:points": 606, "player:ben:points": -606}
    assert read_books(house.url()) == books
    assert [seat.points for seat in settlement.seats] == [202, -202]


async def test_events_that_were_missed_are_read_from_the_table_service(house: House) -> None:
    stream = house.write("t", _rounds("t", 4))
    async with house.ledger():
        await house.events.publish([stream[0], stream[4]])
        books = await house.until_settled(4)

    assert books.balances["player:ann:points"] == 1010
    assert ("t", 1) in house.table.reads


async def test_a_gap_that_the_table_service_cannot_fill_waits_and_is_filled_later(house: House) -> None:
    stream = envelopes("t", _rounds("t", 2))
    async with house.ledger() as running:
        await house.events.publish([stream[0], stream[2]])
        await until(lambda: len(house.table.reads) >= 1)
        assert read_books(house.url()).settled == 0

        house.table.streams["t"] = stream
        books = await house.until_settled(2)
        assert _metric(running, "meldhall_ledger_poisoned_streams") == 0

    assert books.balances["player:ann:points"] == 303


async def test_jokers_are_held_spent_and_released_by_a_tables_events(house: House) -> None:
    async with house.ledger() as running:
        stub = LedgerServiceStub(await running.channel(service()))
        for number, name in enumerate(("ann", "ben"), start=1):
            await stub.Grant(
                ledger_pb.GrantRequest(
                    transfer_id=f"00000000-0000-4000-8000-00000000000{number}",
                    player_id=name,
                    unit=ledger_pb.UNIT_JOKERS,
                    amount=1,
                    reason="welcome",
                )
            )
        claims = [ledger_pb.JokerClaim(seat=seat, player_id=name) for seat, name in enumerate(("ann", "ben"))]
        held = await stub.ReserveJokers(ledger_pb.ReserveJokersRequest(table_id="t", round=1, claims=claims))
        assert list(held.seats) == [0, 1]
        stream = house.write(
            "t",
            [
                pb.JokerSpent(round=1, seat=0, player_id="ann"),
                round_ended("t", 1, {"ann": 101, "ben": -101}),
            ],
        )
        await house.events.publish([*stream, *stream])
        await house.until_settled(1)

    books = read_books(house.url())
    assert books.held == {}
    assert books.balances == {
        "player:ann:points": 101,
        "player:ben:points": -101,
        "player:ben:jokers": 1,
        "issue:jokers": -1,
    }


async def test_a_published_match_is_paid_once_however_often_it_comes(house: House) -> None:
    won = canasta_won("t", 0, 2, ("ann", "ben", "", "dan"))
    rounds = [canasta_round(won, number) for number in (1, 2)]
    stream = house.write("t", [*rounds, match_ended(won), pb.TableClosed()])
    async with house.ledger() as running:
        for _ in range(3):
            await house.events.publish(stream)
        await until(lambda: "player:dan:points" in read_books(house.url()).balances)
        await until(
            lambda: (
                running.runtime.registry.get_sample_value(
                    "meldhall_ledger_events_total", {"outcome": "duplicate"}
                )
                == 8
            )
        )
        books = read_books(house.url())
        posted = running.runtime.registry.get_sample_value(
            "meldhall_ledger_transfers_posted_total", {"kind": "match_result"}
        )

    assert books.settled == 2
    assert posted == 3
    assert books.balances == {
        "issue:points": 2000,
        "player:ann:points": 2000,
        "player:ben:points": -2000,
        "player:dan:points": -2000,
    }


async def test_poison_stops_its_own_table_and_no_other(house: House) -> None:
    bad = round_ended("bad", 1, {"ann": 101, "ben": -101})
    bad.account_changes[0] = 100_000
    poisoned = house.write("bad", [bad, round_ended("bad", 2, {"ann": 101, "ben": -101})])
    good = house.write("good", _rounds("good", 2))
    async with house.ledger() as running:
        await house.events.publish([*poisoned, *good])
        books = await house.until_settled(2)
        await until(lambda: _metric(running, "meldhall_ledger_poisoned_streams") == 1)

        report = await running.runtime.readiness.report()

    assert [(one.name, one.fault) for one in report] == [
        ("service", ""),
        ("database", ""),
        ("nats", ""),
        ("consumer", ""),
        ("partitions", "PartitionsStopped: ledger stands still at bad"),
    ]
    assert not any(one.blocks for one in report)
    assert books.balances == {"player:ann:points": 303, "player:ben:points": -303}
    assert read_books(house.url()) == books


async def test_a_spent_joker_that_nobody_holds_stops_the_table(house: House) -> None:
    stream = house.write(
        "t", [pb.JokerSpent(round=1, seat=0, player_id="ann"), round_ended("t", 1, {"ann": 1, "ben": -1})]
    )
    async with house.ledger() as running:
        await house.events.publish(stream)
        await until(lambda: _metric(running, "meldhall_ledger_poisoned_streams") == 1)

    assert read_books(house.url()) == Books({}, {}, 0, frozenset())


async def test_a_consumer_that_was_deleted_comes_back_and_changes_nothing(house: House) -> None:
    await house.events.publish(house.write("t", _rounds("t", 3)))
    async with house.ledger():
        before = await house.until_settled(3)
    client = await nats_client.connect(house.nats.url)
    assert await client.jetstream().delete_consumer(EVENTS_STREAM, "ledger")
    await client.close()

    async with house.ledger() as running:
        await until(
            lambda: (
                running.runtime.registry.get_sample_value(
                    "meldhall_ledger_events_total", {"outcome": "duplicate"}
                )
                == 4
            )
        )

    assert read_books(house.url()) == before


async def test_a_lost_jetstream_and_an_empty_ledger_end_with_the_same_books(house: House) -> None:
    streams = [house.write(table, _rounds(table, 3)) for table in ("t", "u")]
    await house.events.publish([envelope for stream in streams for envelope in stream])
    async with house.ledger():
        before = await house.until_settled(6)
    client = await nats_client.connect(house.nats.url)
    assert await client.jetstream().delete_stream(EVENTS_STREAM)
    await client.close()

    async with house.ledger(), house.ledger("other"):
        await house.events.publish([envelope for stream in reversed(streams) for envelope in stream])
        after = await house.until_settled(6, "other")

    assert after == before
    assert read_books(house.url()) == before


async def test_two_ledgers_on_one_consumer_settle_every_round_once(house: House) -> None:
    stream = house.write("t", _rounds("t", 30))
    async with house.ledger(), house.ledger():
        await house.events.publish([*stream, *stream])
        books = await house.until_settled(30)

    assert books.balances["player:ann:points"] == 101 * 465
    assert len(books.transfers) == 60


async def test_the_ledger_answers_while_nats_is_away_and_catches_up(house: House) -> None:
    stream = house.write("t", _rounds("t", 1))
    await house.events.publish(stream)
    await house.nats.stop()
    async with house.ledger() as running:
        stub = LedgerServiceStub(await running.channel(operator()))
        assert (await stub.CheckSums(ledger_pb.CheckSumsRequest())).settled_rounds == 0
        report = {one.name: one for one in await running.runtime.readiness.report()}
        assert report["database"].fault == ""
        assert report["nats"].fault != ""
        assert report["consumer"].fault != ""
        assert not any(one.blocks for one in report.values())

        await house.nats.start()
        books = await house.until_settled(1)

    assert books.balances["player:ann:points"] == 101


async def test_a_ledger_that_is_stopped_and_started_all_the_time_settles_everything_once(
    house: House,
) -> None:
    stream = house.write("t", _rounds("t", 40))
    for envelope_group in (stream[:15], stream[15:30], stream[30:]):
        async with house.ledger():
            await house.events.publish(envelope_group)
            await asyncio.sleep(0.02)
    async with house.ledger():
        books = await house.until_settled(40)

    assert books.balances["player:ann:points"] == 101 * 820


def test_the_settings_refuse_a_floor_above_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDHALL_LEDGER_ACCOUNT_FLOOR", "-500")
    assert load_settings(LedgerSettings).account_floor == -500
    monkeypatch.setenv("MELDHALL_LEDGER_ACCOUNT_FLOOR", "5")
    with pytest.raises(Exception, match="account_floor"):
        load_settings(LedgerSettings)
