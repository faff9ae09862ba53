"""Refusals in plain words: what was wrong with the move, by code and by the tiles that it names.

Codes and what they mean: ``deploy/docs/tables.md``.
"""

import re
from collections.abc import Iterator
from typing import Final

from meldhall.table.v1 import table_view_pb2 as views
from meldhall_rules import commands
from meldhall_rules.alphabet import Alphabet
from meldhall_rules.commands import Command
from meldhall_rules.notation import write_tiles
from meldhall_rules.rejections import Code

SENTENCES: Final[dict[str, str]] = {
    Code.NOT_YOUR_TURN: "It is somebody else's turn.",
    Code.WRONG_PHASE: "{phase}",
    Code.ROUND_OVER: "The round is over.",
    Code.MATCH_OVER: "The match is over.",
    Code.ROUND_NOT_OVER: "The round is still being played.",
    Code.TILE_NOT_HELD: "You do not hold {missing}.",
    Code.INVALID_MELD: "These {piece}s do not make a meld of that kind, or do not fit there: {tiles}.",
    Code.BELOW_THRESHOLD: "That is not enough to open. {need}",
    Code.MIXED_OPENING: "An opening is of runs and sets or of pairs, never of both.",
    Code.NOT_OPENED: "You have to open first. {need}",
    Code.ALREADY_OPENED: "You have opened already; use `meld` now.",
    Code.KIND_NOT_ALLOWED: "This kind of meld is closed to you: who opened with pairs lays no runs or "
    "sets, and pairs are open when somebody else has opened with pairs.",
    Code.NO_DISCARD: "That would leave you nothing to discard; one {piece} has to stay in your hand.",
    Code.MUST_KEEP_DISCARD: "That would leave you no {piece} that you may discard; keep one more.",
    Code.MUST_USE_TAKEN: "What you take has to be laid at once, by the same command: `take + meld …` "
    "or `take + add …`.",
    Code.MUST_NOT_RETURN: "You took {tiles} from the discards in this turn; it may not go back. Discard "
    "another one.",
    Code.NOTHING_TO_TAKE: "There is no discard that you could take.",
    Code.PILE_BLOCKED: "The top of the discard pile blocks it, or you lack what it takes to pick it up.",
    Code.STOCK_EMPTY: "The stock is empty: there is nothing to draw.",
    Code.NO_JOKER: "The Joker button gives you nothing now: no joker in your account, or it was pressed in "
    "this round already.",
    Code.WRONG_TARGET: "There is no such meld, or it takes no {piece} like that. The numbers stand on the "
    "left: #0, #1 and so on.",
    Code.NO_SUCH_JOKER: "In that meld no joker stands for {tiles}.",
    Code.UNKNOWN_OPTION: "This game has no such option.",
    Code.UNKNOWN_MOVE: "This game has no such move.",
    "STALE": "Something happened at the table in the meantime; look again and repeat your move.",
    "TABLE_CLOSED": "The table is closed.",
    "TABLE_NOT_PLAYING": "No round is being played at the moment.",
    "ROUND_NOT_STARTED": "No round has been dealt yet.",
    "UNKNOWN_TILE": "There is no such {piece} in this game.",
    "INVALID_FIELD": "The table does not understand this move: something in it is missing or too long.",
}
"""By code of the rules or the table."""

_TECHNICAL: Final = re.compile(r"\b(seat|tile|card|team) \d")
"""Details that name things by number say nothing to a person."""

_TOLD: Final = frozenset(
    {
        Code.INVALID_MELD,
        Code.BELOW_THRESHOLD,
        Code.KIND_NOT_ALLOWED,
        Code.MUST_KEEP_DISCARD,
        Code.PILE_BLOCKED,
        Code.WRONG_TARGET,
        Code.NO_JOKER,
        Code.UNKNOWN_MOVE,
        Code.NOTHING_TO_TAKE,
    }
)
"""Codes with more than one reason: the detail says which it was."""


def explain(code: str, detail: str, move: Command, view: views.TableView, alphabet: Alphabet) -> str:
    """Say in plain words why a move was refused.

    Args:
        code: the reason that the table gave.
        detail: the sentence that came with it, for developers.
        move: the move.
        view: the table as the player sees it.
        alphabet: the names of the pieces.
    """
    sentence = SENTENCES.get(code)
    if sentence is None:
        return f"The table refuses that ({code}): {detail}."
    named = list(tiles_of(move))
    hand = [*view.round.own_hand, *_top(move, view)]
    missing = [tile for tile in named if tile not in hand] or named
    text = sentence.format(
        piece=alphabet.piece,
        tiles=write_tiles(named, alphabet) or "these",
        missing=write_tiles(missing, alphabet) or "that",
        need=need_words(view),
        phase=_phase(view, alphabet.piece),
    ).strip()
    if code in _TOLD and detail and _TECHNICAL.search(detail) is None:
        return f"{text} ({detail})"
    return text


def need_words(view: views.TableView) -> str:
    """Say what an opening needs now, nothing in games without openings."""
    points, pairs = view.round.need_points, view.round.need_pairs
    if not points:
        return ""
    unit = "points of tiles" if view.round.game == "canasta" else "points in runs and sets"
    return f"An opening needs {points} {unit}{f', or {pairs} pairs' if pairs else ''}, all in one `open`."


def tiles_of(move: Command) -> Iterator[int]:
    """Yield the tiles that a move names."""
    match move:
        case commands.Discard(tile=tile) | commands.SwapJoker(tile=tile):
            yield tile
        case commands.LayOff(tiles=placed):
            yield from (one.tile for one in placed)
        case commands.LayOpening(melds=melds) | commands.LayMelds(melds=melds):
            yield from (one.tile for meld in melds for one in meld.tiles)
        case commands.GoOut(melds=melds, discard=discard):
            yield from (one.tile for meld in melds for one in meld.tiles)
            if discard is not None:
                yield discard
        case commands.TakeDiscard(use=use) if use is not None:
            yield from tiles_of(use)
        case _:
            return


def _phase(view: views.TableView, piece: str) -> str:
    if view.round.phase == views.PHASE_DRAW:
        return f"First take a {piece}: `draw` or `take`."
    if view.round.first_turn:
        return f"Your first turn begins without a draw: you have a {piece} more than the others. Discard one."
    return f"You have your {piece} for this turn already. Lay down what you like, then discard one."


def _top(move: Command, view: views.TableView) -> list[int]:
    taking = isinstance(move, commands.TakeDiscard)
    return list(view.round.discards[-1:]) if taking else []
