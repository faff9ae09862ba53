"""Stakes of arena matches, from the hold to the payout, in the books."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import grpc
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from tests.fixtures.ledger import arena_won, grant, read_books
from tests.fixtures.ledger_api import Api, grant_request

from meldhall.ledger.v1 import ledger_service_pb2 as pb
from meldhall_ledger.domain.accounts import Unit
from meldhall_ledger.domain.books import Resolve
from meldhall_ledger.domain.happenings import ArenaOpened, Happening, NothingToPost, Numbered, TableClosed
from meldhall_ledger.domain.matches import MatchEnded
from meldhall_ledger.domain.refusals import Fault, FaultCode, Refusal
from meldhall_ledger.domain.stakes import ArenaTable, Stakes, hold, pay_out
from meldhall_ledger.domain.transfers import Transfer
from meldhall_ledger.store import Applied, Duplicate, Ledger
from meldhall_runtime.testing import operator, player, service

PLAYERS = ("ann", "ben", "cid", "dan")
MATCHMAKING = service("matchmaking")


async def rich(ledger: Ledger, amount: int = 1_000, players: Sequence[str] = PLAYERS) -> None:
    for number, name in enumerate(players, 1):
        await ledger.grant(grant(number, name, amount, Unit.COINS))


async def happened(ledger: Ledger, *happenings: Happening, table: str = "t") -> list[Any]:
    return [await ledger.apply(Numbered(table, number, one)) for number, one in enumerate(happenings, 1)]


def coins(url: str) -> dict[str, int]:
    balances = read_books(url).balances
    return {name: balances.get(f"player:{name}:coins", 0) for name in PLAYERS}


async def test_the_winner_gets_the_stakes_and_the_escrow_is_empty(ledger: Ledger, url: str) -> None:
    await rich(ledger)
    stakes = Stakes("t", 500, PLAYERS)
    assert await ledger.hold_stakes(stakes, actor="m") is None
    assert read_books(url).held == {f"player:{name}:coins": 500 for name in PLAYERS}

    await happened(ledger, ArenaOpened("t", 500, 0, 4), arena_won("t", 0, PLAYERS), TableClosed("t"))

    assert coins(url) == {"ann": 2_500, "ben": 500, "cid": 500, "dan": 500}
    assert read_books(url).held == {}
    settled = await ledger.settlement("t", 0)
    assert settled is not None
    assert [(row.seat, row.points, row.coins) for row in settled] == [
        (0, 0, 1500),
        (1, 0, -500),
        (2, 0, -500),
        (3, 0, -500),
    ]


async def test_the_house_keeps_its_rake_of_what_was_won(ledger: Ledger, url: str) -> None:
    await rich(ledger)
    await ledger.hold_stakes(Stakes("t", 500, PLAYERS), actor="m")

    await happened(ledger, ArenaOpened("t", 500, 1_000, 4), arena_won("t", 1, PLAYERS, rake_bps=1_000))

    assert coins(url) == {"ann": 500, "ben": 2_350, "cid": 500, "dan": 500}
    assert read_books(url).balances["house:rake:coins"] == 150
    assert "escrow:t:coins" not in read_books(url).balances


async def test_a_table_that_closes_without_a_result_gives_every_stake_back(ledger: Ledger, url: str) -> None:
    await rich(ledger)
    await ledger.hold_stakes(Stakes("t", 500, PLAYERS), actor="m")

    await happened(ledger, ArenaOpened("t", 500, 0, 4), TableClosed("t"))

    assert coins(url) == dict.fromkeys(PLAYERS, 1_000)
    assert read_books(url).held == {}


async def test_all_stakes_are_held_or_none(ledger: Ledger, url: str) -> None:
    await rich(ledger, players=PLAYERS[:3])

    refused = await ledger.hold_stakes(Stakes("t", 500, PLAYERS), actor="m")

    assert isinstance(refused, Refusal)
    assert (refused.code, refused.detail) == ("INSUFFICIENT", "player:dan:coins has too little to spare")
    assert read_books(url).held == {}


async def test_a_player_cannot_stake_the_same_coins_at_two_tables(ledger: Ledger, url: str) -> None:
    await rich(ledger, amount=900)

    assert await ledger.hold_stakes(Stakes("t", 500, PLAYERS), actor="m") is None
    assert isinstance(await ledger.hold_stakes(Stakes("u", 500, PLAYERS[:2]), actor="m"), Refusal)
    assert await ledger.return_stakes("t") == 4
    assert await ledger.return_stakes("t") == 0
    assert await ledger.hold_stakes(Stakes("u", 500, PLAYERS[:2]), actor="m") is None


async def test_everything_twice_is_everything_once(ledger: Ledger, url: str) -> None:
    await rich(ledger)
    story = (ArenaOpened("t", 500, 100, 4), arena_won("t", 2, PLAYERS, rake_bps=100), TableClosed("t"))
    for _ in range(2):
        assert await ledger.hold_stakes(Stakes("t", 500, PLAYERS), actor="m") is None
    first = await happened(ledger, *story)
    books = read_books(url)

    assert all(isinstance(one, Applied) for one in first)
    assert await happened(ledger, *story) == [Duplicate()] * 3
    assert await ledger.hold_stakes(Stakes("t", 500, PLAYERS), actor="m") is None
    assert read_books(url) == books


async def test_nothing_is_held_for_a_table_that_is_over(ledger: Ledger, url: str) -> None:
    await rich(ledger)
    await happened(ledger, TableClosed("t"))

    refused = await ledger.hold_stakes(Stakes("t", 500, PLAYERS), actor="m")

    assert isinstance(refused, Refusal)
    assert refused.code == "TABLE_OVER"
    assert read_books(url).held == {}


@pytest.mark.parametrize(
    ("held", "story", "code"),
    [
        (
            PLAYERS,
            (ArenaOpened("t", 500, 0, 4), arena_won("t", 0, PLAYERS, stake=600)),
            FaultCode.CHANGES_DIFFER,
        ),
        (
            PLAYERS,
            (ArenaOpened("t", 500, 0, 4), arena_won("t", 0, PLAYERS, rake_bps=1)),
            FaultCode.CHANGES_DIFFER,
        ),
        (PLAYERS, (ArenaOpened("t", 500, 0, 3), arena_won("t", 0, PLAYERS)), FaultCode.MALFORMED),
        (PLAYERS, (NothingToPost(), arena_won("t", 0, PLAYERS)), FaultCode.MALFORMED),
        ((), (ArenaOpened("t", 500, 0, 4), arena_won("t", 0, PLAYERS)), FaultCode.NO_HOLD),
        (PLAYERS[::-1], (ArenaOpened("t", 500, 0, 4), arena_won("t", 0, PLAYERS)), FaultCode.NO_HOLD),
        (PLAYERS, (ArenaOpened("t", 400, 0, 4), arena_won("t", 0, PLAYERS, stake=400)), FaultCode.NO_HOLD),
    ],
)
async def test_a_match_that_is_not_what_it_should_be_stops_and_moves_nothing(
    ledger: Ledger, url: str, held: tuple[str, ...], story: tuple[Happening, MatchEnded], code: FaultCode
) -> None:
    await rich(ledger)
    if held:
        await ledger.hold_stakes(Stakes("t", 500, held), actor="m")
    before = read_books(url)

    _, fault = await happened(ledger, *story)

    assert isinstance(fault, Fault)
    assert fault.code is code
    assert read_books(url) == before


async def test_a_match_for_nothing_moves_nothing(ledger: Ledger, url: str) -> None:
    answers = await happened(ledger, ArenaOpened("t", 0, 0, 4), arena_won("t", 0, PLAYERS, stake=0))

    assert all(isinstance(one, Applied) for one in answers)
    assert coins(url) == dict.fromkeys(PLAYERS, 0)


@drawn(
    seats=st.integers(2, 7),
    winner=st.integers(0, 6),
    stake=st.integers(1, 10_000),
    rake=st.integers(0, 10_000),
)
def test_what_is_paid_is_what_was_staked(seats: int, winner: int, stake: int, rake: int) -> None:
    players = tuple(f"p{seat}" for seat in range(seats))
    pending = dict(
        enumerate(one for one in hold(Stakes("t", stake, players), "m") if isinstance(one, Transfer))
    )

    orders = pay_out(
        arena_won("t", winner % seats, players, stake, rake), ArenaTable(stake, rake, seats), pending
    )

    assert not isinstance(orders, Fault)
    paid = sum(one.amount for one in orders if isinstance(one, Transfer))
    assert paid == stake * seats
    assert [one.pending_id for one in orders if isinstance(one, Resolve)] == [
        one.id for one in pending.values()
    ]


def test_winners_who_share_get_the_odd_coins_in_order_of_seats() -> None:
    pending = dict(
        enumerate(one for one in hold(Stakes("t", 100, PLAYERS[:3]), "m") if isinstance(one, Transfer))
    )
    shared = replace(
        arena_won("t", 0, PLAYERS[:3], 100), winners=(0, 1), totals=(9, 9, 0), stake_changes=(50, 50, -100)
    )
    odd = replace(shared, stake_changes=(50, 49, -100))

    orders = pay_out(shared, ArenaTable(100, 0, 3), pending)
    assert not isinstance(orders, Fault)
    assert [one.amount for one in orders if isinstance(one, Transfer)] == [150, 150]
    raked = pay_out(odd, ArenaTable(100, 100, 3), pending)
    assert not isinstance(raked, Fault)
    assert [one.amount for one in raked if isinstance(one, Transfer)] == [150, 149, 1]


async def test_stakes_over_the_api(api: Api) -> None:
    for number, name in enumerate(PLAYERS[:2], 1):
        await api.call("Grant", grant_request(number, player_id=name, unit=pb.UNIT_COINS), operator())
    request = pb.HoldStakesRequest(table_id="t", stake=2, players=PLAYERS[:2])

    await api.call("HoldStakes", request, MATCHMAKING)

    other = pb.HoldStakesRequest(table_id="t", stake=1, players=PLAYERS[:2])
    assert (await api.refused("HoldStakes", other, MATCHMAKING))[:2] == (
        grpc.StatusCode.ALREADY_EXISTS,
        "TRANSFER_EXISTS",
    )
    more = pb.HoldStakesRequest(table_id="u", stake=1, players=PLAYERS[:2])
    assert (await api.refused("HoldStakes", more, MATCHMAKING))[:2] == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "INSUFFICIENT",
    )
    back = await api.call("ReturnStakes", pb.ReturnStakesRequest(table_id="t"), MATCHMAKING)
    assert back.returned == 2
    for caller in (player("ann"), operator()):
        assert (await api.refused("HoldStakes", request, caller))[0] is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (pb.HoldStakesRequest(table_id="", stake=1, players=["ann"]), "table_id"),
        (pb.HoldStakesRequest(table_id="t", stake=0, players=["ann"]), "stake"),
        (pb.HoldStakesRequest(table_id="t", stake=2**40, players=["ann"]), "stake"),
        (pb.HoldStakesRequest(table_id="t", stake=1), "players"),
        (pb.HoldStakesRequest(table_id="t", stake=1, players=["ann", "ann"]), "players"),
        (pb.HoldStakesRequest(table_id="t", stake=1, players=["ann", ""]), "players[1]"),
    ],
)
async def test_malformed_stakes_are_refused_by_the_name_of_their_field(
    api: Api, bad: pb.HoldStakesRequest, field: str
) -> None:
    code, _, metadata = await api.refused("HoldStakes", bad, MATCHMAKING)

    assert (code, metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, field)
