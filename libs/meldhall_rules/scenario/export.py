"""Writing a played round as a scenario file: the whole position after the deal, every move, the result.

The file names every tile and its place, so it says by itself what was dealt. ``seed`` and ``round`` are in
it for reshuffles: those come from the shuffle key of the case, and the round was played with that key. Copies
are not told apart in a file; they have other ids when it is run, and nothing in the rules depends on which of
two copies is which. Source: ``deploy/docs/scenarios.md``, ``deploy/docs/bots.md``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from meldhall_rules.game import Game
from meldhall_rules.notation import write_move, write_table_meld, write_tiles
from meldhall_rules.simulate import PlayedRound
from meldhall_rules.view import SPECTATOR, Phase, View

_Value = str | int | bool | None | Sequence["_Value"] | Mapping[int, "_Value"]


def scenario_text(game: Game, played: PlayedRound, bots: Sequence[str]) -> str:
    """Return the scenario file of a round.

    Args:
        game: whose round it is.
        played: the round.
        bots: the levels of the simulation, for the ``why`` of the case.
    """
    dealt, plan = played.dealt, played.plan
    levels = ", ".join(bots[bot] for bot in plan.bots)
    lines = [
        f"game: {game.name}",
        f"players: {dealt.seats}",
        f"options: {_flow({name: _option(value) for name, value in dealt.options})}",
        "cases:",
        f"  - id: round-{plan.index + 1}",
        f"    why: {_flow(f'a round between bots: {levels}')}",
        "    given:",
        *_block(dict(_given(game, played)), 6),
        "    play:",
        *(f"      - {_flow(write_move(move, game.alphabet))}" for move in played.moves),
        "    then:",
        *_block(dict(_then(game, played)), 6),
    ]
    return "\n".join(lines) + "\n"


def _given(game: Game, played: PlayedRound) -> Iterator[tuple[str, _Value]]:
    """Give the position after the deal, as ``given`` says it."""
    dealt = played.dealt
    state = game.evolve(None, dealt)
    table = game.view(state, SPECTATOR)
    yield "seed", played.plan.case_seed
    yield "round", dealt.round
    yield "dealer", (dealt.starter - 1) % dealt.seats
    yield "turn", table.turn
    yield "phase", table.phase.value
    if table.first_turn:
        yield "first_turn", True
    yield "hands", _hands(game, state, dealt.seats)
    # What is left of the stock is the end of the dealt order in every game.
    yield "stock", write_tiles(dealt.order[len(dealt.order) - table.stock_size :], game.alphabet)
    yield "discard", write_tiles(table.discards, game.alphabet)
    if any(table.bonus):
        yield "bonus", _bonus(game, table)
    jokers = _jokers(game, state, dealt.seats)
    if any(jokers.values()):
        yield "jokers", jokers
    if dealt.totals:
        yield "totals", dealt.totals


def _then(game: Game, played: PlayedRound) -> Iterator[tuple[str, _Value]]:
    """Give what came of the round."""
    state, ended, seats = played.state, played.ended, played.dealt.seats
    table = game.view(state, SPECTATOR)
    yield "round_over", table.phase is Phase.OVER
    yield "finish", ended.finish.value
    yield "winner", ended.winner
    yield "scores", ended.scores
    yield "turn", table.turn
    yield "stock_size", table.stock_size
    yield "discard_top", write_tiles(table.discards[-1:], game.alphabet) or None
    yield "hands", _hands(game, state, seats)
    yield "melds", [write_table_meld(meld, game.alphabet) for meld in table.melds]
    if table.bonus:
        yield "bonus", _bonus(game, table)
    jokers = _jokers(game, state, seats)
    if any(jokers.values()):
        yield "jokers", jokers


def _hands(game: Game, state: object, seats: int) -> Mapping[int, str]:
    return {
        seat: write_tiles(game.alphabet.in_order(game.view(state, seat).hand or ()), game.alphabet)
        for seat in range(seats)
    }


def _jokers(game: Game, state: object, seats: int) -> Mapping[int, int]:
    """Return the spare jokers by seat; a game without the Joker button shows none."""
    return {seat: game.view(state, seat).jokers or 0 for seat in range(seats)}


def _bonus(game: Game, table: View) -> Mapping[int, str]:
    return {
        team: write_tiles(game.alphabet.in_order(tiles), game.alphabet)
        for team, tiles in enumerate(table.bonus)
    }


def _block(values: Mapping[str, _Value], indent: int) -> Iterator[str]:
    for key, value in values.items():
        yield f"{' ' * indent}{key}: {_flow(value)}"


def _option(value: str) -> str | int | bool:
    """Turn the text form of an option into the value that a person would write."""
    if value in {"true", "false"}:
        return value == "true"
    return int(value) if value.isdecimal() else value


def _flow(value: object) -> str:
    """Write a value in one line of YAML: texts as JSON does, seats as the numbers that they are."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_flow(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_flow, value))}]"
    return json.dumps(value)
