"""What is wrong with a scenario becomes a failed case that names the key and the place."""

from textwrap import dedent

import pytest

from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.scenario import CaseResult, run_text
from meldhall_rules.scenario import runner as runner_module
from meldhall_rules.scenario.adapter import Adapter
from meldhall_rules.scenario.adapters import ADAPTERS
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.session import Session


def run(text: str) -> tuple[CaseResult, ...]:
    return run_text("file.yaml", dedent(text))


def detail_of_case(case: str, head: str = "game: rummy101, players: 2") -> str:
    """Run one case written as a flow mapping and return what is wrong with it."""
    (result,) = run(f"{{{head}, cases: [{{id: a, {case}}}]}}")
    assert result.ok is (not result.detail)
    return result.detail


def test_a_good_case_has_nothing_to_say() -> None:
    assert run("{game: rummy101, cases: [{id: a, then: {turn: 0}}]}") == (
        CaseResult("file.yaml", "a", ok=True, detail=""),
    )


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "file: None is not a mapping"),
        ("[1, 2]", "file: [1, 2] is not a mapping"),
        ("game: [", "not readable as YAML: "),
        ("game: \x07", "not readable as YAML: "),
        ("a: 1\n---\nb: 2", "not readable as YAML: "),
        ("{? [1] : 2}", "not readable as YAML: "),
        ("game: !!python/object:os.system {}", "not readable as YAML: "),
        ("game: 2001-99-99", "not readable as YAML: ValueError"),
        ("[" * 5000, "not readable as YAML: "),
        ("game: rummy101", "file: the key 'cases' is missing"),
        ("{game: rummy101, cases: []}", "cases: there is no case"),
        ("{game: rummy101, cases: 7}", "cases: 7 is not a list"),
    ],
)
def test_a_file_without_readable_cases_is_one_failed_case(text: str, detail: str) -> None:
    (result,) = run_text("file.yaml", text)
    assert (result.file, result.id, result.ok) == ("file.yaml", "-", False)
    assert result.detail.startswith(detail)


@pytest.mark.parametrize(
    ("head", "detail"),
    [
        ("game: rummy101, player: 2", "file: unknown key 'player', known are cases, game, options, players"),
        ("players: 2", "file: the key 'game' is missing"),
        ("game: 7", "game: 7 is not a text"),
        ("game: chess", "game: there is no game 'chess', known are "),
        ("game: rummy101, players: two", "players: 'two' is not a whole number"),
        ("game: rummy101, players: true", "players: True is not a whole number"),
        ("game: rummy101, players: 5", "players: 5 is not from 2 to 4"),
        ("game: rummy101, options: {open: rising}", "options: rummy101 has no option 'open'"),
        ("game: rummy101, options: {opening: up}", "options: opening is 'up', not one of fixed, rising"),
        ("game: rummy101, options: [opening]", "options: ['opening'] is not a mapping"),
        ("game: rummy101, options: {1: 2}", "options: key 1 is not a text"),
    ],
)
def test_a_fault_of_the_file_fails_every_case_of_it(head: str, detail: str) -> None:
    results = run(f"{{{head}, cases: [{{id: a}}, {{id: b}}]}}")
    assert [result.id for result in results] == ["a", "b"]
    for result in results:
        assert not result.ok
        assert result.detail.startswith(detail)


def test_a_key_written_twice_is_an_error_and_its_place_is_told() -> None:
    (result,) = run("game: rummy101\ncases:\n- id: a\n  given: {hands: {0: R1, 0: R2}}\n")
    assert "key 0 is written twice" in result.detail
    assert "line 4, column 26" in result.detail


@pytest.mark.parametrize(
    ("case", "detail"),
    [
        ("7", "case: 7 is not a mapping"),
        ("{}", "id: None is not a text"),
        ("{id: ''}", "id: is empty"),
        ("{id: 7}", "id: 7 is not a text"),
    ],
)
def test_a_case_without_an_id_is_named_by_its_place(case: str, detail: str) -> None:
    good, bad = run(f"{{game: rummy101, cases: [{{id: a}}, {case}]}}")
    assert good.ok
    assert (bad.id, bad.ok, bad.detail) == ("cases[1]", False, detail)


def test_an_id_is_used_once_and_the_first_case_runs() -> None:
    first, second = run("{game: rummy101, cases: [{id: a}, {id: a}]}")
    assert first.ok
    assert (second.ok, second.detail) == (False, "id: 'a' is the id of an earlier case")


@pytest.mark.parametrize(
    ("case", "detail"),
    [
        ("plays: []", "case: unknown key 'plays', known are given, id,"),
        ("why: 7", "why: 7 is not a text"),
        ("given: []", "given: [] is not a mapping"),
        ("given: {hand: {}}", "given: unknown key 'hand', known are acquired, dealer,"),
        ("given: {out: 1}", "given: unknown key 'out'"),
        ("given: {seed: x}", "given.seed: 'x' is not a whole number"),
        ("given: {seed: 12345678901234567890123}", "given.seed: 12345678901234567890123 is too large"),
        ("given: {turn: 2}", "given.turn: 2 is not from 0 to 1"),
        ("given: {dealer: -1}", "given.dealer: -1 is not from 0 to 1"),
        ("given: {dealer: 0, turn: 0}", "given.turn: seat 0 cannot start where seat 0 is the dealer"),
        ("given: {round: 0}", "given.round: 0 is not 1 or more"),
        ("given: {phase: over}", "given.phase: 'over' is not one of draw, play"),
        ("given: {first_turn: 1}", "given.first_turn: 1 is not true or false"),
        ("given: {first_turn: true, phase: draw}", "given.phase: the first turn begins in play, not in draw"),
        (
            "given: {first_turn: true, acquired: stock}",
            "given.acquired: nothing is acquired in the first turn",
        ),
        ("given: {phase: draw, acquired: button}", "given.phase: a turn with an acquired tile is in play"),
        ("given: {acquired: luck}", "given.acquired: 'luck' is not stock, button or discard and a tile"),
        ("given: {acquired: discard R14}", "given.acquired: 'R14' is not a tile"),
        ("given: {acquired: discard}", "given.acquired: '' is not one tile"),
        ("given: {hands: R1}", "given.hands: 'R1' is not a mapping by seat"),
        ("given: {hands: {2: R1}}", "given.hands: 2 is not a seat from 0 to 1"),
        ("given: {hands: {zero: R1}}", "given.hands: 'zero' is not a seat from 0 to 1"),
        ("given: {hands: {0: 7}}", "given.hands[0]: 7 is not a text"),
        ("given: {hands: {0: 'G7'}}", "given.hands[0]: there is no tile 'G7'"),
        ("given: {hands: {0: 'R1 ?'}}", "given.hands[0]: '?' is not '?' and a number of tiles"),
        (
            "given: {hands: {0: '?999999999'}}",
            "given.hands[0]: ?999999999, but only 106 tiles are left for it",
        ),
        ("given: {stock: '?86'}", "given.stock: ?86, but only 64 tiles are left for it"),
        ("given: {stock: '?3 R1'}", "given.stock: '?n' can only be the end of a stock"),
        ("given: {melds: ['run:R1,R2,R3']}", "given.melds[0]: 'run:R1,R2,R3' does not begin with a seat"),
        ("given: {melds: ['2 run:R1,R2,R3']}", "given.melds[0]: '2 run:R1,R2,R3' does not begin with a seat"),
        ("given: {melds: ['0 run:R1,R2,R4']}", "given.melds[0]: run:R1,R2,R4 is no meld: gap at R3"),
        ("given: {melds: ['0 row:R1,R2,R4']}", "given.melds[0]: 'row:R1,R2,R4' is not run:, set: or pair:"),
        ("given: {opened: {0: melds}}", "given.opened[0]: 'melds' is not melds or pairs and a number"),
        ("given: {opened: {0: melds 100}}", "given.opened[0]: 'melds 100': nobody opens with less than 101"),
        ("given: {opened: {0: pairs 4}}", "given.opened[0]: 'pairs 4': nobody opens with less than 5"),
        ("given: {jokers: {0: -1}}", "given.jokers[0]: -1 is not 0 or more"),
        ("given: {totals: [0]}", "given.totals: 1 values, not 2"),
        (
            "given: {match: {hands: 3}}",
            "given.match: unknown key 'hands', known are played, rounds, single_winner",
        ),
        ("given: {match: {rounds: 0}}", "given.match.rounds: 0 is not 1 or more"),
        ("given: {mode: war}", "given.mode: 'war' is not one of friends, quick, arena, tournament"),
        ("given: {stake: 5}", "given.stake: goes with mode: arena, not with friends"),
        ("given: {mode: arena, rake_bps: 10001}", "given.rake_bps: 10001 is not from 0 to 10000"),
        ("play: draw", "play: 'draw' is not a list"),
        ("play: [7]", "play[0]: 7 is not a mapping"),
        ("play: [{do: 0 draw}]", "play[0]: the key 'error' is missing"),
        ("play: [{do: 0 draw, err: any}]", "play[0]: unknown key 'err', known are do, error"),
        ("play: [{do: 0 draw, error: WRONG}]", "play[0] '0 draw': there is no rejection code 'WRONG'"),
        ("play: [0 dance]", "play[0] '0 dance': is no move: there is no move 'dance' (character 3)"),
        ("play: [{do: 0 dance, error: any}]", "play[0] '0 dance': is no move: there is no move 'dance'"),
        ("play: [draw]", "play[0] 'draw': is no move: 'draw' is not a seat"),
        ("play: ['0 discard R14']", "play[0] '0 discard R14': is no move: 'R14' is not a tile"),
        ("then: {turns: 0}", "then: unknown key 'turns', known are account, dealer,"),
        ("then: {turn: x}", "then.turn: 'x' is not a whole number"),
        ("then: {hands: {0: 'R1 ?3'}}", "then.hands[0]: '?3' is not a tile"),
        ("then: {melds: ['0 run:R1,R2']}", "then.melds[0]: run:R1,R2 is no meld: a run of 2 tiles"),
        ("then: {discard_top: 'R1 R2'}", "then.discard_top: 'R1 R2' is not one tile"),
        ("then: {finish: won}", "then.finish: 'won' is not one of normal, joker"),
        ("then: {need: {runs: 3}}", "then.need: unknown key 'runs', known are melds, pairs"),
        ("then: {scores: [1]}", "then.scores: 1 values, not 2"),
        ("then: {valid: [true]}", "then: 'valid' and 'values' go with 'melds_to_check'"),
        ("melds_to_check: [], play: []", "case: 'play' and 'melds_to_check' exclude each other"),
    ],
)
def test_a_fault_of_a_case_names_the_key_and_the_place(case: str, detail: str) -> None:
    assert detail_of_case(case).startswith(detail)


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ("hands: {0: 'R5 R5 R5'}", "given.hands[0]: R5 once more, but the position cannot hold more than 2"),
        ("hands: {0: 'R5 R5'}, stock: 'R5'", "given.stock: R5 once more"),
        ("hands: {0: 'R5'}, discard: 'R5 R5'", "given.discard: R5 once more"),
        ("hands: {0: 'R5 R5'}, melds: ['1 run:R5,R6,R7']", "given.melds[0]: R5 once more"),
        ("hands: {0: '* *'}, melds: ['1 run:R5,R6,*']", "given.melds[0]: * once more"),
        ("phase: play, acquired: button, hands: {0: '* * * *'}", "given.hands[0]: * once more"),
    ],
)
def test_a_position_that_cannot_exist_is_refused(given: str, detail: str) -> None:
    assert detail_of_case(f"given: {{{given}}}").startswith(detail)


HELD = "given: {phase: play, hands: {0: 'R1 R2', 1: 'B1'}, opened: {0: melds 101}}"


@pytest.mark.parametrize(
    ("case", "detail"),
    [
        ("play: ['0 draw']", "play[0] '0 draw': refused with WRONG_PHASE (the turn has its tile already)"),
        (
            "play: [{do: 0 discard R1, error: any}]",
            "play[0] '0 discard R1': accepted, but must be refused with any",
        ),
        (
            "play: [{do: 0 draw, error: NOT_OPENED}]",
            "play[0] '0 draw': refused with WRONG_PHASE (the turn has its tile already), not with NOT_OPENED",
        ),
        ("then: {turn: 1}", "turn: expected 1, found 0"),
        ("then: {phase: draw, turn: 0}", 'phase: expected "draw", found "play"'),
        ("then: {hands: {0: 'R3 R1'}}", 'hands[0]: expected "R1 R3", found "R1 R2"'),
        ("then: {hand_sizes: {0: 2, 1: 3}}", "hand_sizes[1]: expected 3, found 1"),
        ("then: {melds: ['0 pair:R9,*']}", 'melds: expected ["0 pair:R9,*=R9"], found []'),
        ("then: {discard_top: R1}", 'discard_top: expected "R1", found null'),
        ("then: {need: {pairs: 6}}", "need[pairs]: expected 6, found 5"),
        ("then: {round_over: true}", "round_over: expected true, found false"),
        ("then: {scores: [1, 2]}", "scores: expected [1, 2], found null"),
        (
            "then: {winner: 0, finish: joker}",
            'winner: expected 0, found null; finish: expected "joker", found null',
        ),
        ("play: [0 discard R1], then: {discard_top: null}", 'discard_top: expected null, found "R1"'),
    ],
)
def test_what_differs_is_told_with_both_values(case: str, detail: str) -> None:
    assert detail_of_case(f"{HELD}, {case}") == detail


def test_melds_to_check_are_judged_one_by_one() -> None:
    judged = "melds_to_check: ['run:R1,R2,R3', 'run:R1,R2,R4', 'nonsense']"
    assert detail_of_case(f"{judged}, then: {{valid: [true, false, false], values: [6]}}") == ""
    assert detail_of_case(f"{judged}, then: {{valid: [true, true, false]}}") == (
        "valid: expected [true, true, false], found [true, false, false]"
    )


def test_the_same_seed_fills_open_places_the_same_way_and_another_seed_otherwise() -> None:
    def hand(seed: int) -> str:
        case = f"given: {{seed: {seed}, hands: {{0: 'R1 ?9'}}}}, then: {{hands: {{0: ''}}}}"
        return detail_of_case(case)

    assert hand(1) == hand(1)
    assert hand(1) != hand(2)


def test_open_places_are_never_filled_with_named_tiles() -> None:
    named = "R1 R1 R2 R2 R3 R3 R4 R4 R5 R5 R6 R6 R7 R7 R8 R8 R9 R9 R10 R10 R11 R11 R12 R12 R13 R13"
    case = f"given: {{hands: {{0: '?78', 1: '{named}'}}, stock: '', discard: '* *'}}"
    assert detail_of_case(f"{case}, then: {{tiles_in_play: 106, stock_size: 0, discard_top: '*'}}") == ""


def test_an_open_hand_is_the_same_after_other_keys_are_written_in_another_order() -> None:
    one = detail_of_case("given: {hands: {0: '?3', 1: 'R1'}, stock: 'B1 ?4'}, then: {hands: {0: ''}}")
    other = detail_of_case("given: {stock: 'B1 ?4', hands: {1: 'R1', 0: '?3'}}, then: {hands: {0: ''}}")
    assert one == other


class _Loose(Session):
    """A session whose refused moves leave a trace."""

    def move(self, text: str) -> Rejection | None:
        super().move(text)
        self.account = (1, 1)
        return Rejection(Code.WRONG_PHASE, text)


def test_a_refused_move_that_changes_the_position_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ADAPTERS["rummy101"]

    def begin(case: Case) -> Session:
        session = real.begin(case)
        return _Loose(
            session.game,
            session.options,
            session.seed,
            session.form,
            session.match,
            session.account,
            session.state,
        )

    monkeypatch.setattr(runner_module, "ADAPTERS", {"rummy101": Adapter(begin, real.outcomes)})
    assert detail_of_case("play: [{do: 0 draw, error: any}]") == (
        "play[0] '0 draw': refused with WRONG_PHASE, but the position has changed"
    )


def test_a_bug_in_the_rules_is_a_failed_case(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(case: Case) -> Session:
        raise ZeroDivisionError(case.id)

    broken = Adapter(begin, ADAPTERS["rummy101"].outcomes)
    monkeypatch.setattr(runner_module, "ADAPTERS", {"rummy101": broken})
    results = run("{game: rummy101, cases: [{id: a}, {id: b}]}")
    assert [result.detail for result in results] == [
        "the rules broke down: ZeroDivisionError: a",
        "the rules broke down: ZeroDivisionError: b",
    ]
