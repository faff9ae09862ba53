import pytest

from meldhall_cli.play.reading import Unclear, move_of, understand
from meldhall_rules.alphabet import CARDS, TILES, Alphabet
from meldhall_rules.commands import Discard, Draw, TakeDiscard

TILE_LINES = [
    ("draw", "draw"),
    ("D", "draw"),
    ("dr", "draw"),
    ("d r5", "discard R5"),
    ("  Discard   R5 ", "discard R5"),
    ("di 5r", "discard R5"),
    ("discard joker", "discard *"),
    ("b", "button"),
    ("open run:r1,r2,r3", "open run:R1,R2,R3"),
    ("open run: r1 , r2 r3 set y5 k5 b5", "open run:R1,R2,R3 set:Y5,K5,B5"),
    ("op r:r1,r2,* p:k4,k4", "open run:R1,R2,* pair:K4,K4"),
    ("meld run r1 * = r2 r3", "meld run:R1,*=R2,R3"),
    ("meld run:R1,joker=r2,r3", "meld run:R1,*=R2,R3"),
    ("add r6 to #0", "add R6 to #0"),
    ("a r6, r7 to 12", "add R6,R7 to #12"),
    ("add r6#3", "add R6 to #3"),
    ("add R6 onto # 3", "add R6 to #3"),
    ("swap r11 for 0", "swap R11 for #0"),
    ("sw r11 #0", "swap R11 for #0"),
    ("take + open run:r1,r2,r3", "take + open run:R1,R2,R3"),
    ("take+meld set:r1,k1,b1", "take + meld set:R1,K1,B1"),
    ("ta add r6 to #0", "take + add R6 to #0"),
    ("take s r6 for #0", "take + swap R6 for #0"),
]

CARD_LINES = [
    ("d 5h", "discard 5H"),
    ("d 10h", "discard TH"),
    ("d h10", "discard TH"),
    ("d K♥", "discard KH"),
    ("take", "take"),
    ("take 7d", "take"),
    ("out set:3h,3s,3d discard kh", "out set:3H,3S,3D discard KH"),
    ("out run 4h 5h 6h d ks", "out run:4H,5H,6H discard KS"),
    ("out run:4h,3d=5h,6h disc ks", "out run:4H,3D=5H,6H discard KS"),
]


@pytest.mark.parametrize(
    ("alphabet", "line", "meant"),
    [*((TILES, *one) for one in TILE_LINES), *((CARDS, *one) for one in CARD_LINES)],
)
def test_a_line_is_read_as_it_was_meant(alphabet: Alphabet, line: str, meant: str) -> None:
    typed = understand(line, alphabet)
    assert typed.is_move
    assert typed.text == meant
    move_of(typed, 0, (), None, alphabet)


@pytest.mark.parametrize(
    ("line", "word", "rest"),
    [("HINT", "hint", ""), ("q", "quit", ""), ("so number", "sort", "number"), ("r", "rules", "")],
)
def test_orders_of_the_screen_are_no_moves(line: str, word: str, rest: str) -> None:
    typed = understand(line, TILES)
    assert (typed.word, typed.rest, typed.is_move) == (word, rest, False)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "Type a move"),
        ("h", "help"),
        ("o", "open"),
        ("fold", "There is no `fold`"),
        ("take r3", "take + open"),
    ],
)
def test_what_is_unclear_is_answered_with_what_it_could_be(line: str, said: str) -> None:
    with pytest.raises(Unclear, match=said.replace("+", r"\+")):
        understand(line, TILES)


@pytest.mark.parametrize(
    ("line", "at"),
    [("discard R99", "R99"), ("add R6 to", ""), ("open run:R1,X2,R3", "X2"), ("open R1,R2,R3", "R1,R2,R3")],
)
def test_a_fault_is_shown_with_its_place(line: str, at: str) -> None:
    typed = understand(line, TILES)
    with pytest.raises(Unclear) as unclear:
        move_of(typed, 0, (), None, TILES)
    text, mark = str(unclear.value).splitlines()
    assert text[mark.index("^") :].startswith(at)
    assert text.strip() == typed.text


def test_a_move_takes_the_pieces_that_are_held() -> None:
    hand = [9, 40]
    assert move_of(understand("d r5", TILES), 2, hand, None, TILES) == Discard(2, 9)
    assert move_of(understand("d", TILES), 2, hand, None, TILES) == Draw(2)
    assert move_of(understand("take", CARDS), 1, hand, 3, CARDS) == TakeDiscard(1)
