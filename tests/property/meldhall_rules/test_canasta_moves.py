"""The list of Canasta moves against the rules: nothing listed is refused, nothing is missing."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random  # noqa: TID251 - choices for tests, from fixed seeds

import pytest
from tests.property.meldhall_rules.canasta_play import CANASTA, Player, begin, states

from meldhall_rules.bots import canasta as bot
from meldhall_rules.canasta_tiles import is_wild, number
from meldhall_rules.commands import (
    Command,
    Discard,
    Draw,
    LayMelds,
    LayOff,
    LayOpening,
    MeldKind,
    MeldSpec,
    Placed,
    PressJokerButton,
    TakeDiscard,
)
from meldhall_rules.games.canasta.hints import hints
from meldhall_rules.games.canasta.state import State
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.view import Phase, View


def wanderer(seed: int) -> Player:
    """Return a player who mostly plays like the bot and now and then makes any listed move."""
    chance = Random(seed)  # noqa: S311 - choices, not secrets

    def choose(view: View) -> Command:
        moves = [move for move in CANASTA.legal_moves(view) if not isinstance(move, PressJokerButton)]
        return bot.choose(view) if chance.random() < 0.5 else chance.choice(moves)

    return choose


def positions(seed: int) -> Iterator[State]:
    for round_number in range(4):
        at = seed * 10 + round_number
        source = "extra" if round_number % 2 else "stock"
        yield from states(begin(at, source, totals=(-5, -5))[1], wanderer(at))


def accepted(state: State, command: Command) -> bool:
    return not isinstance(CANASTA.decide(state, command), Rejection)


def shape(tiles: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of tiles, sorted: what a move is, colours and copies aside."""
    return tuple(sorted(map(number, tiles)))


def tiles_of(use: object) -> tuple[int, ...]:
    if isinstance(use, LayOff):
        return tuple(placed.tile for placed in use.tiles)
    assert isinstance(use, LayMelds | LayOpening)
    return tuple(placed.tile for spec in use.melds for placed in spec.tiles)


@pytest.mark.parametrize("seed", range(4))
def test_every_listed_move_is_accepted_and_listed_once(seed: int) -> None:
    for state in positions(seed):
        moves = CANASTA.legal_moves(CANASTA.view(state, state.turn))
        assert len(set(moves)) == len(moves)
        assert bool(moves) == (state.phase is not Phase.OVER)
        for move in moves:
            answer = CANASTA.decide(state, move)
            if isinstance(move, PressJokerButton) and isinstance(answer, Rejection):
                assert answer.code is Code.NO_JOKER
                continue
            assert not isinstance(answer, Rejection), (move, answer)


@pytest.mark.parametrize("seed", range(4, 7))
def test_every_draw_discard_and_single_addition_is_listed(seed: int) -> None:
    for state in positions(seed):
        if state.phase is Phase.OVER:
            continue
        seat, moves = state.turn, CANASTA.legal_moves(CANASTA.view(state, state.turn))
        for plain in (Draw(seat), PressJokerButton(seat)):
            assert plain in moves or not accepted(state, plain)
        discards = {number(move.tile) for move in moves if isinstance(move, Discard)}
        assert discards == {number(tile) for tile in state.hand if accepted(state, Discard(seat, tile))}
        added = {
            (move.meld, number(move.tiles[0].tile))
            for move in moves
            if isinstance(move, LayOff) and len(move.tiles) == 1
        }
        assert added == {
            (meld, number(tile))
            for meld in range(len(state.table.melds))
            for tile in state.hand
            if accepted(state, LayOff(seat, meld, (Placed(tile),)))
        }


def candidates(state: State, must: int | None) -> Iterator[tuple[int, ...]]:
    """Yield tiles of one number with some wilds, each shape once."""
    hand = state.hand if must is None else (*state.hand, must)
    wilds = [tile for tile in hand if is_wild(tile)]
    seen = set()
    for wanted in sorted({number(tile) for tile in hand if not is_wild(tile)} | {2}):
        naturals = [tile for tile in hand if number(tile) == wanted] if wanted != 2 else []
        naturals.sort(key=lambda tile: tile != must)
        for count in range(len(naturals) + 1):
            for spent in range(min(len(wilds), 10 if wanted == 2 else 3) + 1):
                for some in combinations(wilds, spent):
                    tiles = (*naturals[:count], *some)
                    if shape(tiles) not in seen:
                        seen.add(shape(tiles))
                        yield tiles


@pytest.mark.parametrize("seed", range(7, 10))
def test_every_single_meld_and_take_of_an_opened_team_is_listed(seed: int) -> None:
    for state in positions(seed):
        if state.phase is Phase.OVER or state.table.opened[state.team] is None:
            continue
        seat, moves = state.turn, CANASTA.legal_moves(CANASTA.view(state, state.turn))
        if state.phase is Phase.PLAY:
            listed = {shape(tiles_of(move)) for move in moves if isinstance(move, LayMelds)}
            assert listed == {
                shape(tiles)
                for tiles in candidates(state, None)
                if accepted(state, LayMelds(seat, (MeldSpec(MeldKind.SET, tuple(map(Placed, tiles))),)))
            }
        elif state.discards:
            uses = {shape(tiles_of(move.use)) for move in moves if isinstance(move, TakeDiscard)}
            assert uses == {
                shape(tiles)
                for tiles in candidates(state, state.discards[-1])
                if any(accepted(state, TakeDiscard(seat, use)) for use in takes(state, tiles))
            }


def takes(state: State, tiles: tuple[int, ...]) -> Iterator[LayMelds | LayOff]:
    placed = tuple(map(Placed, tiles))
    yield LayMelds(state.turn, (MeldSpec(MeldKind.SET, placed),))
    for meld in range(len(state.table.melds)):
        yield LayOff(state.turn, meld, placed)


def test_hints_say_what_the_rules_accept() -> None:
    for state in positions(10):
        view = CANASTA.view(state, state.turn)
        hint = hints(view)
        if state.phase is Phase.OVER:
            assert hint is None
            continue
        assert hint is not None
        assert all(accepted(state, take) for take in hint.takes)
        if state.phase is not Phase.PLAY or state.first_turn:
            continue
        openings = [move for move in CANASTA.legal_moves(view) if isinstance(move, LayOpening)]
        assert hint.can_open == bool(openings)
        after = state
        for move in hint.plan:
            answer = CANASTA.decide(after, move)
            assert not isinstance(answer, Rejection), (move, answer)
            for event in answer:
                after = CANASTA.evolve(after, event)
        if view.opened[state.team] is not None:
            assert hint.loose == after.hand
            if hint.goes_out:
                assert accepted(after, Discard(state.turn, after.hand[0]))
