"""What every game can tell a seat about its own hand, and the whole advice for one view.

A game knows more than this about its hints (``games/<game>/hints.py``); here is what a client shows without
knowing which game it is. A hint knows what the seat's view shows and nothing more.
Source: ``deploy/docs/play.md``.
"""

from dataclasses import dataclass

from meldhall_rules.commands import (
    Command,
    GoOut,
    LayMelds,
    LayOff,
    LayOpening,
    MeldSpec,
    SwapJoker,
    TakeDiscard,
)


@dataclass(frozen=True, slots=True)
class OpeningHint:
    """How far a hand is from an opening, in games that have one.

    Attributes:
        need_points: points that an opening has to be worth.
        need_pairs: pairs that open instead; 0 where pairs do not open.
        best_points: most points that the hand could lay at once with a tile left for the discard.
        best_pairs: most pairs that it could lay so.
        ways: openings that the hand allows as it is, by points and by pairs.
    """

    need_points: int
    need_pairs: int
    best_points: int
    best_pairs: int
    ways: tuple[LayOpening, ...]


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints for one hand, empty or None where a game or a moment has none.

    Attributes:
        loose: what is in no meld and no plan: what he would give away.
        melds: melds that the hand holds and that cannot be laid now by themselves: before an opening those of
            most value, in Three-Thirteen those that make the hand cheapest.
        plan: what to lay from the hand, in this order.
        swaps: jokers on the table that could be had.
        takes: ways to take the discard or the pile now.
        opening: how far the opening is; None once it is made and in games without one.
        points_left: what the hand costs after ``plan`` and ``melds``; None where a game does not count so.
        goes_out: whether it is over with the plan, or with the discard of what it leaves.
        way_out: how to go out, in Three-Thirteen.
        discards: what to discard, the first choice first; empty when it is not the time.
    """

    loose: tuple[int, ...]
    melds: tuple[MeldSpec, ...] = ()
    plan: tuple[LayMelds | LayOff, ...] = ()
    swaps: tuple[SwapJoker, ...] = ()
    takes: tuple[TakeDiscard, ...] = ()
    opening: OpeningHint | None = None
    points_left: int | None = None
    goes_out: bool = False
    way_out: GoOut | None = None
    discards: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Advice:
    """Everything that a seat can be told: hints, the move that a bot would make, the moves that there are.

    ``suggested`` is None and ``legal`` empty for a seat that is not on turn. What is in ``legal`` the module
    ``moves`` of the game says; every move of it is accepted, but for a Joker button of Canasta where only the
    stock knows that no joker is left.
    """

    hints: Hints
    suggested: Command | None
    legal: tuple[Command, ...]
