"""Whole rounds of Rummy 101 by chance, with every option another than its default."""

from collections import Counter

import pytest
from tests.property.meldhall_rules.random_play import RUMMY101, all_tiles, choose

from meldhall_rules.commands import Command, PressJokerButton
from meldhall_rules.events import Discarded, Event, JokerIssued
from meldhall_rules.game import RoundSetup
from meldhall_rules.games.rummy101.state import State
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import Stream
from meldhall_rules.tiles import is_joker
from meldhall_rules.view import Phase

FINE = 1_000
OPTIONS = {
    "starter_may_meld": "false",
    "playable_discard_penalty": "1",
    "joker_discard_penalty": str(FINE),
    "joker_button_source": "stock",
    "set_joker_color": "open",
}


def answer(state: State, command: Command) -> tuple[Event, ...]:
    """Answer a listed move; only the button may be refused, where the stock holds no joker."""
    found = RUMMY101.decide(state, command)
    if isinstance(found, Rejection):
        assert isinstance(command, PressJokerButton)
        assert found.code is Code.NO_JOKER
        assert not any(map(is_joker, state.hidden.stock))
        return ()
    return found


@pytest.mark.parametrize("seed", range(24))
def test_every_listed_move_holds_no_tile_is_lost_and_fines_are_those_of_the_discards(seed: int) -> None:
    seats = 2 + seed % 3
    setup = RoundSetup(1, seats, seed % seats, (1000 + seed).to_bytes(32, "big"), (1,) * seats)
    log: list[Event] = [RUMMY101.deal(OPTIONS, setup)]
    state: State = RUMMY101.evolve(None, log[0])
    stream = Stream(setup.shuffle_key, "moves")
    jokers: Counter[int] = Counter()
    while state.phase is not Phase.OVER:
        sizes = tuple(map(len, state.hidden.hands))
        for event in answer(state, choose(stream, state)):
            if isinstance(event, Discarded) and is_joker(event.tile) and sizes[event.seat] > 1:
                jokers[event.seat] += 1
            assert not isinstance(event, JokerIssued) or event.tile in state.hidden.stock
            log.append(event)
            state = RUMMY101.evolve(state, event)
        assert sorted(all_tiles(state)) == list(range(106))
    assert [fine // FINE for fine in state.fines] == [jokers[seat] for seat in range(seats)]
    again: State | None = None
    for event in log:
        again = RUMMY101.evolve(again, event)
    assert again == state
