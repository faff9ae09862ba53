"""A beginner at Basic Rummy.

He always draws from the stock and lays a meld when he holds one. That he may add to the melds on the table he
sees only once he has laid one himself. He discards the dearest card of which he has no second in rank.
Source: ``deploy/docs/rules/rummy.md`` 4-11.
"""

from collections.abc import Sequence

from meldhall_rules.bots.seat import on_turn
from meldhall_rules.cards import rank_of, suit_of, value_of
from meldhall_rules.commands import Command, Discard, Draw, LayMelds, LayOff, TakeDiscard
from meldhall_rules.games.rummy.moves import legal_moves, may_draw
from meldhall_rules.view import Phase, View


def choose(view: View, salt: int = 0) -> Command:
    """Choose the move of the seat whose view it is; it has to be on turn.

    Args:
        view: what the seat sees. Nothing else is known to the player.
        salt: breaks ties between discards; the same view and salt always give the same move.

    Raises:
        ValueError: for the view of a spectator, or of a seat that is not on turn.
    """
    seat, hand = on_turn(view)
    if view.phase is Phase.DRAW:
        return Draw(seat) if may_draw(view) else TakeDiscard(seat)
    moves = legal_moves(view)
    melds = [move for move in moves if isinstance(move, LayMelds)]
    if melds:
        return max(melds, key=_size)
    off = next((move for move in moves if isinstance(move, LayOff)), None)
    return off if off and view.laid[seat] else Discard(seat, _discard(hand, view.taken, salt))


def _size(move: LayMelds) -> int:
    return sum(len(spec.tiles) for spec in move.melds)


def _discard(hand: Sequence[int], taken: int | None, salt: int) -> int:
    ranks = [rank_of(card) for card in hand]

    def worth(card: int) -> tuple[int, int, int]:
        return ranks.count(rank_of(card)), -value_of(card), (suit_of(card) + salt) % 4

    return min((card for card in hand if card != taken), key=worth)
