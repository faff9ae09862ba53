import asyncio
from dataclasses import replace
from typing import TypeVar

import pytest
from sqlalchemy import text
from tests.fixtures.ledger import canasta_won, ended, grant, read_books, reservation
from tests.fixtures.postgres import run_on

from meldhall_eventlog import NotMigrated
from meldhall_eventlog.migrate import revision
from meldhall_ledger.domain.accounts import Balance, Unit, of_player
from meldhall_ledger.domain.happenings import JokerSpent, NothingToPost, Numbered, TableClosed
from meldhall_ledger.domain.refusals import Code, Fault, FaultCode, Refusal
from meldhall_ledger.domain.transfers import Kind, derived_id
from meldhall_ledger.store import Applied, Duplicate, Gap, Ledger, Terms, migrate, open_database
from meldhall_ledger.store.database import OWNER
from meldhall_rules.match import Mode

T = TypeVar("T")
NOW = 1_700_000_000_000


async def _jokers(ledger: Ledger, player: str) -> tuple[int, int]:
    balance = (await ledger.balances(player))[1]
    return balance.posted, balance.held


async def test_a_ledger_is_not_ready_on_a_database_that_went_back(ledger: Ledger, url: str) -> None:
    await ledger.check()
    back = text("UPDATE ledger_alembic_version SET version_num = '0001'")
    newest = run_on(url, OWNER, lambda connection: revision(connection, OWNER))
    run_on(url, OWNER, lambda connection: connection.execute(back).rowcount)
    try:
        with pytest.raises(NotMigrated, match=f"is at 0001, this version needs {newest}"):
            await ledger.check()
    finally:
        again = text(f"UPDATE ledger_alembic_version SET version_num = '{newest}'")  # noqa: S608 - of this test
        run_on(url, OWNER, lambda connection: connection.execute(again).rowcount)


async def test_a_player_never_seen_has_zeros(ledger: Ledger) -> None:
    assert await ledger.balances("nobody") == tuple(Balance(unit) for unit in Unit)


async def test_the_same_grant_again_answers_as_the_first_time(ledger: Ledger, url: str) -> None:
    first = await ledger.grant(grant(1, "ann", 2))
    await ledger.grant(grant(2, "ann", 5))

    assert await ledger.grant(grant(1, "ann", 2)) == first == Balance(Unit.JOKERS, posted=2)
    assert await _jokers(ledger, "ann") == (7, 0)
    assert read_books(url).balances == {"player:ann:jokers": 7, "issue:jokers": -7}


async def test_another_grant_under_the_same_id_names_what_differs(ledger: Ledger) -> None:
    await ledger.grant(grant(1, "ann", 2))

    answer = await ledger.grant(grant(1, "ann", -2, Unit.COINS))

    assert isinstance(answer, Refusal)
    assert answer.code is Code.TRANSFER_EXISTS
    assert answer.parameters["different"] == "debit,credit"
    assert await _jokers(ledger, "ann") == (2, 0)


@pytest.mark.parametrize("unit", [Unit.JOKERS, Unit.COINS])
async def test_what_is_not_there_cannot_be_taken(ledger: Ledger, url: str, unit: Unit) -> None:
    await ledger.grant(grant(1, "ann", 2, unit))

    answer = await ledger.grant(grant(2, "ann", -3, unit))

    assert isinstance(answer, Refusal)
    assert answer.code is Code.INSUFFICIENT
    assert read_books(url).balances[f"player:ann:{unit}"] == 2


async def test_points_can_be_taken_below_zero_unless_there_is_a_floor(ledger: Ledger, url: str) -> None:
    assert await ledger.grant(grant(1, "ann", -50, Unit.POINTS)) == Balance(Unit.POINTS, posted=-50)

    floored = Ledger(open_database(url), now_ms=lambda: NOW, terms=Terms(-60))
    answer = await floored.grant(grant(2, "ann", -11, Unit.POINTS))
    assert isinstance(answer, Refusal)
    assert await floored.grant(grant(3, "ann", -10, Unit.POINTS)) == Balance(Unit.POINTS, posted=-60)
    await floored.close()


async def test_a_floor_lets_off_the_rest_of_a_loss(url: str) -> None:
    migrate(url)
    ledger = Ledger(open_database(url), now_ms=lambda: NOW, terms=Terms(0))
    await ledger.grant(grant(1, "ben", 150, Unit.POINTS))

    for number in (1, 2):
        await ledger.apply(Numbered("t", number, ended("t", number, {"ann": 101, "ben": -101})))

    seats = await ledger.settlement("t", 2)
    assert seats is not None
    assert [seat.points for seat in seats] == [101, -49]
    assert read_books(url).balances == {"player:ann:points": 202, "issue:points": -202}
    await ledger.close()


async def test_what_is_held_cannot_be_taken(ledger: Ledger) -> None:
    await ledger.grant(grant(1, "ann", 2))
    await ledger.reserve_jokers(reservation("t", 1, "ann"))

    answer = await ledger.grant(grant(2, "ann", -2))

    assert isinstance(answer, Refusal)
    assert answer.code is Code.INSUFFICIENT
    assert await _jokers(ledger, "ann") == (2, 1)


async def test_a_player_in_several_seats_and_tables_cannot_overspend(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 3))

    assert await ledger.reserve_jokers(reservation("t", 1, "ann", "ben", "ann")) == (0, 2)
    assert await ledger.reserve_jokers(reservation("u", 1, "ben", "ann", "ann")) == (1,)
    assert await ledger.reserve_jokers(reservation("v", 1, "ann")) == ()
    assert read_books(url).held == {"player:ann:jokers": 3}


async def test_a_reservation_answers_the_same_after_spending_and_releasing(ledger: Ledger) -> None:
    await ledger.grant(grant(1, "ann", 1))
    await ledger.grant(grant(2, "ben", 1))
    wanted = reservation("t", 1, "ann", "ben", "cid")
    assert await ledger.reserve_jokers(wanted) == (0, 1)
    await ledger.grant(grant(3, "cid", 1))

    await ledger.apply(Numbered("t", 1, JokerSpent("t", 1, 0, "ann")))
    assert await ledger.reserve_jokers(wanted) == (0, 1)
    await ledger.apply(Numbered("t", 2, ended("t", 1, {"ann": 101, "ben": -101, "cid": 0})))

    assert await ledger.reserve_jokers(wanted) == (0, 1)
    assert await _jokers(ledger, "ann") == (0, 0)
    assert await _jokers(ledger, "ben") == (1, 0)
    assert await _jokers(ledger, "cid") == (1, 0)


async def test_other_claims_for_a_reserved_round_are_refused(ledger: Ledger) -> None:
    await ledger.reserve_jokers(reservation("t", 1, "ann"))

    answer = await ledger.reserve_jokers(reservation("t", 1, "ben"))

    assert isinstance(answer, Refusal)
    assert answer.code is Code.RESERVATION_EXISTS


async def test_a_reservation_that_comes_too_late_holds_nothing(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 3))
    await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101})))
    await ledger.apply(Numbered("t", 2, TableClosed("t")))

    assert await ledger.reserve_jokers(reservation("t", 1, "ann")) == ()
    assert await ledger.reserve_jokers(reservation("t", 2, "ann")) == ()
    assert read_books(url).held == {}


async def test_the_end_of_a_table_releases_what_it_holds(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 2))
    await ledger.reserve_jokers(reservation("t", 1, "ann"))
    await ledger.reserve_jokers(reservation("u", 1, "ann"))

    await ledger.apply(Numbered("t", 1, TableClosed("t")))

    assert read_books(url).held == {"player:ann:jokers": 1}


async def test_a_round_is_settled_also_when_it_moves_nothing(ledger: Ledger, url: str) -> None:
    assert await ledger.settlement("t", 1) is None
    await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 303, "ben": -303}, Mode.ARENA)))

    seats = await ledger.settlement("t", 1)

    assert seats is not None
    assert [(seat.points, seat.transfer_id) for seat in seats] == [(0, None), (0, None)]
    assert read_books(url).balances == {}
    assert (await ledger.sums()).settled_rounds == 1


WON = canasta_won("t", 1, 2, ("ann", "ben", "", "dan"))


async def test_the_end_of_a_match_pays_once_and_releases_what_its_table_holds(
    ledger: Ledger, url: str
) -> None:
    await ledger.grant(grant(1, "ann", 1))
    await ledger.reserve_jokers(reservation("t", 3, "ann"))
    await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101})))

    answer = await ledger.apply(Numbered("t", 2, WON))
    again = await ledger.apply(Numbered("t", 2, WON))
    await ledger.apply(Numbered("t", 3, TableClosed("t")))

    assert isinstance(answer, Applied)
    assert again == Duplicate()
    books = read_books(url)
    assert books.held == {}
    assert books.balances["player:ann:points"] == 101 - 2000
    assert books.balances["player:ben:points"] == -101 + 2000
    assert books.balances["player:dan:points"] == 2000
    assert books.transfers >= {str(derived_id("t", 0, Kind.MATCH_RESULT, seat)) for seat in (0, 1, 3)}
    assert await ledger.reserve_jokers(reservation("t", 4, "ann")) == ()
    assert (await ledger.sums()).settled_rounds == 1


async def test_a_second_end_of_a_match_is_a_fault_and_changes_nothing(ledger: Ledger, url: str) -> None:
    await ledger.apply(Numbered("t", 1, WON))
    before = read_books(url)

    answer = await ledger.apply(Numbered("t", 2, canasta_won("t", 0, 3, ("ann", "ben", "", "dan"))))

    assert isinstance(answer, Fault)
    assert answer.code is FaultCode.SETTLED_BEFORE
    assert read_books(url) == before


async def test_a_match_that_contradicts_itself_changes_nothing(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 1))
    await ledger.reserve_jokers(reservation("t", 1, "ann"))
    before = read_books(url)

    answer = await ledger.apply(Numbered("t", 1, replace(WON, account_changes=(-2000, 2000, 0, 1999))))

    assert isinstance(answer, Fault)
    assert answer.code is FaultCode.CHANGES_DIFFER
    assert read_books(url) == before
    assert await ledger.last_sequence("t") == 0
    assert await ledger.settlement("t", 0) is None


async def test_a_match_that_pays_nothing_is_settled_too(ledger: Ledger, url: str) -> None:
    ranked = canasta_won("t", 1, 2, ("ann", "ben", "cid", "dan"), Mode.TOURNAMENT)

    await ledger.apply(Numbered("t", 1, ranked))

    seats = await ledger.settlement("t", 0)
    assert seats is not None
    assert [(seat.points, seat.transfer_id) for seat in seats] == [(0, None)] * 4
    assert read_books(url).balances == {}


async def test_a_match_takes_no_points_below_the_floor(url: str) -> None:
    migrate(url)
    floored = Ledger(open_database(url), now_ms=lambda: NOW, terms=Terms(-500))
    await floored.apply(Numbered("t", 1, WON))
    await floored.close()

    balances = read_books(url).balances
    assert (balances["player:ann:points"], balances["player:ben:points"]) == (-500, 2000)


async def test_a_settlement_names_its_transfers(ledger: Ledger) -> None:
    answer = await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101})))

    seats = await ledger.settlement("t", 1)

    assert isinstance(answer, Applied)
    assert seats is not None
    assert [seat.transfer_id for seat in seats] == [derived_id("t", 1, Kind.ROUND_RESULT, s) for s in (0, 1)]
    assert [(one.sum, one.transfers) for one in (await ledger.sums()).units] == [(0, 2), (0, 0), (0, 0)]


async def test_events_count_once_and_never_with_a_hole(ledger: Ledger, url: str) -> None:
    first = Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101}))

    assert await ledger.apply(Numbered("t", 2, NothingToPost())) == Gap(0)
    assert isinstance(await ledger.apply(first), Applied)
    assert await ledger.apply(first) == Duplicate()
    assert await ledger.apply(Numbered("t", 5, NothingToPost())) == Gap(1)
    assert isinstance(await ledger.apply(Numbered("u", 1, NothingToPost())), Applied)
    assert await ledger.last_sequence("t") == 1
    assert read_books(url).balances["player:ann:points"] == 101


@pytest.mark.parametrize(
    ("spent", "code"),
    [
        (JokerSpent("t", 1, 1, "ben"), FaultCode.NO_HOLD),
        (JokerSpent("t", 2, 0, "ann"), FaultCode.NO_HOLD),
        (JokerSpent("t", 1, 0, "ben"), FaultCode.NO_HOLD),
    ],
)
async def test_a_joker_that_nobody_holds_is_a_fault(
    ledger: Ledger, url: str, spent: JokerSpent, code: FaultCode
) -> None:
    await ledger.grant(grant(1, "ann", 5))
    await ledger.reserve_jokers(reservation("t", 1, "ann"))
    before = read_books(url)

    answer = await ledger.apply(Numbered("t", 1, spent))

    assert isinstance(answer, Fault)
    assert answer.code is code
    assert read_books(url) == before
    assert await ledger.last_sequence("t") == 0


async def test_a_joker_is_spent_once(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 5))
    await ledger.reserve_jokers(reservation("t", 1, "ann"))
    spent = JokerSpent("t", 1, 0, "ann")
    await ledger.apply(Numbered("t", 1, spent))

    again = await ledger.apply(Numbered("t", 2, spent))

    assert isinstance(again, Fault)
    assert again.code is FaultCode.NO_HOLD
    assert read_books(url).balances["player:ann:jokers"] == 4


async def test_a_second_end_of_a_round_is_a_fault_and_changes_nothing(ledger: Ledger, url: str) -> None:
    await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101})))
    before = read_books(url)

    answer = await ledger.apply(Numbered("t", 2, ended("t", 1, {"ann": 303, "ben": -303})))

    assert isinstance(answer, Fault)
    assert answer.code is FaultCode.SETTLED_BEFORE
    assert read_books(url) == before


async def test_a_derived_id_that_somebody_took_is_a_fault(ledger: Ledger, url: str) -> None:
    taken = derived_id("t", 1, Kind.ROUND_RESULT, 0)
    await ledger.grant(grant(taken.int, "ann", 101, Unit.POINTS))

    answer = await ledger.apply(Numbered("t", 1, ended("t", 1, {"ann": 101, "ben": -101})))

    assert isinstance(answer, Fault)
    assert answer.code is FaultCode.TRANSFER_CLASH
    assert await ledger.settlement("t", 1) is None
    assert read_books(url).balances["player:ann:points"] == 101


async def test_a_statement_is_newest_first_with_running_balance(ledger: Ledger) -> None:
    await ledger.grant(grant(1, "ann", 10, Unit.POINTS))
    await ledger.apply(Numbered("t", 1, ended("t", 4, {"ann": -30, "ben": 30})))
    account = of_player(Unit.POINTS, "ann")

    lines = await ledger.statement(account, before=None, limit=10)

    assert [(line.change, line.balance, line.kind) for line in lines] == [
        (-30, -20, Kind.ROUND_RESULT),
        (10, 10, Kind.GRANT),
    ]
    assert lines[0].cause is not None
    assert (lines[0].cause.table_id, lines[0].cause.round) == ("t", 4)
    assert lines[1].reason == "because"
    assert await ledger.statement(account, before=lines[0].number, limit=10) == [lines[1]]
    assert await ledger.statement(account, before=None, limit=1) == [lines[0]]


async def test_200_debits_of_a_balance_good_for_100_pass_100_times(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 100))

    answers = await asyncio.gather(*(ledger.grant(grant(n, "ann", -1)) for n in range(2, 202)))

    assert sum(isinstance(answer, Balance) for answer in answers) == 100
    assert {a.code for a in answers if isinstance(a, Refusal)} == {Code.INSUFFICIENT}
    assert read_books(url).balances == {}


async def test_200_reservations_for_100_jokers_hold_100(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 100))

    answers = await asyncio.gather(
        *(ledger.reserve_jokers(reservation(f"t{n}", 1, "ann")) for n in range(200))
    )

    assert (answers.count((0,)), answers.count(())) == (100, 100)
    assert read_books(url).held == {"player:ann:jokers": 100}


async def test_two_processes_with_the_same_round_settle_it_once(ledger: Ledger, url: str) -> None:
    other = Ledger(open_database(url), now_ms=lambda: NOW)
    events = [Numbered("t", n, ended("t", n, {"ann": 101, "ben": -101})) for n in range(1, 21)]

    async def take_all(one: Ledger) -> int:
        return sum([isinstance(await one.apply(event), Applied) for event in events])

    counts = await asyncio.gather(take_all(ledger), take_all(other))

    assert sum(counts) == 20
    assert read_books(url).balances["player:ann:points"] == 20 * 101
    assert read_books(url).settled == 20
    await other.close()


async def test_migrating_twice_changes_nothing(ledger: Ledger, url: str) -> None:
    await ledger.grant(grant(1, "ann", 2))

    assert migrate(url) == "0003"
    assert await _jokers(ledger, "ann") == (2, 0)
