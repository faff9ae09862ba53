"""`meldhall solve`: what is in a hand, for people and, one JSON object a line, for programs.

The plain question: all tiles may be laid. A player who has to keep one for his discard says so by ``keep``.
Source: ``deploy/docs/solvers.md``.
"""

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

from rich.console import Console

from meldhall_cli.faults import CommandFault
from meldhall_rules.alphabet import CARDS, TILES, Alphabet
from meldhall_rules.commands import MeldSpec
from meldhall_rules.games.three_thirteen.melds import WildRule, read_meld
from meldhall_rules.games.three_thirteen.state import MAX_SEATS, MIN_SEATS, ROUNDS, deck_size, wild_rank
from meldhall_rules.notation import NotationError, parse_tiles, write_meld, write_spec
from meldhall_rules.rejections import Rejection
from meldhall_rules.solve.opening import Opening, best_opening_value
from meldhall_rules.solve.pairs import best_pairs
from meldhall_rules.solve.penalty import least_penalty

MOST_CARDS: Final = 14
MOST_TILES: Final = 30
MOST_JOKERS: Final = 6
"""Two of the set and one of each player's Joker button."""
DECK: Final = 52

Question = Mapping[str, object]
Answer = dict[str, object]
Solver = Callable[[Question], Answer]


class Unreadable(ValueError):
    """A question that cannot be answered; the message says what is wrong with it."""


def penalty(question: Question) -> Answer:
    """Answer what a hand of Three-Thirteen costs at least.

    Args:
        question: ``round`` and ``hand``; ``players`` or ``decks`` where cards of two decks are a fault, and
            ``allow_all_wild``.

    Returns:
        The question with ``penalty`` and ``melds``.

    Raises:
        Unreadable: naming what is missing or wrong.
    """
    number = _count(question, "round", 1, ROUNDS)
    rule = WildRule(wild_rank(number), _flag(question, "allow_all_wild"))
    hand = _hand(question, CARDS, _decks(question), MOST_CARDS)
    found = least_penalty(hand, rule.rank, all_wild=rule.all_wild)
    return {
        **question,
        "penalty": found.value,
        "melds": [_card_meld(spec, rule) for spec in found.melds],
    }


def opening(question: Question) -> Answer:
    """Answer what a hand of Rummy 101 could open with.

    Args:
        question: ``hand``, and ``keep``, how many tiles have to stay in it (0).

    Returns:
        The question with ``best_value`` and its ``melds``, ``best_pairs`` and its ``pair_melds``.

    Raises:
        Unreadable: naming what is missing or wrong.
    """
    hand = _hand(question, TILES, 2, MOST_TILES)
    keep = _count(question, "keep", 0, MOST_TILES, default=0)
    value, pairs = best_opening_value(hand, keep=keep), best_pairs(hand, keep=keep)
    return {
        **question,
        "best_value": value.value if value else 0,
        "best_pairs": pairs.value if pairs else 0,
        "melds": _tile_melds(value),
        "pair_melds": _tile_melds(pairs),
    }


def run(solver: Solver, hand: str | None, given: Question, *, as_lines: bool, console: Console) -> bool:
    """Answer the questions of a call; True when every one could be answered.

    Args:
        solver: ``penalty`` or ``opening``.
        hand: one hand in notation or an object that holds one; else stdin is read.
        given: what the command line says of every question besides.
        as_lines: whether each line of stdin is a question, answered by a line of JSON.
        console: where an answer for people goes.

    Raises:
        CommandFault: a hand is named and lines are asked for.
    """
    if as_lines:
        if hand is not None:
            raise CommandFault("--jsonl reads its questions from stdin, a hand cannot be named as well")
        return _answer_lines(solver, sys.stdin.buffer, given)
    written = sys.stdin.buffer.read() if hand is None else hand.encode(errors="surrogateescape")
    try:
        answer = solver({**_question(written), **given})
    except Unreadable as fault:
        console.print(f"error: {fault}", markup=False, highlight=False, soft_wrap=True)
        return False
    for name, value in answer.items():
        shown = value if not isinstance(value, list) else "  ".join(map(str, value)) or "none"
        console.print(f"{name:>16}  {shown}", markup=False, highlight=False, soft_wrap=True)
    return True


def _answer_lines(solver: Solver, lines: Iterable[bytes], given: Question) -> bool:
    """Answer every line; a faulty one by what it says and ``error``. Empty lines are passed over."""
    good = True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        question: Question = {}
        try:
            question = _object(line)
            answer = solver({**given, **question})
        except Unreadable as fault:
            good = False
            answer = {**question, "error": f"line {number}: {fault}"}
        print(json.dumps(answer), flush=True)
    return good


def _question(written: bytes) -> Question:
    """Read one question: an object, or a hand alone."""
    if written.lstrip().startswith(b"{"):
        return _object(written)
    try:
        return {"hand": written.decode().strip()}
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start + 1} is not UTF-8") from None


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode(), parse_constant=_no_number, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start + 1} is not UTF-8") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Unreadable("not an object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(written: str) -> float:
    value = float(written)
    return value if math.isfinite(value) else _no_number(written)


def _hand(question: Question, alphabet: Alphabet, copies: int, most: int) -> list[int]:
    """Choose pieces for the names of a hand: of equal ones the lowest ids, jokers as many as there may be."""
    written = question.get("hand")
    if not isinstance(written, str):
        raise Unreadable("hand is missing" if written is None else f"hand is {_shown(written)}, not a text")
    try:
        faces = parse_tiles(written, alphabet)
    except NotationError as error:
        raise Unreadable(f"hand: {error}") from None
    if len(faces) > most:
        raise Unreadable(f"hand has {len(faces)} {alphabet.piece}s, {most} are the most")
    counts: dict[int | None, int] = {}
    hand = []
    for face in faces:
        held = counts.get(face, 0)
        if held == (MOST_JOKERS if face is None else copies):
            name = "*" if face is None else alphabet.names[face]
            raise Unreadable(f"hand has {name} {faces.count(face)} times, there are {held}")
        counts[face] = held + 1
        hand.append((alphabet.first_joker or 0) + held if face is None else alphabet.copies[face][held])
    return hand


def _decks(question: Question) -> int:
    """Tell of how many decks the cards are: as many as said or as the players have, else of two."""
    decks = _count(question, "decks", 1, 2, default=0)
    players = _count(question, "players", MIN_SEATS, MAX_SEATS, default=0)
    by_players = deck_size(players) // DECK if players else 0
    if decks and by_players not in (0, decks):
        raise Unreadable(f"{players} players have {by_players} decks, not {decks}")
    return decks or by_players or 2


def _count(question: Question, name: str, least: int, most: int, *, default: int | None = None) -> int:
    value = question.get(name, default)
    if value is None:
        raise Unreadable(f"{name} is missing")
    if name not in question and default is not None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Unreadable(f"{name} is {_shown(value)}, not a number from {least} to {most}")
    return value


def _flag(question: Question, name: str) -> bool:
    value = question.get(name, False)
    if not isinstance(value, bool):
        raise Unreadable(f"{name} is {_shown(value)}, not true or false")
    return value


def _shown(value: object) -> str:
    written = json.dumps(value)
    return written if len(written) <= 40 else f"{written[:37]}..."


def _card_meld(spec: MeldSpec, rule: WildRule) -> str:
    """Write a meld as it would lie on the table, each wild with what it stands for."""
    laid = read_meld(spec, rule)
    if isinstance(laid, Rejection):
        # The solver formed what the rules refuse: a bug of the solver, not a wrong type.
        raise RuntimeError(laid.detail)  # noqa: TRY004 - see above
    return write_meld(laid, CARDS)


def _tile_melds(found: Opening | None) -> Sequence[str]:
    return [write_spec(spec) for spec in found.melds] if found else []
