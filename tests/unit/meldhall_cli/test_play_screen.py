from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

from meldhall.table.v1 import table_moves_pb2 as moves
from meldhall.table.v1 import table_view_pb2 as views
from meldhall_cli.play.names import Names
from meldhall_cli.play.pieces import Order, Pieces, wild_words
from meldhall_cli.play.screen import Screen, time_left
from meldhall_cli.play.texts import help_text, rules_text
from meldhall_rules import registry
from meldhall_rules.alphabet import CARDS, TILES
from meldhall_rules.notation import parse_meld, parse_tiles

NOW = 1_000_000


def tiles(text: str) -> list[int]:
    """One id for every name; twins and jokers get the next one."""
    found: list[int] = []
    for shown in parse_tiles(text):
        first = 104 if shown is None else shown * 2
        found.append(next(tile for tile in (first, first + 1) if tile not in found))
    return found


def cards(text: str) -> list[int]:
    return [card for card in parse_tiles(text, CARDS) if card is not None]


def printed(what: RenderableType, width: int = 80) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(what, highlight=False)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def rows(found: list[tuple[str, object]]) -> list[tuple[str, str]]:
    return [(name, str(text)) for name, text in found]


def test_a_long_hand_has_a_row_for_every_colour_it_holds() -> None:
    hand = tiles("R9 R2 B1 K13 K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 * K11")
    assert rows(Pieces(TILES, "rummy101").hand(hand, Order.COLOUR)) == [  # type: ignore[arg-type]
        ("red", "R2 R9"),
        ("black", "K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 K11 K13"),
        ("blue", "B1"),
        ("jokers", "*"),
    ]


def test_a_short_hand_is_one_row_by_colour_or_by_number() -> None:
    pieces = Pieces(TILES, "rummy101")
    hand = tiles("B1 R9 * R2 K9")
    assert rows(pieces.hand(hand, Order.COLOUR)) == [("", "R2 R9 K9 B1 *")]  # type: ignore[arg-type]
    assert rows(pieces.hand(hand, Order.NUMBER)) == [("", "B1 R2 R9 K9 *")]  # type: ignore[arg-type]
    hand = cards("KH 2S AH TS")
    assert rows(Pieces(CARDS, "rummy").hand(hand, Order.COLOUR)) == [("", "2S TS AH KH")]  # type: ignore[arg-type]


def test_what_came_in_this_turn_stands_in_brackets() -> None:
    hand = tiles("R2 R9")
    assert str(Pieces(TILES, "rummy101").row(hand, hand[1:])) == "R2 [R9]"


def test_pieces_have_the_colours_of_their_names_and_wilds_are_known() -> None:
    pieces = Pieces(TILES, "canasta")
    assert [pieces.style(tile).split()[-1] for tile in tiles("R2 Y2 K2 B2 *")] == [
        "red", "yellow", "bold", "blue", "magenta",
    ]  # fmt: skip
    assert [pieces.is_wild(tile) for tile in tiles("R2 R3 *")] == [True, False, True]
    thirds = Pieces(CARDS, "three_thirteen", wild=3)
    assert [thirds.is_wild(card) for card in cards("3S 4S")] == [True, False]
    assert (wild_words(1), wild_words(3), wild_words(13)) == ("aces", "threes", "kings")


def laid(text: str) -> moves.LaidMeld:
    spec = parse_meld(text)
    kind = moves.MELD_KIND_RUN if spec.kind == "run" else moves.MELD_KIND_SET
    return moves.LaidMeld(
        kind=kind, tiles=[moves.LaidTile(tile=one.tile, face=one.tile // 2) for one in spec.tiles]
    )


def table(game: str, own: str, **more: Any) -> views.TableView:
    seats = 4 if game == "canasta" else 2
    sides = 2
    view = views.TableView(
        status=views.TABLE_STATUS_PLAYING,
        own_seat=0,
        totals=[0] * sides,
        deadline_unix_ms=NOW + 600_000,
        seats=[views.SeatView(seat=0, player_id="anna")]
        + [views.SeatView(seat=seat, player_id=f"bot-{seat}", bot="easy") for seat in range(1, seats)],
        round=views.RoundView(
            game=game, round=1, phase=views.PHASE_DRAW, own_hand=tiles(own), hand_sizes=[2] * seats,
            stock_size=40, openings=[views.OpeningView() for _ in range(sides)], **more,
        ),
    )  # fmt: skip
    view.format.rounds = 1
    getattr(view.options, game).SetInParent()
    return view


def test_the_table_tells_whose_turn_it_is_and_what_lies_there() -> None:
    view = table(
        "rummy101", "R2 R9", need_points=101, need_pairs=5, discards=tiles("R1 R2 R3 R4 R5 R6 R7 R8"),
        melds=[views.TableMeld(owner=1, meld=laid("run:K4,K5,K6"))],
    )  # fmt: skip
    view.round.openings[1].kind, view.round.openings[1].value = views.OPENING_KIND_MELDS, 104
    said = printed(Screen(Names.of(view), Pieces(TILES, "rummy101")).table(view, NOW))
    assert "Rummy 101 · round 1 of 1 · your turn · 10 min left" in said
    assert "Ben (bot, easy)" in said
    assert "104 points" in said
    assert "Stock 40 · discards, newest first: R8 R7 R6 R5 R4 R3 and 2 more" in said
    assert "An opening needs 101 points in runs and sets, or 5 pairs" in said
    assert "#0  run  K4 K5 K6  (Ben)" in said
    assert max(map(len, said.splitlines())) <= 80


def test_melds_of_canasta_are_short_when_they_are_long() -> None:
    view = table(
        "canasta", "R1 R4", thresholds=[50, 50], need_points=50,
        melds=[
            views.TableMeld(owner=0, meld=laid("set:R8,Y8,K8")),
            views.TableMeld(owner=1, meld=laid("set:R9,Y9,K9,B9,R9,Y9")),
            views.TableMeld(owner=0, meld=laid("set:R5,Y5,K5,B5,R5,Y5,R2")),
        ],
    )  # fmt: skip
    said = printed(Screen(Names.of(view), Pieces(TILES, "canasta")).table(view, NOW))
    assert "#0  eights: R8 Y8 K8  (you and Cleo)" in said
    assert "#1  nines: 6 tiles, clean · one short of a canasta  (Ben and Dan)" in said
    assert "#2  fives: 7 tiles, 1 of them wild · canasta, 300  (you and Cleo)" in said


@pytest.mark.parametrize("game", registry.names())
def test_help_fits_a_small_terminal_and_names_the_pieces_of_the_game(game: str) -> None:
    piece = registry.game(game).alphabet.piece
    text = help_text(game, piece)
    assert max(map(len, text.splitlines())) < 80
    assert f"take one {piece}" in text
    assert "\n\n" in rules_text(game)
    assert all(len(paragraph.splitlines()) == 1 for paragraph in rules_text(game).split("\n\n"))


def test_time_left_is_told_in_what_a_person_counts_in() -> None:
    assert time_left(0, NOW) == ""
    assert time_left(NOW + 29 * 60_000, NOW) == " · 29 min left"
    assert time_left(NOW + 45_000, NOW) == " · 45 s left"
    assert time_left(NOW - 1, NOW) == " · 0 s left"


def test_sentences_agree_with_who_does_it() -> None:
    names = Names.of(table("canasta", "R1"))
    assert names.does(0, "draw") == "You draw"
    assert names.does(1, "draw") == "Ben draws"
    assert names.does(1, "go") == "Ben goes"
    assert names.of_side(0) == "you and Cleo"
    assert names.of_side(1) == "Ben and Dan"
