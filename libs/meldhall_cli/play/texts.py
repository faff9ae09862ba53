"""Help and short rules. The rules in full are in ``deploy/docs/rules``."""

import re
from typing import Final

HELP: Final = """\
A turn: take one {piece}, lay down what you like and may, discard one {piece}.

  draw                          the top of the stock
  take                          {take}
{moves}  discard {example}                    ends your turn

  hint    what your hand is good for, and a suggestion
  moves   everything that you could do now, as you would type it
  table   the whole table again            sort   by colour or by number
  rules   the rules in short               quit   leave the match

{names}
Case and spaces do not matter, and words may be cut short: `d {short}` discards."""

TILE_NAMES: Final = """\
R7 is the red seven, Y yellow, K black, B blue; * is a joker, and *=R8 in a run
says what the joker stands for. A meld is its kind and its tiles:
run:R5,R6,R7  set:R7,Y7,K7  pair:R7,R7. #2 is the meld with that number."""

CARD_NAMES: Final = """\
7H is the seven of hearts; suits S, H, D, C; T is the ten, A the ace.
A meld is its kind and its cards: run:5H,6H,7H  set:7H,7S,7D.
#2 is the meld with that number."""

_OPENING_MOVES: Final = """\
  open run:R5,R6,R7 set:…       your first melds, all at once
  meld set:R7,Y7,K7             further melds
  add R8 to #0                  {pieces} to a meld on the table
{swap}  button                        instead of drawing, a joker of your account
"""

MOVES: Final = {
    "rummy101": _OPENING_MOVES.format(
        pieces="tiles",
        swap="  swap R8 for #0                take a joker for the tile it stands for\n",
    ),
    "canasta": _OPENING_MOVES.format(pieces="tiles", swap="").replace("run:R5,R6,R7", "set:R5,Y5,K5"),
    "rummy": "  meld run:5H,6H,7H             as many melds as you like\n"
    "  add 8H to #0                  cards to a meld on the table\n",
    "three_thirteen": "  out run:5H,6H,7H discard KS   lay your whole hand and discard the last card\n",
}

TAKES: Final = {
    "rummy101": "the newest discard, laid at once: take + add …",
    "canasta": "the whole discard pile: take + meld set:…",
    "rummy": "the newest discard",
    "three_thirteen": "the newest discard",
}

RULES: Final = {
    "rummy101": """\
Get rid of all your tiles. Your first melds (the opening) must be worth 101 points in runs and sets laid
at once, each tile counting its number, or be five pairs. After that lay melds of any value, add tiles to
any meld, and swap jokers for the tile that they stand for. You may take the newest discard only to lay it
at once. You go out by discarding your last tile.

Run: 3 or more of one colour in a row. Set: 3 or 4 of a number, all colours different. Pair: two equal tiles.

The one who goes out gets 101. Others lose what is left in their hands (a joker 101), twice as much if they
opened with pairs, and 202 if they have not opened. A joker as the last discard doubles everything. The
highest total wins.""",
    "rummy": """\
Get rid of all your cards: lay sets (3 or 4 of a rank) and runs (3 or more of a suit in a row, the ace low),
and add cards to any meld on the table, also before you have laid one yourself. A card taken from the
discards may be kept, but not discarded in the same turn.

The hand ends when somebody has no card left. He gets the points of all cards in the other hands (ace 1,
court cards 10), twice as much if he laid everything in one turn. The highest total wins.""",
    "canasta": """\
Two teams: you and the player opposite. Build melds of one number together, never runs; the first melds
of a team must be worth what the table says. Twos and jokers are wild: fewer wilds than naturals, three at
most. A meld of seven is a canasta (500, or 300 with wilds), and without one your team cannot go out.

Red and yellow threes are exposed at once, 100 each; black and blue ones cannot be melded and cost 100.
Take the whole discard pile if you have two tiles of the number on top and meld them with it.

Count: melds and canastas, plus 100 for going out, minus what both partners still hold.""",
    "three_thirteen": """\
Eleven rounds with 3 to 13 cards; in each the rank of that number is wild and stands for any card.

Collect sets (3 or more of a rank) and runs (3 or more of a suit in a row, the ace low); each needs a card
that is not wild. Nothing is laid before you go out: then all your cards but one are in melds, and the last
is your discard. The others have one more turn.

What is in no meld counts against you (ace 1, court cards 10). The lowest total wins.""",
}


def help_text(game: str, piece: str) -> str:
    """Return the help for a game."""
    cards = piece == "card"
    return HELP.format(
        piece=piece,
        take=TAKES[game],
        moves=MOVES[game],
        example="5H" if cards else "R5",
        short="5h" if cards else "r5",
        names=CARD_NAMES if cards else TILE_NAMES,
    )


def rules_text(game: str) -> str:
    """Return the rules of a game in short, a line for each paragraph, to be broken where the screen ends."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", RULES[game])
