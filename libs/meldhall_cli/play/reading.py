"""What a person types, as a command of the table or of the screen.

Forgiving: case does not matter, nor do spaces around commas and signs; words may be cut short as long as one
meaning is left; ``10h`` is the ten of hearts and ``joker`` a joker. What comes out is the notation of
``deploy/docs/scenarios.md`` without the seat.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from meldhall_rules.alphabet import JOKER, Alphabet
from meldhall_rules.commands import Command
from meldhall_rules.notation import NotationError, parse_move

MOVES: Final = ("draw", "take", "open", "meld", "add", "swap", "discard", "out", "button")
ORDERS: Final = ("hint", "help", "moves", "sort", "table", "rules", "quit")
_WITH_MORE: Final = frozenset({"open", "meld", "add", "swap", "discard", "out"})
"""Words that mean nothing without more words."""
_ALONE: Final = frozenset({"draw", "button", "hint", "help", "moves", "table", "rules", "quit"})
_USES: Final = ("open", "meld", "add", "swap")
_KINDS: Final = {"run": "run", "runs": "run", "set": "set", "sets": "set", "pair": "pair", "pairs": "pair"}
_SHORT_KINDS: Final = {"r": "run", "s": "set", "p": "pair", "g": "set", "group": "set", "seq": "run"}
_TOKEN: Final = re.compile(r"[#+:,=]|[^\s#+:,=]+")
_SUITS: Final = str.maketrans({"♠": "S", "♥": "H", "♦": "D", "♣": "C"})
_TURNED: Final = re.compile(r"([A-Z])(10|[0-9]{1,2}|[TJQKA])")
_RIGHT_WAY: Final = re.compile(r"([0-9]{1,2})([RYKB])")


class Unclear(ValueError):
    """Words that have no meaning, or more than one; the message is for the person who typed them."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed: a word of ``MOVES`` or ``ORDERS``, and the rest, of a move in the notation."""

    word: str
    rest: str = ""

    @property
    def is_move(self) -> bool:
        """Tell whether it is a move at the table."""
        return self.word in MOVES

    @property
    def text(self) -> str:
        """Return it as one text."""
        return f"{self.word} {self.rest}".strip()


def understand(line: str, alphabet: Alphabet) -> Typed:
    """Read a line.

    Raises:
        Unclear: its first word has no meaning, or several.
    """
    bits = _TOKEN.findall(line.strip())
    if not bits:
        raise Unclear("Type a move, or `help`.")
    word = _full_word(bits[0].lower(), (*MOVES, *ORDERS), more=len(bits) > 1)
    if word in ORDERS:
        return Typed(word, " ".join(bits[1:]).lower())
    return Typed(word, _Writer(alphabet).write(word, bits[1:]))


def move_of(typed: Typed, seat: int, hand: Sequence[int], taken: int | None, alphabet: Alphabet) -> Command:
    """Return the move of a seat.

    Args:
        typed: what was typed.
        seat: whose move it is.
        hand: the pieces held; of twins the one with the lowest id is chosen.
        taken: the top of the discard pile.
        alphabet: the names of the pieces.

    Raises:
        Unclear: with the text and a mark under the place where it goes wrong.
    """
    before = f"{seat} "
    try:
        return parse_move(before + typed.text, hand, taken, alphabet)
    except NotationError as error:
        place = max(error.place - len(before), 0)
        raise Unclear(f"  {typed.text}\n  {' ' * place}^ {error.reason}") from None


def _full_word(short: str, words: Sequence[str], *, more: bool) -> str:
    found = [word for word in words if word.startswith(short)]
    if short in found:
        return short
    if len(found) > 1:
        # "d" alone draws, "d r5" discards.
        fitting = [word for word in found if word not in (_ALONE if more else _WITH_MORE)]
        found = fitting or found
    if not found:
        raise Unclear(f"There is no `{short}`. Moves: {', '.join(MOVES)}. Also: {', '.join(ORDERS)}.")
    if len(found) > 1:
        raise Unclear(f"`{short}` could be {' or '.join(found)}; type one letter more.")
    return found[0]


class _Writer:
    """Puts the words of a move into the notation."""

    def __init__(self, alphabet: Alphabet) -> None:
        self._alphabet = alphabet

    def write(self, word: str, bits: Sequence[str]) -> str:
        match word:
            case "take":
                return self._take(bits)
            case "add":
                return self._to(bits, {"to", "onto", "on"}, "to")
            case "swap":
                return self._to(bits, {"for", "at", "in", "to"}, "for")
            case "open" | "meld" | "out":
                return self._melds(bits)
            case _:
                return " ".join(map(self._name, bits))

    def _take(self, bits: Sequence[str]) -> str:
        rest = [bit for bit in bits if bit != "+"]
        if not rest:
            return "+" if bits else ""
        try:
            use = _full_word(rest[0].lower(), _USES, more=True)
        except Unclear:
            if self._alphabet.any_stands:
                # In card games there is one card to take, whether it is named or not.
                return ""
            raise Unclear(
                "Say what you do with it: take + open …, take + meld …, take + add … or take + swap …"
            ) from None
        return f"+ {use} {self.write(use, rest[1:])}".rstrip()

    def _to(self, bits: Sequence[str], signs: set[str], sign: str) -> str:
        """Write ``TILES to #2``; the sign may be left out where ``#`` stands."""
        words = [bit.lower() for bit in bits]
        at = next((place for place, word in enumerate(words) if word in signs or word == "#"), len(words))
        names = self._list(bits[:at])
        if at == len(words):
            return names
        target = "".join(word for word in words[at:] if word not in signs and word != "#")
        return f"{names} {sign} #{target}" if target else f"{names} {sign}"

    def _melds(self, bits: Sequence[str]) -> str:
        parts: list[str] = []
        names: list[str] = []
        kind = ""

        def close() -> None:
            if kind or names:
                parts.append((f"{kind}:" if kind else "") + self._list(names))
            names.clear()

        for place, bit in enumerate(bits):
            word = bit.lower()
            follows = bits[place + 1] if place + 1 < len(bits) else ""
            found = _KINDS.get(word) or (_SHORT_KINDS.get(word) if follows == ":" else None)
            if found:
                close()
                kind = found
            elif len(word) > 1 and "discard".startswith(word) and word != "di":
                close()
                return " ".join([*parts, "discard", *map(self._name, bits[place + 1 :])])
            elif word == "d" and self._alphabet.by_name.get("D") is None and place + 2 == len(bits):
                close()
                return " ".join([*parts, "discard", self._name(follows)])
            elif bit != ":":
                names.append(bit)
        close()
        return " ".join(parts)

    def _list(self, bits: Sequence[str]) -> str:
        """Write pieces with commas: ``R1,R2,*=R3``."""
        text = ""
        joined = True
        for bit in bits:
            if bit == ",":
                continue
            if bit == "=":
                text, joined = text + "=", True
                continue
            text += ("" if joined else ",") + self._name(bit)
            joined = False
        return text

    def _name(self, bit: str) -> str:
        """Write the name of a piece the right way round; what is none stays as it was typed."""
        if bit.lower() in {"joker", "jokers", JOKER}:
            return JOKER
        name = bit.translate(_SUITS).upper()
        known = self._alphabet.by_name
        if name in known or len(name) > 3:
            return name if name in known else bit
        for candidate in (name.replace("10", "T"), *_turned(name)):
            if candidate in known:
                return candidate
        return name


def _turned(name: str) -> list[str]:
    """Return a name the other way round: ``H10`` for ten of hearts, ``7R`` for red seven."""
    suit_first, number_first = _TURNED.fullmatch(name), _RIGHT_WAY.fullmatch(name)
    turned = []
    if suit_first:
        turned.append(f"{suit_first[2].replace('10', 'T')}{suit_first[1]}")
    if number_first:
        turned.append(f"{number_first[2]}{number_first[1]}")
    return turned
