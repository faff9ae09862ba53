"""Whole rounds between the bots of every game: never refused, fairly seated, exactly told again."""

from collections import Counter, defaultdict
from statistics import fmean

import pytest

from meldhall_rules import registry, simulate
from meldhall_rules.bots.registry import LEVELS
from meldhall_rules.commands import AutoTurn, Command, Discard
from meldhall_rules.events import StockReshuffled
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario import run_text
from meldhall_rules.scenario.export import scenario_text
from meldhall_rules.simulate import PlayedRound, Simulation, SimulationError, schedule
from meldhall_rules.tally import Tally
from meldhall_rules.view import View

TABLES = [
    (name, seats)
    for name in registry.names()
    for seats in range(registry.game(name).min_seats, registry.game(name).max_seats + 1)
]
OPTIONS = {
    "canasta": {"joker_button_source": "extra"},
    "rummy": {"ace_high_low": True, "max_melds_per_turn": 1, "must_discard_to_go_out": True},
    "rummy101": {"opening": "rising"},
    "three_thirteen": {"allow_all_wild": True, "forbid_return_discard": True},
}


def simulation(
    game: str, seats: int, rounds: int, bots: tuple[str, ...] = ("strong", "easy"), **more: object
) -> Simulation:
    return Simulation(game=game, seats=seats, rounds=rounds, seed=1, bots=bots, **more)  # type: ignore[arg-type]


def told_again(played: PlayedRound, bots: tuple[str, ...]) -> list[str]:
    """Return what does not hold when the exported round is run as a scenario."""
    text = scenario_text(registry.game(played.dealt.game), played, bots)
    return [result.detail for result in run_text("round", text) if not result.ok]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_bots_of_all_levels_are_never_refused_and_their_rounds_run_as_scenarios(
    game: str, seats: int
) -> None:
    for played in simulate.simulate(simulation(game, seats, 6, LEVELS, jokers=1)):
        assert played.faults == 0
        assert told_again(played, LEVELS) == []


@pytest.mark.parametrize("game", registry.names())
def test_bots_play_by_the_options_of_the_table(game: str) -> None:
    seats = registry.game(game).max_seats
    for played in simulate.simulate(simulation(game, seats, 6, LEVELS, jokers=1, options=OPTIONS[game])):
        assert played.faults == 0
        assert told_again(played, LEVELS) == []


@pytest.mark.parametrize(
    ("game", "seats", "least"),
    [("canasta", 4, 100), ("rummy", 3, 3), ("rummy101", 2, 50), ("three_thirteen", 2, 1)],
)
def test_strong_beats_easy(game: str, seats: int, least: float) -> None:
    rules = registry.game(game).match_rules({})
    tally = Tally(("strong", "easy"), rules.lowest_wins)
    for played in simulate.simulate(simulation(game, seats, 66)):
        tally.add(played)
    margin = tally.summary().margin
    assert margin is not None
    assert margin.mean > least
    assert margin.low is not None
    assert margin.low > 0


@pytest.mark.parametrize(("game", "seats"), TABLES)
@pytest.mark.parametrize("bots", [("strong", "easy"), LEVELS])
def test_every_bot_has_every_side_of_every_deal(game: str, seats: int, bots: tuple[str, ...]) -> None:
    rules = registry.game(game).match_rules({})
    cycle = rules.length or 1
    plans = list(schedule(simulation(game, seats, cycle * len(bots) * seats, bots), rules))
    by_deal = defaultdict(list)
    for plan in plans:
        by_deal[plan.deal].append(plan)
    assert len(by_deal) == cycle * seats
    for same in by_deal.values():
        assert len({(plan.setup, plan.case_seed) for plan in same}) == 1
        for side in range(seats // rules.team_size):
            assert sorted(plan.bots[side] for plan in same) == list(range(len(bots)))
    assert set(Counter(plan.setup.starter for plan in plans).values()) == {len(plans) // seats}
    assert len({plan.setup.shuffle_key for plan in plans}) == len(by_deal)


def test_rounds_of_three_thirteen_go_from_one_to_eleven_and_begin_again() -> None:
    rules = registry.game("three_thirteen").match_rules({})
    plans = schedule(simulation("three_thirteen", 2, 25), rules)
    assert [plan.setup.round for plan in plans] == [*range(1, 12), *range(1, 12), 1, 2, 3]


def test_a_round_with_reshuffles_is_told_again_exactly() -> None:
    game = registry.game("rummy")
    reshuffled = 0
    for played in simulate.simulate(simulation("rummy", 6, 20, ("easy",))):
        state = game.evolve(None, played.dealt)
        for move in played.moves:
            answer = game.decide(state, move)
            assert not isinstance(answer, Rejection)
            reshuffled += any(isinstance(event, StockReshuffled) for event in answer)
            for event in answer:
                state = game.evolve(state, event)
        assert told_again(played, ("easy",)) == []
    assert reshuffled > 5


def test_an_exported_round_that_was_tampered_with_does_not_hold() -> None:
    (played,) = simulate.simulate(simulation("rummy101", 2, 1))
    text = scenario_text(registry.game("rummy101"), played, ("strong", "easy"))
    before, _, after = text.partition("scores: [")
    tampered = f"{before}scores: [{int(after.split(',')[0]) + 1},{after.partition(',')[2]}"
    assert [result.ok for result in run_text("round", tampered)] == [False]


@pytest.mark.parametrize("game", registry.names())
def test_a_refused_move_becomes_the_automatic_turn_and_a_fault(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hopeless(view: View, _: int) -> Command:
        return Discard(view.turn, -1)

    monkeypatch.setattr(simulate, "policy", lambda _game, _level: hopeless)
    for played in simulate.simulate(simulation(game, registry.game(game).max_seats, 2)):
        assert {type(move) for move in played.moves} == {AutoTurn}
        assert played.faults == len(played.moves) > 10
        assert told_again(played, ("strong", "easy")) == []


def test_another_seed_deals_other_tiles() -> None:
    one, other = (Simulation(game="rummy", seats=2, rounds=1, seed=seed, bots=("easy",)) for seed in (1, 2))
    orders = [next(simulate.simulate(each)).dealt.order for each in (one, other)]
    assert orders[0] != orders[1]


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ({"seats": 5}, "2 to 4"),
        ({"rounds": 0}, "a round"),
        ({"bots": ()}, "a bot"),
        ({"jokers": -1}, "spare jokers"),
        ({"options": {"opening": "loud"}}, "loud"),
    ],
)
def test_what_the_game_does_not_have_is_refused_before_the_first_round(
    wrong: dict[str, object], names: str
) -> None:
    given: dict[str, object] = {"game": "rummy101", "seats": 2, "rounds": 1, "seed": 0, "bots": ("easy",)}
    with pytest.raises(SimulationError, match=names):
        next(simulate.simulate(Simulation(**{**given, **wrong})))  # type: ignore[arg-type]


def test_scores_of_the_same_deal_differ_by_seat_only_through_the_bots() -> None:
    rounds = list(simulate.simulate(simulation("rummy", 2, 40, ("easy", "easy"))))
    for one, other in zip(rounds[::2], rounds[1::2], strict=True):
        assert one.moves == other.moves
        assert one.ended == other.ended
    assert fmean(played.faults for played in rounds) == 0
