"""Tiles, melds, moves and events as text and back.

The notation is the one in which scenario files are written and the replay command prints: ``R7``, ``*`` for
a joker, ``*=R11`` for what it stands for, ``run:R1,R2,*``, ``0 take + open run:R1,R2,R3``. It does not tell
the two copies of a tile apart, so reading a move takes the tiles that the player holds.
Source: ``deploy/docs/scenarios.md``.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

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
from meldhall_rules.events import (
    Discarded,
    DiscardTaken,
    Event,
    JokerIssued,
    JokerSwapped,
    Laid,
    LaidOff,
    MeldsLaid,
    OpeningLaid,
    RoundDealt,
    StockDrawn,
)
from meldhall_rules.melds import MeldLike, face_name
from meldhall_rules.tiles import COLOURS, FACES, FIRST_JOKER, face, is_joker
from meldhall_rules.view import TableMeld

JOKER: Final = "*"

_NAME: Final = re.compile(rf"([{COLOURS}])([1-9]|1[0-3])")
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


def write_tile(tile: int) -> str:
    """Write a tile: its face, or ``*``."""
    return JOKER if is_joker(tile) else face_name(tile // 2)


def write_tiles(tiles: Iterable[int]) -> str:
    """Write a list of tiles: ``R1 R2 *``."""
    return " ".join(map(write_tile, tiles))


def write_laid(laid: Laid) -> str:
    """Write a tile on the table; a joker with what it stands for: ``*=R11``."""
    return f"{JOKER}={face_name(laid.face)}" if is_joker(laid.tile) else face_name(laid.face)


def write_placed(placed: Placed) -> str:
    """Write a tile as a player names it for a meld."""
    if is_joker(placed.tile) and placed.stands_for is not None:
        return f"{JOKER}={face_name(placed.stands_for)}"
    return write_tile(placed.tile)


def write_spec(spec: MeldSpec) -> str:
    """Write a meld as a player submits it: ``run:R1,R2,*``."""
    return f"{spec.kind}:{','.join(map(write_placed, spec.tiles))}"


def write_meld(meld: MeldLike) -> str:
    """Write a meld on the table without its owner: ``run:R1,R2,*=R3``."""
    return f"{meld.kind}:{','.join(map(write_laid, meld.tiles))}"


def write_table_meld(meld: TableMeld) -> str:
    """Write a meld on the table with its owner: ``0 run:R1,R2,*=R3``."""
    return f"{meld.owner} {write_meld(meld)}"


def write_move(command: Command) -> str:
    """Write a move: ``0 take + open run:R1,R2,R3``."""
    return f"{command.seat} {_action(command)}"


def _action(command: Command) -> str:
    match command:
        case Draw():
            return "draw"
        case PressJokerButton():
            return "button"
        case LayOpening():
            return f"open {_specs(command.melds)}"
        case LayMelds():
            return f"meld {_specs(command.melds)}"
        case LayOff():
            return f"add {','.join(map(write_placed, command.tiles))} to #{command.meld}"
        case SwapJoker():
            return f"swap {write_tile(command.tile)} for #{command.meld}"
        case TakeDiscard():
            return "take" if command.use is None else f"take + {_action(command.use)}"
        case Discard():
            return f"discard {write_tile(command.tile)}"
        case GoOut():
            return f"out {_specs(command.melds)} discard {write_tile(command.discard)}"
    return "auto"


def _specs(melds: Sequence[MeldSpec]) -> str:
    return " ".join(map(write_spec, melds))


def describe(event: Event, *, reveal: bool = True) -> str:
    """Write an event in a line; with ``reveal`` false without what only the seat itself may know."""
    match event:
        case RoundDealt():
            options = "".join(f" {name}={value}" for name, value in event.options)
            game = f"{event.game}/{event.rules_version}{options}"
            return f"deal round {event.round} {game} starter {event.starter}"
        case StockDrawn():
            return f"{event.seat} draw {write_tile(event.tile)}" if reveal else f"{event.seat} draw"
        case DiscardTaken():
            return f"{event.seat} take {write_tile(event.tile)}"
        case JokerIssued():
            return f"{event.seat} button"
        case OpeningLaid():
            return f"{event.seat} open {' '.join(map(write_meld, event.melds))}"
        case MeldsLaid():
            return f"{event.seat} meld {' '.join(map(write_meld, event.melds))}"
        case LaidOff():
            return f"{event.seat} add {','.join(map(write_laid, event.tiles))} to #{event.meld}"
        case JokerSwapped():
            return f"{event.seat} swap {write_tile(event.tile)} for #{event.meld}"
        case Discarded():
            return f"{event.seat} discard {write_tile(event.tile)}"
    winner = "" if event.winner is None else f" winner {event.winner}"
    return f"end {event.finish}{winner} scores {' '.join(map(str, event.scores))}"


def parse_tile(text: str) -> int | None:
    """Read the name of a tile: its face, None for a joker."""
    return None if text == JOKER else _face(_Words(text), text, 0)


def parse_tiles(text: str) -> tuple[int | None, ...]:
    """Read a list of names, ``R1 R2 *``: faces, None for a joker."""
    words = _Words(text)
    return tuple(None if word == JOKER else _face(words, word, place) for word, place in words.rest())


def parse_meld(text: str, holding: Iterable[int] | None = None) -> MeldSpec:
    """Read a meld, ``run:R1,R2,*``, choosing its tiles among those held; None is the whole set."""
    words = _Words(text)
    spec = _meld(words, *words.take("a meld"), _Picker(range(FACES * 2) if holding is None else holding))
    words.end()
    return spec


def seat_of(text: str) -> int:
    """Read which seat a move is of."""
    return _seat(_Words(text))


def parse_move(text: str, holding: Iterable[int], taken: int | None = None) -> Command:
    """Read a move, choosing a tile among those held for every name.

    Of two copies the one with the lower id is chosen. A tile that is not held is chosen among all others,
    so that the rules can refuse the move.

    Args:
        text: the move with its seat, ``0 add R6,R7 to #0``.
        holding: the hand of the seat.
        taken: the top of the discard pile; ``take + ...`` uses it before any other tile of its name.

    Raises:
        NotationError: naming the text and the place in it.
    """
    words = _Words(text)
    seat = _seat(words)
    action, place = words.take("an action")
    command: Command
    if action == "take":
        command = _take(words, seat, _Picker(holding, taken))
    else:
        command = _command(words, seat, (action, place), _Picker(holding))
    words.end()
    return command


class _Words:
    """The words of a text, taken one after the other, each with its place."""

    def __init__(self, text: str) -> None:
        self.text = text
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

    def __init__(self, holding: Iterable[int], first: int | None = None) -> None:
        self._held = sorted(holding)
        if first is not None:
            self._held.insert(0, first)
        self._named: set[int] = set()

    def pick(self, shown: int | None) -> int:
        """Choose a tile that shows a face, or a joker for None."""
        matching = (tile for tile in self._held if (None if is_joker(tile) else tile // 2) == shown)
        found = next((tile for tile in matching if tile not in self._named), None)
        if found is None:
            found = self._not_held(shown)
        self._named.add(found)
        return found

    def _not_held(self, shown: int | None) -> int:
        """Choose a tile that the seat does not hold; one named before where it holds or named both copies."""
        if shown is None:
            return max([FIRST_JOKER - 1, *self._held, *self._named]) + 1
        copies = (shown * 2, shown * 2 + 1)
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
            # Taking a tile and using none of it is a move, and one that the rules refuse.
            return TakeDiscard(seat)
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
            tiles = _placed_list(words, *words.take("a tile"), picker)
            words.expect("to")
            return LayOff(seat, _target(words), tiles)
        case "swap":
            tile = _tile(words, picker)
            words.expect("for")
            return SwapJoker(seat, _target(words), tile)
        case "discard":
            return Discard(seat, _tile(words, picker))
        case "out":
            melds = _melds(words, picker)
            words.expect("discard")
            return GoOut(seat, melds, _tile(words, picker))
    raise words.wrong(action[1], f"there is no move {action[0]!r}")


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
        if tile == JOKER:
            stands_for = _face(words, identity, place + len(tile) + 1) if equals else None
            placed.append(Placed(picker.pick(None), stands_for))
        elif equals:
            raise words.wrong(place, f"{name!r}: only a joker stands for a tile")
        else:
            placed.append(Placed(picker.pick(_face(words, name, place))))
        place += len(name) + 1
    return tuple(placed)


def _tile(words: _Words, picker: _Picker) -> int:
    word, place = words.take("a tile")
    return picker.pick(None if word == JOKER else _face(words, word, place))


def _face(words: _Words, name: str, place: int) -> int:
    found = _NAME.fullmatch(name)
    if found is None:
        raise words.wrong(place, f"{name!r} is not a tile")
    return face(COLOURS.index(found[1]), int(found[2]))


def _target(words: _Words) -> int:
    word, place = words.take("a meld number")
    found = _NUMBER.fullmatch(word)
    if found is None:
        raise words.wrong(place, f"{word!r} is not # and the number of a meld")
    return int(found[1])
