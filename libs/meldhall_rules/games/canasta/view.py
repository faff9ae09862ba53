"""What a seat or a spectator may see of a round of Canasta.

Source: ``deploy/docs/rules/canasta.md`` 35.
"""

from meldhall_rules.games.canasta.state import NAME, SEATS, State, team_of
from meldhall_rules.view import View, Viewer


def view(state: State, viewer: Viewer) -> View:
    """Show a state; of all hands only that of the viewing seat, of the stock only its size.

    Raises:
        ValueError: for a seat that the round does not have.
    """
    frame, hidden, table, jokers, ending = state.frame, state.hidden, state.table, state.jokers, state.ending
    seat = viewer if isinstance(viewer, int) else None
    if seat is not None and not 0 <= seat < SEATS:
        raise ValueError(f"a round of {SEATS} has no seat {seat}")
    team = state.team if seat is None else team_of(seat)
    return View(
        game=NAME,
        options=tuple(frame.options.canonical().items()),
        viewer=viewer,
        round=frame.round,
        seats=SEATS,
        starter=frame.starter,
        turn=state.turn,
        phase=state.phase,
        first_turn=state.first_turn,
        hand=None if seat is None else hidden.hands[seat],
        hand_sizes=tuple(map(len, hidden.hands)),
        stock_size=hidden.stock_size,
        discards=state.discards,
        melds=table.melds,
        opened=table.opened,
        need=(frame.thresholds[team], 0),
        jokers=None if seat is None else jokers.spare[seat],
        button_used=jokers.used,
        finish=ending.finish if ending else None,
        winner=ending.winner if ending else None,
        scores=ending.scores if ending else None,
        thresholds=frame.thresholds,
        bonus=table.bonus,
    )
