"""Scenarios of Basic Rummy: positions as states of the rules, and what ``then`` may say of them.

Source: ``deploy/docs/scenarios.md``, ``deploy/docs/rules/rummy.md``.
"""

from collections.abc import Mapping
from typing import Final

from meldhall_rules.card_melds import read_meld
from meldhall_rules.cards import DECK_SIZE
from meldhall_rules.commands import MeldSpec
from meldhall_rules.events import MeldLaid
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy import RUMMY
from meldhall_rules.games.rummy.options import from_canonical
from meldhall_rules.games.rummy.state import HAND_SIZE, Frame, Hidden, Laying, State, nothing_to_draw
from meldhall_rules.rejections import Rejection
from meldhall_rules.scenario import matches
from meldhall_rules.scenario.adapter import Adapter
from meldhall_rules.scenario.card_outcomes import MELDS
from meldhall_rules.scenario.card_tables import CARD_KEYS, CardGame, read_cards, read_turn
from meldhall_rules.scenario.faults import Fault
from meldhall_rules.scenario.outcomes import RESULT, TURN
from meldhall_rules.scenario.values import at_least, listed
from meldhall_rules.view import Phase, View


def _state(given: Mapping[str, object], options: Mapping[str, str], setup: RoundSetup, seat: int) -> State:
    """Build the state that ``given`` describes."""
    rules, seats = from_canonical(options), setup.seats
    turn = read_turn(given, seat)
    in_play = turn.phase is Phase.PLAY
    sizes = tuple(HAND_SIZE[seats] + (place == seat and in_play) for place in range(seats))
    cards = read_cards(
        given, sizes, turn, DECK_SIZE, lambda spec: read_meld(spec, ace_high=rules.ace_high_low)
    )
    if not set(cards.hands[seat]) - {cards.taken}:
        raise Fault(f"given.hands[{seat}]", "a seat on turn has a card that it may discard")
    written = listed(at_least(0, seats - 1))("given.laid", given.get("laid", []))
    laid = {*written, *(meld.owner for meld in cards.melds)}
    before = len(cards.discards) + (cards.taken is not None)
    knows_start = not in_play or cards.taken is not None
    return State(
        frame=Frame(rules, setup.round, seats, setup.starter),
        turn=seat,
        phase=turn.phase,
        taken=cards.taken,
        discards=cards.discards,
        melds=cards.melds,
        laying=Laying(tuple(place in laid for place in range(seats)), now=False, new_melds=0),
        reshuffles=0,
        idle_reshuffles=0,
        dead_turns=int(knows_start and nothing_to_draw(rules, len(cards.stock), before, 0)),
        hidden=Hidden(cards.stock, 0, cards.hands, None, setup.shuffle_key),
        ending=None,
    )


def _read_meld(table: View, spec: MeldSpec) -> MeldLaid | Rejection:
    return read_meld(spec, ace_high=from_canonical(dict(table.options)).ace_high_low)


_GAME: Final = CardGame(
    game=RUMMY,
    position=CARD_KEYS | {"laid", "acquired"},
    more=frozenset(),
    lengths=frozenset({matches.HANDS, matches.TARGET}),
    build=_state,
    read_meld=_read_meld,
)

_ABSENT: Final = frozenset({"need", "jokers", "values"})
"""Outcomes that this game does not have."""

RUMMY_ADAPTER: Final = Adapter(
    begin=_GAME.begin,
    outcomes={
        **{key: outcome for key, outcome in {**TURN, **RESULT}.items() if key not in _ABSENT},
        "melds": MELDS,
    },
)
