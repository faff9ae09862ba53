"""What a seat or a spectator may see of a hand of Basic Rummy.

Source: ``deploy/docs/rules/rummy.md`` 12, 15.
"""

from meldhall_rules.games.rummy.state import NAME, State
from meldhall_rules.view import Shown, View, Viewer


def view(state: State, viewer: Viewer) -> View:
    """Show a state; of all hands only that of the viewing seat, all of them once the hand is over.

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
        taken=state.taken,
        reshuffles=state.reshuffles,
        laid=state.laying.before,
        new_melds=state.laying.new_melds,
        shown=tuple(Shown(hand, ()) for hand in hidden.hands) if ending else (),
    )
