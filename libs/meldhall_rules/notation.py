"""Tiles or cards, melds, moves and events as text and back.

The notation is the one in which scenario files are written and the replay command prints: ``R7``, ``*`` for
a joker, ``*=R11`` for what it stands for, ``run:R1,R2,*``, ``0 take + open run:R1,R2,R3``; with cards
``7H`` and ``4S=6H``. Copies are not told apart, so reading a move takes the tiles that the player holds.
Source: ``deploy/docs/scenarios.md``.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from meldhall_rules import events
from meldhall_rules.alphabet import JOKER, TILES, Alphabet
from meldhall_rules.commands import (
    AutoTurn,
    Command,
    Discard,
    Draw,
    GoOut,
    LayMelds,
    LayOff,
    LayOpening,
    MeldKind,
    MeldSpec,
    Placed,
    PressJokerButton,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.melds import MeldLike
from meldhall_rules.tiles import NO_FACE
from meldhall_rules.view import TableMeld

_WORD: Final = re.compile(r"\S+")
_SEAT: Final = re.compile(r"[0-9]{1,2}")
_NUMBER: Final = re.compile(r"#([0-9]{1,3})")


class NotationError(ValueError):
    """A text that is not in the notation: which text, where in it (from 0), and why."""

    def __init__(self, text: str, place: int, reason: str) -> None:
        super().__init__(f"{text!r}, character {place + 1}: {reason}")
        self.text = text
        self.place = place
        self.reason = reason


def write_tile(tile: int, alphabet: Alphabet = TILES) -> str:
    """Write a tile or card: its face, or ``*``."""
    return alphabet.name_of(tile)


def write_tiles(tiles: Iterable[int], alphabet: Alphabet = TILES) -> str:
    """Write a list of tiles: ``R1 R2 *``."""
    return " ".join(map(alphabet.name_of, tiles))


def write_laid(laid: events.Laid, alphabet: Alphabet = TILES) -> str:
    """Write a tile on the table; a joker or wild with what it stands for, if that is a tile: ``*=R11``."""
    own = alphabet.name_of(laid.tile)
    shown = own if laid.face == NO_FACE else alphabet.names[laid.face]
    return own if own == shown else f"{own}={shown}"


def write_placed(placed: Placed, alphabet: Alphabet = TILES) -> str:
    """Write a tile as a player names it for a meld."""
    name, stands_for = alphabet.name_of(placed.tile), placed.stands_for
    if stands_for is None or not (alphabet.any_stands or alphabet.is_joker(placed.tile)):
        return name
    return f"{name}={alphabet.names[stands_for]}"


def write_spec(spec: MeldSpec, alphabet: Alphabet = TILES) -> str:
    """Write a meld as a player submits it: ``run:R1,R2,*``."""
    return f"{spec.kind}:{','.join(write_placed(placed, alphabet) for placed in spec.tiles)}"


def write_meld(meld: MeldLike, alphabet: Alphabet = TILES) -> str:
    """Write a meld on the table without its owner: ``run:R1,R2,*=R3``."""
    return f"{meld.kind}:{','.join(write_laid(laid, alphabet) for laid in meld.tiles)}"


def write_table_meld(meld: TableMeld, alphabet: Alphabet = TILES) -> str:
    """Write a meld on the table with its owner: ``0 run:R1,R2,*=R3``."""
    return f"{meld.owner} {write_meld(meld, alphabet)}"


def write_move(command: Command, alphabet: Alphabet = TILES) -> str:
    """Write a move: ``0 take + open run:R1,R2,R3``."""
    return f"{command.seat} {_action(command, alphabet)}"


def _action(command: Command, alphabet: Alphabet) -> str:
    match command:
        case Draw():
            return "draw"
        case PressJokerButton():
            return "button"
        case LayOpening():
            return f"open {_specs(command.melds, alphabet)}"
        case LayMelds():
            return f"meld {_specs(command.melds, alphabet)}"
        case LayOff():
            tiles = ",".join(write_placed(placed, alphabet) for placed in command.tiles)
            return f"add {tiles} to #{command.meld}"
        case SwapJoker():
            return f"swap {alphabet.name_of(command.tile)} for #{command.meld}"
        case TakeDiscard():
            return "take" if command.use is None else f"take + {_action(command.use, alphabet)}"
        case Discard():
            return f"discard {alphabet.name_of(command.tile)}"
        case GoOut():
            melds = _specs(command.melds, alphabet)
            last = "" if command.discard is None else f" discard {alphabet.name_of(command.discard)}"
            return f"out{' ' if melds else ''}{melds}{last}"
    return "auto"


def _specs(melds: Sequence[MeldSpec], alphabet: Alphabet) -> str:
    return " ".join(write_spec(spec, alphabet) for spec in melds)


def describe(event: events.Event, *, reveal: bool = True, alphabet: Alphabet = TILES) -> str:
    """Write an event in a line; with ``reveal`` false without what only the seat itself may know."""
    name = alphabet.name_of
    match event:
        case events.RoundDealt():
            options = "".join(f" {option}={value}" for option, value in event.options)
            game = f"{event.game}/{event.rules_version}{options}"
            return f"deal round {event.round} {game} starter {event.starter}"
        case events.StockDrawn():
            return f"{event.seat} draw {name(event.tile)}" if reveal else f"{event.seat} draw"
        case events.StockReshuffled():
            return f"reshuffle {len(event.order)}"
        case events.DiscardTaken():
            return f"{event.seat} take {name(event.tile)}"
        case events.JokerIssued():
            return f"{event.seat} button"
        case events.OpeningLaid():
            return f"{event.seat} open {_melds_laid(event.melds, alphabet)}"
        case events.MeldsLaid():
            return f"{event.seat} meld {_melds_laid(event.melds, alphabet)}"
        case events.LaidOff():
            tiles = ",".join(write_laid(laid, alphabet) for laid in event.tiles)
            return f"{event.seat} add {tiles} to #{event.meld}"
        case events.JokerSwapped():
            return f"{event.seat} swap {name(event.tile)} for #{event.meld}"
        case events.Discarded():
            return f"{event.seat} discard {name(event.tile)}"
        case events.PileTaken():
            return f"{event.seat} take pile {' '.join(map(name, event.tiles))}"
        case events.BonusExposed():
            return f"{event.seat} bonus {name(event.tile)}"
        case events.WentOut():
            return f"{event.seat} out {_melds_laid(event.melds, alphabet)} discard {name(event.discard)}"
    winner = "" if event.winner is None else f" winner {event.winner}"
    return f"end {event.finish}{winner} scores {' '.join(map(str, event.scores))}"


def _melds_laid(melds: Sequence[MeldLike], alphabet: Alphabet) -> str:
    return " ".join(write_meld(meld, alphabet) for meld in melds)


def parse_tile(text: str, alphabet: Alphabet = TILES) -> int | None:
    """Read the name of a tile or card: its face, None for a joker."""
    return _shown(_Words(text, alphabet), text, 0)


def parse_tiles(text: str, alphabet: Alphabet = TILES) -> tuple[int | None, ...]:
    """Read a list of names, ``R1 R2 *``: faces, None for a joker."""
    words = _Words(text, alphabet)
    return tuple(_shown(words, word, place) for word, place in words.rest())


def parse_meld(text: str, holding: Iterable[int] | None = None, alphabet: Alphabet = TILES) -> MeldSpec:
    """Read a meld, ``run:R1,R2,*``, choosing its tiles among those held; None is the whole set."""
    words = _Words(text, alphabet)
    held = range(len(alphabet.faces)) if holding is None else holding
    spec = _meld(words, *words.take("a meld"), _Picker(held, alphabet))
    words.end()
    return spec


def seat_of(text: str) -> int:
    """Read which seat a move is of."""
    return _seat(_Words(text, TILES))


def parse_move(
    text: str, holding: Iterable[int], taken: int | None = None, alphabet: Alphabet = TILES
) -> Command:
    """Read a move, choosing a tile among those held for every name.

    Of two copies the one with the lower id is chosen. A tile that is not held is chosen among all others,
    so that the rules can refuse the move.

    Args:
        text: the move with its seat, ``0 add R6,R7 to #0``.
        holding: the hand of the seat.
        taken: the top of the discard pile; ``take + ...`` uses it before any other tile of its name.
        alphabet: the names of the pieces of the game.

    Raises:
        NotationError: naming the text and the place in it.
    """
    words = _Words(text, alphabet)
    seat = _seat(words)
    action, place = words.take("an action")
    command: Command
    if action == "take":
        command = _take(words, seat, _Picker(holding, alphabet, taken))
    else:
        command = _command(words, seat, (action, place), _Picker(holding, alphabet))
    words.end()
    return command


class _Words:
    """The words of a text, taken one after the other, each with its place."""

    def __init__(self, text: str, alphabet: Alphabet) -> None:
        self.text = text
        self.alphabet = alphabet
        self._words = [(found[0], found.start()) for found in _WORD.finditer(text)]
        self._at = 0

    def wrong(self, place: int, reason: str) -> NotationError:
        return NotationError(self.text, place, reason)

    def peek(self) -> str | None:
        return self._words[self._at][0] if self._at < len(self._words) else None

    def take(self, what: str) -> tuple[str, int]:
        if self._at == len(self._words):
            raise self.wrong(len(self.text), f"{what} is missing")
        self._at += 1
        return self._words[self._at - 1]

    def expect(self, word: str) -> None:
        found, place = self.take(repr(word))
        if found != word:
            raise self.wrong(place, f"{found!r} where {word!r} should be")

    def rest(self) -> list[tuple[str, int]]:
        found = self._words[self._at :]
        self._at = len(self._words)
        return found

    def end(self) -> None:
        if self._at < len(self._words):
            word, place = self._words[self._at]
            raise self.wrong(place, f"{word!r} after the end")


class _Picker:
    """Chooses a tile for every name of a move, each tile once."""

    def __init__(self, holding: Iterable[int], alphabet: Alphabet, first: int | None = None) -> None:
        self._alphabet = alphabet
        self._held = sorted(holding)
        if first is not None:
            self._held.insert(0, first)
        self._named: set[int] = set()

    def pick(self, shown: int | None) -> int:
        """Choose a tile that shows a face, or a joker for None."""
        matching = (tile for tile in self._held if self._alphabet.face_of(tile) == shown)
        found = next((tile for tile in matching if tile not in self._named), None)
        if found is None:
            found = self._not_held(shown)
        self._named.add(found)
        return found

    def _not_held(self, shown: int | None) -> int:
        """Choose a tile that the seat does not hold; one named before where it holds or named all copies."""
        if shown is None:
            return max([len(self._alphabet.faces) - 1, *self._held, *self._named]) + 1
        copies = self._alphabet.copies[shown]
        known = {*self._held, *self._named}
        return next((tile for tile in copies if tile not in known), copies[0])


def _seat(words: _Words) -> int:
    word, place = words.take("a seat")
    if _SEAT.fullmatch(word) is None:
        raise words.wrong(place, f"{word!r} is not a seat")
    return int(word)


def _take(words: _Words, seat: int, picker: _Picker) -> TakeDiscard:
    if words.peek() is None:
        return TakeDiscard(seat)
    words.expect("+")
    action, place = words.take("an action")
    use = _command(words, seat, (action, place), picker)
    match use:
        case LayOpening() | LayMelds() | LayOff() | SwapJoker():
            return TakeDiscard(seat, use)
        case Discard():
            # A use that puts nothing down is a move, and one that every game refuses.
            return TakeDiscard(seat, LayMelds(seat, ()))
    raise words.wrong(place, f"{action!r} does not use a tile")


def _command(words: _Words, seat: int, action: tuple[str, int], picker: _Picker) -> Command:
    match action[0]:
        case "draw":
            return Draw(seat)
        case "button":
            return PressJokerButton(seat)
        case "auto":
            return AutoTurn(seat)
        case "open":
            return LayOpening(seat, _melds(words, picker))
        case "meld":
            return LayMelds(seat, _melds(words, picker))
        case "add":
            tiles = _placed_list(words, *words.take(f"a {words.alphabet.piece}"), picker)
            words.expect("to")
            return LayOff(seat, _target(words), tiles)
        case "swap":
            tile = _tile(words, picker)
            words.expect("for")
            return SwapJoker(seat, _target(words), tile)
        case "discard":
            return Discard(seat, _tile(words, picker))
        case "out":
            return _go_out(words, seat, picker)
    raise words.wrong(action[1], f"there is no move {action[0]!r}")


def _go_out(words: _Words, seat: int, picker: _Picker) -> GoOut:
    """Read a way to go out. Without a meld or a discard it is still a move, and one that the rules refuse."""
    ends = {None, "discard"}
    melds = () if words.peek() in ends else _melds(words, picker)
    if words.peek() is None:
        return GoOut(seat, melds, None)
    words.expect("discard")
    return GoOut(seat, melds, _tile(words, picker))


def _melds(words: _Words, picker: _Picker) -> tuple[MeldSpec, ...]:
    melds = [_meld(words, *words.take("a meld"), picker)]
    while words.peek() not in {None, "discard"}:
        melds.append(_meld(words, *words.take("a meld"), picker))
    return tuple(melds)


def _meld(words: _Words, word: str, place: int, picker: _Picker) -> MeldSpec:
    kind, colon, tiles = word.partition(":")
    if not colon or kind not in set(MeldKind):
        raise words.wrong(place, f"{word!r} is not run:, set: or pair: and tiles")
    return MeldSpec(MeldKind(kind), _placed_list(words, tiles, place + len(kind) + 1, picker))


def _placed_list(words: _Words, text: str, place: int, picker: _Picker) -> tuple[Placed, ...]:
    placed: list[Placed] = []
    for name in text.split(","):
        tile, equals, identity = name.partition("=")
        if equals and tile != JOKER and not words.alphabet.any_stands:
            raise words.wrong(place, f"{name!r}: only a joker stands for a tile")
        stands_for = _face(words, identity, place + len(tile) + 1) if equals else None
        placed.append(Placed(picker.pick(_shown(words, tile, place)), stands_for))
        place += len(name) + 1
    return tuple(placed)


def _tile(words: _Words, picker: _Picker) -> int:
    word, place = words.take(f"a {words.alphabet.piece}")
    return picker.pick(_shown(words, word, place))


def _shown(words: _Words, name: str, place: int) -> int | None:
    """Read a name: its face, None for a joker in the games that have them."""
    if name == JOKER and words.alphabet.first_joker is not None:
        return None
    return _face(words, name, place)


def _face(words: _Words, name: str, place: int) -> int:
    found = words.alphabet.by_name.get(name)
    if found is None:
        raise words.wrong(place, f"{name!r} is not a {words.alphabet.piece}")
    return found


def _target(words: _Words) -> int:
    word, place = words.take("a meld number")
    found = _NUMBER.fullmatch(word)
    if found is None:
        raise words.wrong(place, f"{word!r} is not # and the number of a meld")
    return int(found[1])
