"""Scenarios of Canasta: the position of a case as a state of the rules, and what ``then`` may say of it.

Source: ``deploy/docs/scenarios.md``, ``deploy/docs/rules/canasta.md``.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from meldhall_rules.commands import MeldSpec
from meldhall_rules.events import MeldLaid
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.canasta.melds import meld_value, read_meld
from meldhall_rules.games.canasta.state import NAME, SEATS, TEAMS
from meldhall_rules.registry import game as game_named
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario import matches
from meldhall_rules.scenario.adapter import Adapter, Expected, Outcome
from meldhall_rules.scenario.canasta_position import (
    DETAIL_KEYS,
    POSITION_KEYS,
    Seating,
    state_from_position,
)
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.outcomes import RESULT, TURN, judged, plain
from meldhall_rules.scenario.position import case_key
from meldhall_rules.scenario.session import Session
from meldhall_rules.scenario.tiles import hand_text, meld_of, owned_meld, written_hand, written_meld
from meldhall_rules.scenario.values import (
    Reader,
    at_least,
    boolean,
    by_seat,
    integer,
    listed,
    mapping,
    or_null,
)
from meldhall_rules.view import View

_SEATING_KEYS: Final = frozenset({"seed", "dealer", "turn", "jokers"})
_KEYS: Final = POSITION_KEYS | DETAIL_KEYS | _SEATING_KEYS | matches.KEYS
_COUNT: Final = at_least(0)

T = TypeVar("T", bound=Expected)


def _begin(case: Case) -> Session:
    """Deal, or set up the position of the case."""
    given = mapping("given", case.given, _KEYS)
    game = game_named(NAME)
    at_least(SEATS, SEATS)("players", SEATS if case.players is None else case.players)
    options = game.parse_options(case.options)
    if isinstance(options, Rejection):
        raise Fault("options", options.detail)
    seed = integer("given.seed", given.get("seed", 0))
    seating = _seating(given)
    match = matches.read_match(given, SEATS, seating.starter, game.match_rules(options))
    number = matches.read_round(given)
    setup = RoundSetup(
        round=number,
        seats=SEATS,
        starter=seating.starter,
        shuffle_key=case_key(seed, number),
        spare_jokers=_spare_jokers(given),
        totals=match.totals,
    )
    state = (
        game.evolve(None, game.deal(options, setup))
        if _is_fresh(given)
        else state_from_position(given, options, setup, seating)
    )
    form = matches.read_format(given, frozenset({matches.ROUNDS, matches.TARGET}))
    return Session(game, options, seed, form, match, (0,) * SEATS, state, _read_meld)


def _read_meld(_: View, spec: MeldSpec) -> MeldLaid | Rejection:
    return read_meld(spec)


def _is_fresh(given: Mapping[str, object]) -> bool:
    if POSITION_KEYS & given.keys():
        return False
    for key in sorted(DETAIL_KEYS & given.keys()):
        raise Fault(f"given.{key}", "goes with a position, not with a fresh deal")
    return True


def _spare_jokers(given: Mapping[str, object]) -> tuple[int, ...]:
    jokers = by_seat(_COUNT, SEATS)("given.jokers", given.get("jokers", {}))
    return tuple(jokers.get(seat, 0) for seat in range(SEATS))


def _seating(given: Mapping[str, object]) -> Seating:
    """Read who started and who is on turn; at the start of a round both are the seat after the dealer."""
    seat = at_least(0, SEATS - 1)
    dealer = seat("given.dealer", given["dealer"]) if "dealer" in given else None
    at_start = _is_fresh(given) or given.get("first_turn") is True
    after_dealer = None if dealer is None else (dealer + 1) % SEATS
    default = after_dealer if at_start and after_dealer is not None else 0
    turn = seat("given.turn", given.get("turn", default))
    starter = turn if after_dealer is None else after_dealer
    if at_start and starter != turn:
        raise Fault("given.turn", f"seat {turn} cannot start where seat {dealer} is the dealer")
    return Seating(starter=starter, turn=turn)


def _by_team(reader: Reader[T], absent: T, observed: Callable[[View, int], T]) -> Outcome:
    """Make an outcome by team; a team that the case does not name has ``absent``."""

    def expected(place: str, value: object, _: Session) -> Expected:
        written = by_seat(reader, TEAMS)(place, value)
        return {team: written.get(team, absent) for team in range(TEAMS)}

    return Outcome(
        expected, lambda session, _: {team: observed(session.table(), team) for team in range(TEAMS)}
    )


def _melds_expected(place: str, value: object, _: Session) -> Expected:
    def read(where: str, written: object) -> str:
        owner, meld = owned_meld(where, written, TEAMS)
        return written_meld(owner, meld_of(where, meld, None, read_meld))

    return listed(read)(place, value)


def _teams(place: str, value: object) -> Expected:
    return tuple(sorted(listed(at_least(0, TEAMS - 1))(place, value)))


def _values(session: Session, case: Case) -> Expected:
    return tuple(meld_value(meld) for meld in judged(session, case) if meld is not None)


NOT_OPENED: Final = False
"""What a team is that ``opened`` does not name."""

_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "melds": Outcome(_melds_expected, TURN["melds"].observed),
    "need": plain(listed(_COUNT, TEAMS), lambda session: session.table().thresholds),
    "opened": _by_team(boolean, NOT_OPENED, lambda table, team: table.opened[team] is not None),
    "bonus": _by_team(hand_text, "", lambda table, team: written_hand(table.bonus[team])),
    "values": Outcome(TURN["values"].expected, _values),
    "winner": plain(or_null(at_least(0, TEAMS - 1)), lambda session: session.table().winner),
    "match_winners": Outcome(lambda place, value, _: _teams(place, value), RESULT["match_winners"].observed),
}

CANASTA: Final = Adapter(begin=_begin, outcomes={**TURN, **RESULT, **_OUTCOMES})
