"""The list of moves against the rules: nothing listed is refused, nothing is missing that should be there."""

from collections.abc import Iterator
from random import Random  # noqa: TID251 - choices for tests, from fixed seeds

import pytest
from tests.property.meldhall_rules.rounds import Player, dealt, states

from meldhall_rules.bots import rummy101 as bot
from meldhall_rules.commands import (
    Command,
    Discard,
    Draw,
    LayOff,
    LayOpening,
    Placed,
    PressJokerButton,
    SwapJoker,
    TakeDiscard,
)
from meldhall_rules.games.rummy101 import RUMMY101
from meldhall_rules.games.rummy101.hints import hints
from meldhall_rules.games.rummy101.moves import legal_moves
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.rejections import Rejection
from meldhall_rules.tiles import is_joker
from meldhall_rules.view import SPECTATOR, Phase, View


def wanderer(seed: int) -> Player:
    """Return a player who mostly plays like the bot and now and then makes any listed move."""
    chance = Random(seed)  # noqa: S311 - choices, not secrets

    def choose(view: View) -> Command:
        if chance.random() < 0.5:
            return bot.choose(view)
        return chance.choice(legal_moves(view))

    return choose


def positions(seed: int) -> Iterator[State]:
    for number in range(4):
        opening = "rising" if number % 2 else "fixed"
        start = dealt(seed * 10 + number, 2 + (seed + number) % 3, opening=opening, spare=1)
        yield from states(start, wanderer(seed * 10 + number))


def accepted(state: State, command: Command) -> bool:
    return not isinstance(RUMMY101.decide(state, command), Rejection)


def shown(tile: int) -> int:
    return 200 if is_joker(tile) else tile // 2


def single_moves(state: State, hand: tuple[int, ...], taken: int | None) -> set[tuple[object, ...]]:
    """Try every swap and single lay-off with every tile and identity; return those accepted, by face."""
    seat, found = state.turn, set()
    for tile in hand if taken is None else (taken,):
        for meld in range(len(state.table.melds)):
            faces = range(52) if is_joker(tile) else (None,)
            tries: list[SwapJoker | LayOff] = [SwapJoker(seat, meld, tile)]
            tries += [LayOff(seat, meld, (Placed(tile, face),)) for face in faces]
            for use in tries:
                command = use if taken is None else TakeDiscard(seat, use)
                if accepted(state, command):
                    found.add(by_face(use))
    return found


def by_face(use: SwapJoker | LayOff) -> tuple[object, ...]:
    if isinstance(use, SwapJoker):
        return "swap", use.meld, shown(use.tile)
    placed = use.tiles[0]
    return "off", use.meld, shown(placed.tile), placed.stands_for


@pytest.mark.parametrize("seed", range(4))
def test_every_listed_move_is_accepted_and_listed_once(seed: int) -> None:
    for state in positions(seed):
        moves = legal_moves(RUMMY101.view(state, state.turn))
        assert len(set(moves)) == len(moves)
        assert bool(moves) == (state.phase is not Phase.OVER)
        for move in moves:
            answer = RUMMY101.decide(state, move)
            assert not isinstance(answer, Rejection), (move, answer)


@pytest.mark.parametrize("seed", range(4, 6))
def test_every_draw_discard_swap_and_single_lay_off_is_listed(seed: int) -> None:
    for state in positions(seed):
        if state.phase is Phase.OVER:
            continue
        seat, hand = state.turn, state.hand
        moves = legal_moves(RUMMY101.view(state, seat))
        for plain in (Draw(seat), PressJokerButton(seat)):
            assert (plain in moves) == accepted(state, plain)
        discards = {shown(move.tile) for move in moves if isinstance(move, Discard)}
        assert discards == {shown(tile) for tile in hand if accepted(state, Discard(seat, tile))}
        taken = state.discards[-1] if state.phase is Phase.DRAW and state.discards else None
        uses = [move.use if isinstance(move, TakeDiscard) else move for move in moves]
        listed = {by_face(use) for use in uses if isinstance(use, SwapJoker | LayOff)}
        assert listed == single_moves(state, hand, taken)


def test_hints_say_what_the_rules_accept() -> None:
    for state in positions(7):
        view = RUMMY101.view(state, state.turn)
        hint = hints(view)
        if state.phase is Phase.OVER:
            assert hint is None
            continue
        assert hint is not None
        if state.phase is not Phase.PLAY:
            continue
        openings = [move for move in legal_moves(view) if isinstance(move, LayOpening)]
        assert hint.can_open == bool(openings)
        after = state
        for move in hint.plan:
            answer = RUMMY101.decide(after, move)
            assert not isinstance(answer, Rejection), (move, answer)
            for event in answer:
                after = RUMMY101.evolve(after, event)
        if view.opened[state.turn] is not None:
            assert hint.loose == after.hand
        assert all(accepted(state, swap) for swap in hint.swaps)


def test_nobody_is_told_moves_out_of_turn() -> None:
    state = dealt(1, 3)
    assert legal_moves(RUMMY101.view(state, SPECTATOR)) == ()
    assert legal_moves(RUMMY101.view(state, (state.turn + 1) % 3)) == ()
    assert hints(RUMMY101.view(state, SPECTATOR)) is None
