"""Whole rounds of Canasta bots: never refused, never stuck, mostly ended by going out."""

from collections import Counter

import pytest
from tests.property.meldhall_rules.canasta_play import CANASTA, begin, states

from meldhall_rules.bots import canasta as bot
from meldhall_rules.commands import AutoTurn, Command
from meldhall_rules.games.canasta.state import State
from meldhall_rules.view import Phase, View


def last_of(number: int, source: str) -> State:
    _, start = begin(number, source, spare=number % 2, totals=((number % 5) * 1700 - 5, (number % 3) * 3500))
    *_, last = states(start, bot.choose)
    assert last.phase is Phase.OVER
    return last


@pytest.mark.parametrize("source", ["stock", "extra"])
def test_bots_nearly_always_open_and_go_out(source: str) -> None:
    counted: Counter[str] = Counter()
    for number in range(60):
        last = last_of(number, source)
        assert last.ending is not None
        counted[last.ending.finish] += 1
        counted["opened"] += sum(opening is not None for opening in last.table.opened)
    assert counted["normal"] >= 50, counted
    assert counted["opened"] >= 100, counted


def test_the_same_view_and_salt_always_give_the_same_move() -> None:
    for state in states(begin(5)[1], bot.choose):
        if state.phase is not Phase.OVER:
            view = CANASTA.view(state, state.turn)
            assert bot.choose(view, 7) == bot.choose(view, 7)


def test_salt_only_breaks_ties_and_never_leads_astray() -> None:
    for salt in range(1, 6):
        *_, last = states(begin(11)[1], lambda view, salt=salt: bot.choose(view, salt))  # type: ignore[misc]
        assert last.phase is Phase.OVER


def half(view: View) -> Command:
    """Play for team 0 as the bot does; team 1 is away."""
    return AutoTurn(view.turn) if view.turn % 2 else bot.choose(view)


def test_a_team_of_bots_beats_a_team_of_absent_players() -> None:
    won = 0
    for number in range(10):
        _, start = begin(number)
        *_, last = states(start, half)
        assert last.ending is not None
        won += last.ending.scores[0] > last.ending.scores[1]
    assert won >= 9
