"""Refusals as values: what a player may not do, and why, with a stable code.

A refused command changes nothing. Codes are public: clients translate them, scenario files name them, and
they never change their meaning. The detail names the tile, the seat or the meld for a log or a developer;
it is English and not a contract. A detail never names a tile that the refused player cannot see.
"""

from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class Code(StrEnum):
    """Why a command was refused."""

    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    """Another seat is to act."""
    WRONG_PHASE = "WRONG_PHASE"
    """The turn is not at this point: a draw after a draw, a discard before it."""
    ROUND_OVER = "ROUND_OVER"
    """The round has ended; only the next deal can follow."""
    MATCH_OVER = "MATCH_OVER"
    """The match has ended; no deal can follow."""
    ROUND_NOT_OVER = "ROUND_NOT_OVER"
    """The next deal was asked for while the round is being played."""
    TILE_NOT_HELD = "TILE_NOT_HELD"
    """A tile or card that is not in the hand, or one named twice."""
    INVALID_MELD = "INVALID_MELD"
    """The tiles do not make, or do not extend, a meld of that kind."""
    BELOW_THRESHOLD = "BELOW_THRESHOLD"
    """The opening is worth too little or has too few pairs."""
    MIXED_OPENING = "MIXED_OPENING"
    """An opening is of runs and sets or of pairs, never of both."""
    NOT_OPENED = "NOT_OPENED"
    """The player or team has to open first."""
    ALREADY_OPENED = "ALREADY_OPENED"
    """The player or team has opened; what follows are melds."""
    KIND_NOT_ALLOWED = "KIND_NOT_ALLOWED"
    """This kind of meld is closed to the player: runs after pairs, or pairs that nobody has opened with."""
    NO_DISCARD = "NO_DISCARD"
    """The action would leave no tile for the discard."""
    MUST_KEEP_DISCARD = "MUST_KEEP_DISCARD"
    """The action would leave no discard that the rules allow."""
    MUST_USE_TAKEN = "MUST_USE_TAKEN"
    """The tile taken from the discard pile has to be used by the same command."""
    MUST_NOT_RETURN = "MUST_NOT_RETURN"
    """The card taken from the discard pile may not be discarded in the same turn."""
    NOTHING_TO_TAKE = "NOTHING_TO_TAKE"
    """There is no discard that this player could take."""
    PILE_BLOCKED = "PILE_BLOCKED"
    """The top of the discard pile may not be taken."""
    STOCK_EMPTY = "STOCK_EMPTY"
    """There is nothing to draw."""
    NO_JOKER = "NO_JOKER"
    """No joker for the Joker button: none in the account, used in this round, or none in the stock."""
    WRONG_TARGET = "WRONG_TARGET"
    """There is no such meld, or it takes no tile of this kind."""
    NO_SUCH_JOKER = "NO_SUCH_JOKER"
    """The meld holds no joker that stands for this tile."""
    UNKNOWN_OPTION = "UNKNOWN_OPTION"
    """An option that the game does not have, or a value that the option does not take."""
    UNKNOWN_MOVE = "UNKNOWN_MOVE"
    """A move that the game does not have."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A refusal: a stable code and a sentence that names the thing and the place."""

    code: Code
    detail: str
