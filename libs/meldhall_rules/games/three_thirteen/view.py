"""What a seat or a spectator may see of a round of Three-Thirteen.

Source: ``deploy/docs/rules/three_thirteen.md`` 19.
"""

from meldhall_rules.events import MeldLaid
from meldhall_rules.games.three_thirteen.melds import read_meld
from meldhall_rules.games.three_thirteen.state import NAME, State
from meldhall_rules.games.three_thirteen.turns import wild_rule
from meldhall_rules.rejections import Rejection
from meldhall_rules.solve.penalty import least_penalty
from meldhall_rules.view import Shown, View, Viewer


def view(state: State, viewer: Viewer) -> View:
    """Show a state; of all hands only that of the viewing seat, all of them once the round is over.

    Raises:
        ValueError: for a seat that the round does not have.
    """
    frame, hidden, ending = state.frame, state.hidden, state.ending
    seat = viewer if isinstance(viewer, int) else None
    if seat is not None and not 0 <= seat < frame.seats:
        raise ValueError(f"a round of {frame.seats} has no seat {seat}")
    return View(
        game=NAME,
        options=tuple(frame.options.canonical().items()),
        viewer=viewer,
        round=frame.round,
        seats=frame.seats,
        starter=frame.starter,
        turn=state.turn,
        phase=state.phase,
        first_turn=False,
        hand=None if seat is None else hidden.hands[seat],
        hand_sizes=tuple(map(len, hidden.hands)),
        stock_size=hidden.stock_size,
        discards=state.discards,
        melds=state.melds,
        opened=(None,) * frame.seats,
        need=(0, 0),
        jokers=None if seat is None else 0,
        button_used=(False,) * frame.seats,
        finish=ending.finish if ending else None,
        winner=ending.winner if ending else None,
        scores=ending.scores if ending else None,
        wild=frame.wild,
        out=state.out,
        taken=state.taken,
        reshuffles=state.reshuffles,
        shown=tuple(_shown(state, hand) for hand in hidden.hands) if ending else (),
    )


def _shown(state: State, hand: tuple[int, ...]) -> Shown:
    """Show a hand after the round with the melds by which it was scored."""
    rule = wild_rule(state)
    melds: list[MeldLaid] = []
    for spec in least_penalty(hand, rule.rank, all_wild=rule.all_wild).melds:
        meld = read_meld(spec, rule)
        if isinstance(meld, Rejection):
            raise ValueError(meld.detail)  # noqa: TRY004 - a bug of the solver, not a wrong type
        melds.append(meld)
    return Shown(hand, tuple(melds))
