"""Scenarios of Three-Thirteen: positions as states of the rules, and what ``then`` may say of them.

Source: ``deploy/docs/scenarios.md``, ``deploy/docs/rules/three_thirteen.md``.
"""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.commands import MeldSpec
from meldhall_rules.events import MeldLaid
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.three_thirteen import THREE_THIRTEEN
from meldhall_rules.games.three_thirteen.melds import WildRule, read_meld
from meldhall_rules.games.three_thirteen.moves import rule_of
from meldhall_rules.games.three_thirteen.options import from_canonical
from meldhall_rules.games.three_thirteen.state import (
    ROUNDS,
    Frame,
    Hidden,
    State,
    deck_size,
    hand_size,
    nothing_to_draw,
    wild_rank,
)
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario import matches
from meldhall_rules.scenario.adapter import Adapter, Expected
from meldhall_rules.scenario.card_outcomes import MELDS
from meldhall_rules.scenario.card_tables import CARD_KEYS, CardGame, Cards, read_cards, read_turn
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.load import Case
from meldhall_rules.scenario.outcomes import RESULT, TURN, seated
from meldhall_rules.scenario.session import Session
from meldhall_rules.scenario.values import at_least
from meldhall_rules.solve.penalty import least_value
from meldhall_rules.view import Phase, View


def _state(given: Mapping[str, object], options: Mapping[str, str], setup: RoundSetup, seat: int) -> State:
    """Build the state that ``given`` describes."""
    rules, seats = from_canonical(options), setup.seats
    out = at_least(0, seats - 1)("given.out", given["out"]) if given.get("out") is not None else None
    if out == seat:
        raise Fault("given.turn", f"seat {seat} is out and has no turn")
    turn = read_turn(given, seat)
    size = hand_size(setup.round)
    sizes = tuple(
        0 if place == out else size + (place == seat and turn.phase is Phase.PLAY) for place in range(seats)
    )
    rule = WildRule(wild_rank(setup.round), rules.allow_all_wild)
    cards = read_cards(given, sizes, turn, deck_size(seats), lambda spec: read_meld(spec, rule))
    _refuse_impossible(cards, sizes, out)
    before = len(cards.discards) + (cards.taken is not None)
    in_draw = turn.phase is Phase.DRAW or cards.taken is not None
    return State(
        frame=Frame(rules, setup.round, seats, setup.starter),
        turn=seat,
        phase=turn.phase,
        taken=cards.taken,
        discards=cards.discards,
        melds=cards.melds,
        out=out,
        reshuffles=0,
        dead_turns=int(in_draw and nothing_to_draw(len(cards.stock), before)),
        hidden=Hidden(cards.stock, 0, cards.hands, None, setup.shuffle_key),
        ending=None,
    )


def _refuse_impossible(cards: Cards, sizes: tuple[int, ...], out: int | None) -> None:
    """Refuse hands of a size that the round does not have, and melds of a seat that is not out."""
    owners = {meld.owner for meld in cards.melds}
    if owners and out is None:
        raise Fault("given.melds", "nobody is out")
    for seat, (hand, size) in enumerate(zip(cards.hands, sizes, strict=True)):
        if len(hand) != (0 if seat in owners else size):
            wanted = 0 if seat in owners else size
            raise Fault(f"given.hands[{seat}]", f"{len(hand)} cards, not {wanted}")


def _begin(case: Case) -> Session:
    if matches.read_round(case.given) > ROUNDS:
        raise Fault("given.round", f"there are {ROUNDS} rounds")
    return _GAME.begin(case)


def _read_meld(table: View, spec: MeldSpec) -> MeldLaid | Rejection:
    return read_meld(spec, rule_of(table))


def _penalty(session: Session, seat: int) -> Expected:
    rule = rule_of(session.table())
    return least_value(session.hand(seat), rule.rank, all_wild=rule.all_wild)


_GAME: Final = CardGame(
    game=THREE_THIRTEEN,
    position=CARD_KEYS | {"out"},
    more=frozenset({"acquired", matches.HISTORY}),
    lengths=frozenset({matches.ROUNDS}),
    build=_state,
    read_meld=_read_meld,
)

THREE_THIRTEEN_ADAPTER: Final = Adapter(
    begin=_begin,
    outcomes={
        **{
            key: outcome
            for key, outcome in {**TURN, **RESULT}.items()
            if key not in {"need", "jokers", "values"}
        },
        "melds": MELDS,
        "penalty": seated(at_least(0), _penalty),
    },
)
