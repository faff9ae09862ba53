"""Faults seen in other programs, by number: each as a position, the moves and what must hold."""

from meldhall_rules.scenario import run_text


def holds(case: str, *, game: str = "rummy101", players: int = 2) -> None:
    """Run one case, written as the flow mapping of a scenario file."""
    (result,) = run_text(
        "fault", f"game: {game}\nplayers: {players}\ncases:\n  - {{id: a, why: 'w', {case}}}\n"
    )
    assert result.ok, result.detail


def test_fault_8_there_are_no_more_jokers_in_an_opening_than_in_the_hand() -> None:
    holds(
        "given: {phase: play, hands: {0: 'R13 Y13 * K12 B12 Y9 Y10 Y11 ?14'}},"
        "play: [{do: '0 open set:R13,Y13,* set:K12,B12,* run:Y9,Y10,Y11', error: TILE_NOT_HELD}],"
        "then: {melds: [], hand_sizes: {0: 22}}"
    )


def test_fault_13_two_jokers_around_a_five_are_two_jokers() -> None:
    holds("melds_to_check: ['run:*,R5,*'], then: {valid: [true], values: [15]}")


def test_fault_22_jokers_go_below_where_nothing_is_above() -> None:
    holds(
        "given: {phase: play, acquired: button, hands: {0: '* * K2'}, melds: ['1 run:R11,R12,R13'],"
        " opened: {0: melds 101, 1: melds 101}},"
        "play: ['0 add * to #0', '0 add * to #0'],"
        "then: {melds: ['1 run:*=R9,*=R10,R11,R12,R13'], hands: {0: 'K2'}}"
    )


def test_fault_23_a_joker_serves_one_set_and_no_colour_stands_twice() -> None:
    holds(
        "given: {phase: play, hands: {0: 'R9 Y9 * K4 B4 R13 Y13 K13 B13 ?13'}},"
        "play: [{do: '0 open set:R9,Y9,* set:K4,B4,* set:R13,Y13,K13,B13', error: TILE_NOT_HELD}],"
        "then: {melds: []}"
    )
    holds("melds_to_check: ['set:R9,R9,*'], then: {valid: [false]}")


def test_fault_24_a_declared_joker_goes_where_it_is_told() -> None:
    holds(
        "given: {phase: play, acquired: button, hands: {0: '* R9 K2'}, melds: ['1 run:R11,R12,R13'],"
        " opened: {0: melds 101, 1: melds 101}},"
        "play: ['0 add *=R10 to #0', '0 add R9 to #0'],"
        "then: {melds: ['1 run:R9,*=R10,R11,R12,R13']}"
    )


def test_fault_26_numbers_do_not_go_round_the_corner() -> None:
    holds(
        "melds_to_check: ['run:R13,R1,R2', 'run:R12,R13,R1', 'run:R13,R1,R2,R3'],"
        "then: {valid: [false, false, false]}"
    )


def test_fault_33_two_melds_have_a_joker_each() -> None:
    holds(
        "given: {phase: play, hands: {0: 'R13 Y13 * K12 B12 * Y9 Y10 Y11 ?13'}},"
        "play: ['0 open set:R13,Y13,* set:K12,B12,* run:Y9,Y10,Y11'],"
        "then: {hand_sizes: {0: 13},"
        " melds: ['0 set:R13,Y13,*=K13', '0 set:*=R12,K12,B12', '0 run:Y9,Y10,Y11']}"
    )


def test_fault_35_a_meld_may_hold_two_jokers() -> None:
    holds("melds_to_check: ['set:R8,*,*', 'run:K13,K1,*'], then: {valid: [true, false], values: [24]}")


def test_fault_36_a_meld_without_its_kind_is_no_meld() -> None:
    holds("melds_to_check: ['*,R5,*'], then: {valid: [false]}")


def test_fault_40_a_joker_completes_a_pair() -> None:
    holds("melds_to_check: ['pair:R7,*'], then: {valid: [true], values: [14]}")


def test_fault_41_five_pairs_with_a_joker_are_an_opening_by_pairs() -> None:
    holds(
        "given: {phase: play, hands: {0: 'R1 R1 B5 B5 K9 K9 Y13 Y13 R7 * K4 K5 K6 Y7', 1: 'B2'},"
        " opened: {1: melds 101}, stock: 'R2 R3 ?5'},"
        "play: ['0 open pair:R1,R1 pair:B5,B5 pair:K9,K9 pair:Y13,Y13 pair:R7,*',"
        " {do: '0 meld run:K4,K5,K6', error: KIND_NOT_ALLOWED}, '0 discard K4', '1 draw',"
        " '1 discard R2', '0 draw', '0 discard K5', '1 draw', '1 discard B2', '0 draw', '0 discard K6'],"
        "then: {need: {melds: 101, pairs: 5}}"
    )
    holds(
        "given: {phase: play, hands: {0: 'Y7', 1: 'B2'}, turn: 1, opened: {0: pairs 5, 1: melds 101}},"
        "play: ['1 discard B2'], then: {scores: [-14, 101]}"
    )


def test_fault_44_a_row_below_the_threshold_opens_nothing() -> None:
    holds(
        "given: {phase: play, hands: {0: 'R13 Y13 B13 K6 K7 K8 Y8 Y9 Y10 R2 ?12', 1: '?21'},"
        " stock: 'B3 B4 ?9'},"
        "play: [{do: '0 open set:R13,Y13,B13 run:K6,K7,K8', error: BELOW_THRESHOLD}, '0 discard R2',"
        " '1 auto', '0 draw', {do: '0 open run:Y8,Y9,Y10', error: BELOW_THRESHOLD}],"
        "then: {melds: []}"
    )


def test_fault_48_a_take_that_fails_leaves_the_pile_and_the_stock() -> None:
    holds(
        "given: {hands: {0: 'R4 R5 K1 ?18'}, discard: 'R6', opened: {0: melds 101}},"
        "play: [{do: '0 take + meld run:R4,R5,K1', error: any}],"
        "then: {phase: draw, discard_top: R6, stock_size: 63, hand_sizes: {0: 21}}"
    )


def test_fault_53_a_pair_in_the_hand_takes_the_pile_and_a_single_tile_does_not() -> None:
    given = "melds: ['0 set:R9,Y9,K9'], opened: {0: true}, discard: 'B4 R9'"
    holds(
        f"given: {{hands: {{0: 'Y9 B9 K1 K4 R5'}}, {given}}}, play: ['0 take + add Y9,B9,R9 to #0'],"
        "then: {hand_sizes: {0: 4}, discard_top: null}",
        game="canasta",
        players=4,
    )
    holds(
        f"given: {{hands: {{0: 'Y9 K1 K4 R5 R6'}}, {given}}},"
        "play: [{do: '0 take + add Y9,R9 to #0', error: any}], then: {hand_sizes: {0: 5}, discard_top: R9}",
        game="canasta",
        players=4,
    )


def test_fault_54_a_wild_is_no_half_of_the_pair_that_takes_the_pile() -> None:
    holds(
        "given: {hands: {0: 'Y9 R2 K1 K4 R5'}, melds: ['0 set:K9,B9,Y9'], opened: {0: true},"
        " discard: 'B4 R9'}, play: [{do: '0 take + add Y9,R2,R9 to #0', error: any}],"
        "then: {hand_sizes: {0: 5}, discard_top: R9}",
        game="canasta",
        players=4,
    )


def test_fault_92_the_deal_gives_everybody_his_own_tiles() -> None:
    holds("then: {hand_sizes: {0: 22, 1: 21, 2: 21, 3: 21}, tiles_in_play: 106}", players=4)


def test_fault_102_nothing_is_taken_back_once_the_turn_is_over() -> None:
    holds(
        "given: {phase: play, hands: {0: 'R1 K9', 1: 'R2 ?20'}, opened: {0: melds 101}},"
        "play: ['0 discard R1', {do: '0 take + add R1 to #0', error: NOT_YOUR_TURN},"
        " {do: '0 discard K9', error: NOT_YOUR_TURN}],"
        "then: {turn: 1, discard_top: R1, hands: {0: 'K9'}}"
    )
