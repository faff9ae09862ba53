"""What every bot asks of a view first."""

from meldhall_rules.view import Phase, View


def on_turn(view: View) -> tuple[int, tuple[int, ...]]:
    """Return the seat whose view it is, and its hand.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    if not isinstance(view.viewer, int) or view.hand is None:
        raise ValueError("a spectator makes no move")
    if view.turn != view.viewer or view.phase is Phase.OVER:
        raise ValueError(f"seat {view.viewer} is not on turn")
    return view.viewer, view.hand
