"""Scenarios of Rummy 101: the position of a case as a state of the rules, and what ``then`` may say of it.

Source: ``deploy/docs/scenarios.md``, ``deploy/docs/rules/rummy101.md``.
"""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.game import Game, RoundSetup
from meldhall_rules.match import MatchState
from meldhall_rules.registry import game as game_named
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario import matches
from meldhall_rules.scenario.adapter import Adapter
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.outcomes import RESULT, TURN
from meldhall_rules.scenario.position import case_key
from meldhall_rules.scenario.rummy101_position import POSITION_KEYS, Seating, state_from_position
from meldhall_rules.scenario.session import Session
from meldhall_rules.scenario.values import at_least, by_seat, integer, mapping

_SEATING_KEYS: Final = frozenset({"seed", "dealer", "turn", "jokers"})
_KEYS: Final = POSITION_KEYS | _SEATING_KEYS | matches.KEYS


def _begin(case: Case) -> Session:
    """Deal, or set up the position of the case."""
    given = mapping("given", case.given, _KEYS)
    game = game_named("rummy101")
    seats = _seats(case, game)
    options = game.parse_options(case.options)
    if isinstance(options, Rejection):
        raise Fault("options", options.detail)
    seed = integer("given.seed", given.get("seed", 0))
    seating = _seating(given, seats)
    setup = RoundSetup(
        round=matches.read_round(given),
        seats=seats,
        starter=seating.starter,
        shuffle_key=case_key(seed, matches.read_round(given)),
        spare_jokers=_spare_jokers(given, seats),
    )
    match: MatchState = matches.read_match(given, seats, seating.starter, game.match_rules(options))
    state = (
        game.evolve(None, game.deal(options, setup))
        if _is_fresh(given)
        else state_from_position(given, options, setup, seating)
    )
    return Session(game, options, seed, matches.read_format(given), match, (0,) * seats, state)


def _is_fresh(given: Mapping[str, object]) -> bool:
    return not POSITION_KEYS & given.keys()


def _seats(case: Case, game: Game) -> int:
    return at_least(game.min_seats, game.max_seats)(
        "players", game.min_seats if case.players is None else case.players
    )


def _spare_jokers(given: Mapping[str, object], seats: int) -> tuple[int, ...]:
    jokers = by_seat(at_least(0), seats)("given.jokers", given.get("jokers", {}))
    return tuple(jokers.get(seat, 0) for seat in range(seats))


def _seating(given: Mapping[str, object], seats: int) -> Seating:
    """Read who started and who is on turn; at the start of a round both are the seat after the dealer."""
    seat = at_least(0, seats - 1)
    dealer = seat("given.dealer", given["dealer"]) if "dealer" in given else None
    at_start = _is_fresh(given) or given.get("first_turn") is True
    after_dealer = None if dealer is None else (dealer + 1) % seats
    default = after_dealer if at_start and after_dealer is not None else 0
    turn = seat("given.turn", given.get("turn", default))
    starter = turn if after_dealer is None else after_dealer
    if at_start and starter != turn:
        raise Fault("given.turn", f"seat {turn} cannot start where seat {dealer} is the dealer")
    return Seating(starter=starter, turn=turn)


RUMMY101: Final = Adapter(begin=_begin, outcomes={**TURN, **RESULT})
