"""Rounds and results: what counts, what comes late, what operators decide."""

from tests.fixtures.tournament import PLAN, Director, plan

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.plan import Format, Plan, Prizes
from meldhall_tournament.domain.refusals import Code, Refusal
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import Out, Phase

WIN = (e.SideResult(1), e.SideResult(2))
LOSS = (e.SideResult(2), e.SideResult(1))


def code(answer: object) -> Code | None:
    return answer.code if isinstance(answer, Refusal) else None


def running(players: int, tournament: Plan = PLAN) -> Director:
    director = Director(tournament)
    director.enter(*(f"p{number}" for number in range(1, players + 1)))
    director.start()
    return director


def test_a_round_that_is_paired_is_not_paired_again() -> None:
    director = running(4)
    assert director.must(c.PairRound(1)) == ()
    assert code(director.do(c.PairRound(2))) is Code.NOT_DUE
    director.record(1, 1, 2)
    assert code(director.do(c.Close())) is Code.NOT_DUE
    director.record(2, 1, 1)
    director.run_due()
    assert len(director.state.rounds) == 2
    assert director.must(c.PairRound(2)) == ()


def test_a_table_is_noted_once_and_only_for_the_attempt_that_is_played() -> None:
    director = running(2)
    assert director.must(c.NoteTable(1, 1, 1, "early")) == ()
    director.must(c.NoteTable(1, 1, 0, "one"))
    assert director.must(c.NoteTable(1, 1, 0, "two")) == ()
    assert director.state.table_ids == {"one": (1, 1, 0)}


def test_a_table_that_nobody_could_know_of_is_opened_again() -> None:
    director = running(2)
    director.must(c.NoteTable(1, 1, 0, "one"))
    director.must(c.LoseTable(1, 1, 0))
    assert director.must(c.LoseTable(1, 1, 0)) == ()
    pairing = director.state.pairing(1, 1)
    assert pairing is not None
    assert (pairing.attempt, pairing.table_id) == (1, "")
    assert director.must(c.Record(1, 1, WIN, e.Source.MATCH, attempt=0)) == ()
    director.must(c.NoteTable(1, 1, 1, "two"))
    director.record(1, 1, 2)
    assert director.must(c.LoseTable(1, 1, 1)) == ()


def test_a_late_result_is_noted_once_and_changes_nothing() -> None:
    director = running(4)
    director.must(c.NoteTable(1, 1, 0, "one"))
    director.now = director.late_ms()
    director.run_due()
    before = standings(director.state)
    late = director.result(1, 1, WIN)
    assert director.must(late) == (e.LateResultNoted(1, 1, WIN, director.now),)
    assert director.must(late) == ()
    assert standings(director.state) == before
    director.must(c.Void(1, 1, replay=False, reason="it had ended", by="op"))
    director.must(c.Record(1, 1, WIN, e.Source.OPERATOR, by="op"))
    assert sorted(row.points for row in standings(director.state)) == [0, 0, 0, 12]


def test_a_timeout_gives_nobody_anything() -> None:
    director = running(2)
    director.must(c.NoteTable(1, 1, 0, "one"))
    director.now = director.late_ms() - 1
    director.run_due()
    assert director.state.round_is_open
    director.now += 1
    director.run_due()
    assert len(director.state.rounds) == 2
    assert [row.points for row in standings(director.state)] == [0, 0]


def test_a_voided_result_is_played_again_or_gives_nothing() -> None:
    director = running(4)
    director.record(1, 1, 2)
    assert code(director.do(c.Void(1, 2, replay=True, reason="?", by="op"))) is Code.NO_RESULT
    director.must(c.Void(1, 1, replay=True, reason="a bug", by="op"))
    old = c.Record(1, 1, WIN, e.Source.MATCH, attempt=0)
    assert director.must(old) == ()
    director.must(director.result(1, 1, LOSS))
    director.record(2, 1, 2)
    director.run_due()
    assert code(director.do(c.Void(1, 1, replay=True, reason="late", by="op"))) is Code.CANNOT_REPLAY
    director.must(c.Void(1, 1, replay=False, reason="late", by="op"))
    assert sum(row.points for row in standings(director.state)) == 12


def test_who_did_not_come_is_not_paired_until_he_checks_in_again() -> None:
    director = running(5)
    first = director.state.rounds[0][0].entrants
    sides = (e.SideResult(1), e.SideResult(2, came=False))
    director.must(c.Record(1, 1, sides, e.Source.FORFEIT))
    director.record(2, 1, 2)
    director.run_due()
    seated = {number for pairing in director.state.rounds[1] for number in pairing.entrants}
    assert first[1] not in seated
    player = director.state.contestants[first[1]].entrant.players[0]
    director.must(c.CheckIn(player))
    director.play_round()
    assert first[1] in {number for pairing in director.state.rounds[2] for number in pairing.entrants}


def test_with_all_but_one_gone_it_ends() -> None:
    director = running(3)
    for player in ("p1", "p2"):
        director.must(c.Withdraw(player))
    director.play_round()
    assert director.state.phase is Phase.CLOSED
    assert len(director.state.rounds) == 1


def test_who_is_disqualified_is_last_everywhere_and_his_opponents_win() -> None:
    director = running(4)
    winner, loser = director.state.rounds[0][0].entrants
    director.record(1, 1, 2)
    director.record(2, 1, 1)
    director.must(c.Disqualify(winner, "two accounts", "op"))
    assert director.must(c.Disqualify(winner, "two accounts", "op")) == ()
    rows = {row.number: row for row in standings(director.state)}
    assert rows[winner].out is Out.DISQUALIFIED
    assert (rows[winner].place, rows[winner].points) == (4, 0)
    assert (rows[loser].place, rows[loser].points, rows[loser].wins) == (1, 12, 1)


def test_nothing_begins_while_it_is_paused() -> None:
    director = running(2)
    director.must(c.Pause("table 1 cannot be opened", "meldhall"))
    director.record(1, 1, 2)
    director.run_due()
    assert len(director.state.rounds) == 1
    assert code(director.do(c.PairRound(2))) is Code.IS_PAUSED
    director.must(c.Resume("op"))
    director.run_due()
    assert len(director.state.rounds) == 2


def test_a_cancelled_tournament_gives_every_fee_back() -> None:
    director = running(4, plan(entry_fee=10))
    director.settle_fees()
    assert director.books.balances["prize:t:coins"] == 40
    director.must(c.Cancel("rain", "op"))
    director.settle_fees()
    assert director.books.balances["prize:t:coins"] == 0
    assert code(director.do(c.Pause("?", "op"))) is Code.IS_OVER
    assert director.must(c.Record(1, 1, WIN, e.Source.MATCH)) == ()


def test_after_the_close_only_an_operator_changes_results_and_prizes_follow() -> None:
    prizes = Prizes(amounts=(100, 40))
    director = running(2, plan(format=Format.SINGLE_ELIMINATION, rounds=0, entry_fee=70, prizes=prizes))
    first, second = (f"p{number}" for number in director.state.rounds[0][0].entrants)
    director.record(1, 1, 2)
    director.play_to_the_end()
    assert {due.player: due.amount for due in director.state.dues} == {first: 100, second: 40}
    assert len(director.must(director.result(1, 1, LOSS))) == 1
    director.must(c.Void(1, 1, replay=False, reason="cheating", by="op"))
    director.must(c.Record(1, 1, LOSS, e.Source.OPERATOR, by="op"))
    net: dict[str, int] = {}
    for due in director.state.dues:
        net[due.player] = net.get(due.player, 0) + due.amount
    assert net == {first: 40, second: 100}
    assert {due.player for due in director.state.dues if due.amount < 0} == {first}


def test_a_knock_out_gives_byes_to_the_first_seeds_and_ends_with_one() -> None:
    director = running(5, plan(format=Format.SINGLE_ELIMINATION, rounds=0))
    seeds = sorted(director.state.contestants.values(), key=lambda one: -one.lot)
    byes = [pairing.entrants[0] for pairing in director.state.rounds[0] if pairing.is_bye]
    assert sorted(byes) == sorted(one.number for one in seeds[:3])
    director.play_to_the_end()
    assert [len(tables) for tables in director.state.rounds] == [4, 2, 1]
    assert director.state.phase is Phase.CLOSED


def test_a_knock_out_table_goes_on_with_somebody() -> None:
    director = running(4, plan(format=Format.SINGLE_ELIMINATION, rounds=0))
    director.record(1, 1, 1)
    assert code(director.do(c.Void(1, 1, replay=False, reason="?", by="op"))) is Code.NEEDS_RESULT
    drawn_by_lot = max(director.state.rounds[0][0].entrants, key=lambda n: director.state.contestants[n].lot)
    nobody = tuple(e.SideResult(1, came=False) for _ in range(2))
    director.must(c.Record(1, 2, nobody, e.Source.FORFEIT))
    director.run_due()
    assert director.state.phase is Phase.CLOSED
    assert standings(director.state)[0].number == drawn_by_lot


def test_who_gets_further_in_a_knock_out_is_ahead_though_only_lots_decided() -> None:
    director = running(4, plan(format=Format.SINGLE_ELIMINATION, rounds=0))
    while not director.state.phase.is_over:
        for round_no, table, _ in list(director.state.undecided()):
            director.must(c.NoteTable(round_no, table, 0, f"{round_no}-{table}"))
        director.now = director.late_ms()
        director.run_due()
    rows = standings(director.state)
    final = director.state.rounds[-1][0].entrants
    assert {rows[0].number, rows[1].number} == set(final)
    assert [row.points for row in rows] == [24, 12, 0, 0]
    assert rows[0].lot > rows[1].lot
    assert [row.wins for row in rows] == [0, 0, 0, 0]


def test_a_finalist_who_withdraws_leaves_the_title_to_nobody_else_by_accident() -> None:
    director = running(4, plan(format=Format.SINGLE_ELIMINATION, rounds=0))
    director.play_round()
    winner, loser = director.state.rounds[-1][0].entrants
    director.must(c.Withdraw(director.state.contestants[winner].entrant.players[0]))
    director.must(c.Record(2, 1, (e.SideResult(2, came=False), e.SideResult(1)), e.Source.FORFEIT))
    director.run_due()
    rows = standings(director.state)
    assert (rows[0].number, rows[0].points) == (loser, 24)
    assert (rows[-1].number, rows[-1].out) == (winner, Out.WITHDRAWN)
