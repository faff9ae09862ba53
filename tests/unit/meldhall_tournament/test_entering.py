"""Registration, fees, check-in, partners, late entries."""

from tests.fixtures.tournament import START_MS, Director, plan

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.money import open_orders
from meldhall_tournament.domain.plan import Format
from meldhall_tournament.domain.refusals import Code, Refusal
from meldhall_tournament.domain.state import Phase


def code(answer: object) -> Code | None:
    return answer.code if isinstance(answer, Refusal) else None


def test_an_entry_counts_once_its_fee_is_held() -> None:
    director = Director(plan(entry_fee=10))
    director.fund("ann")
    director.must(c.Register("ann"))
    director.must(c.Register("poor"))
    assert [order.key for order in open_orders(director.state)] == ["hold/1", "hold/2"]
    director.settle_fees()
    assert director.events[-1] == e.FeeRefused(2, "INSUFFICIENT", director.now)
    assert director.state.entry_of("ann") is not None
    assert director.state.entry_of("poor") is None
    assert code(director.do(c.Register("ann"))) is Code.ALREADY_ENTERED
    assert director.must(c.AnswerFee(1)) == ()
    director.must(c.Register("poor"))


def test_who_withdraws_before_the_start_gets_the_fee_back_and_may_come_again() -> None:
    director = Director(plan(entry_fee=10))
    director.enter("ann")
    director.must(c.Withdraw("ann"))
    assert code(director.do(c.Withdraw("ann"))) is Code.NOT_ENTERED
    assert [order.key for order in open_orders(director.state)] == ["void/1"]
    director.settle_fees()
    assert director.books.holds == {}
    director.enter("ann")
    assert [entry.counts for entry in director.state.entries.values()] == [False, True]


def test_registration_has_a_window_and_a_maximum() -> None:
    director = Director(plan(opens_at_ms=500, maximum=2))
    assert code(director.do(c.Register("ann"))) is Code.NOT_OPEN
    director.now = 500
    director.enter("ann", "ben")
    assert code(director.do(c.Register("cleo"))) is Code.FULL
    director.must(c.Withdraw("ann"))
    director.enter("cleo")
    director.start()
    assert code(director.do(c.Register("dan"))) is Code.NOT_OPEN


def test_who_did_not_check_in_does_not_play_and_does_not_pay() -> None:
    director = Director(plan(check_in_ms=1000, entry_fee=10))
    director.enter("ann", "ben", "cleo")
    assert code(director.do(c.CheckIn("ann"))) is Code.NOT_CHECK_IN_TIME
    director.now = START_MS - 1000
    director.must(c.CheckIn("ann"))
    director.must(c.CheckIn("ben"))
    assert director.must(c.CheckIn("ben")) == ()
    director.start()
    assert sorted(director.state.contestants) == [1, 2]
    assert [order.key for order in open_orders(director.state)] == ["post/1", "post/2", "void/3"]


def test_too_few_entries_call_it_off_and_every_fee_goes_back() -> None:
    director = Director(plan(minimum=3, entry_fee=10))
    director.enter("ann", "ben")
    director.start()
    assert director.state.phase is Phase.CANCELLED
    director.settle_fees()
    assert director.books.balances["player:ann:coins"] == director.purse
    assert director.books.holds == {}


def test_a_start_waits_a_minute_for_the_ledger_and_goes_on_without_who_has_no_answer() -> None:
    director = Director(plan(entry_fee=10))
    director.enter("ann", "ben")
    director.fund("cleo")
    director.must(c.Register("cleo"))
    director.start()
    assert director.state.phase is Phase.OPEN
    director.now = START_MS + 60_000
    director.run_due()
    assert sorted(director.state.contestants) == [1, 2]
    director.settle_fees()
    assert director.books.balances["player:cleo:coins"] == director.purse


def test_a_sit_and_go_starts_with_its_last_entry() -> None:
    director = Director(plan(sit_and_go=True, starts_at_ms=0, maximum=4))
    director.enter("ann", "ben", "cleo")
    director.run_due()
    assert director.state.phase is Phase.OPEN
    director.enter("dan")
    director.run_due()
    assert len(director.state.rounds) == 1


def test_late_entrants_are_paired_from_the_next_round_on_up_to_a_round() -> None:
    director = Director(plan(late_until_round=2))
    director.enter("ann", "ben")
    director.start()
    director.enter("cleo")
    assert 3 in director.state.contestants
    director.play_round()
    assert {number for pairing in director.state.rounds[1] for number in pairing.entrants} == {1, 2, 3}
    assert code(director.do(c.Register("dan"))) is Code.NOT_OPEN


def test_a_late_fee_that_is_held_too_late_is_given_back() -> None:
    director = Director(plan(late_until_round=2, entry_fee=10))
    director.enter("ann", "ben")
    director.start()
    director.fund("cleo")
    director.must(c.Register("cleo"))
    director.play_round()
    director.settle_fees()
    assert 3 not in director.state.contestants
    assert director.books.balances["player:cleo:coins"] == director.purse


def test_re_entry_is_for_who_withdrew_while_it_is_allowed() -> None:
    director = Director(plan(late_until_round=3, entries_each=2))
    director.enter("ann", "ben", "cleo", "dan")
    director.start()
    director.must(c.Withdraw("ann"))
    director.enter("ann")
    assert director.state.contestants[5].entrant.players == ("ann",)
    director.must(c.Withdraw("ann"))
    assert code(director.do(c.Register("ann"))) is Code.NO_RE_ENTRY


def test_partners_name_each_other() -> None:
    director = Director(plan(game="canasta", team_size=2, minimum=4, match_rounds=3, entry_fee=1))
    assert code(director.do(c.Register("ann"))) is Code.BAD_PARTNER
    assert code(director.do(c.Register("ann", "ann"))) is Code.BAD_PARTNER
    for player, partner in ("ab", "cd", "ba", "dc", "ea", "fg"):
        director.fund(player)
        director.must(c.Register(player, partner))
    director.settle_fees()
    director.start()
    teams = [one.entrant.players for one in director.state.contestants.values()]
    assert teams == [("a", "b"), ("c", "d")]
    assert [order.key for order in open_orders(director.state)][-2:] == ["void/5", "void/6"]


def test_partners_are_drawn_from_the_seed() -> None:
    director = Director(plan(game="canasta", team_size=2, drawn_partners=True, minimum=4, match_rounds=3))
    director.enter(*"abcdefg")
    director.start()
    players = [player for one in director.state.contestants.values() for player in one.entrant.players]
    assert len(set(players)) == len(players) == 6
    again = Director(plan(game="canasta", team_size=2, drawn_partners=True, minimum=4, match_rounds=3))
    again.enter(*"abcdefg")
    again.start()
    assert again.events == director.events


def test_a_start_needs_the_seed_that_was_committed_to() -> None:
    director = Director(plan(format=Format.FIXED_ROUNDS))
    director.enter("ann", "ben")
    director.now = START_MS
    assert code(director.do(c.Start(bytes(32)))) is Code.NOT_DUE
