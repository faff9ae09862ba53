"""`meldhall simulate`: rounds between bots in this process, what they come to, each as a scenario."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from meldhall_cli.faults import CommandFault
from meldhall_rules import registry
from meldhall_rules.bots.registry import UnknownBotError
from meldhall_rules.registry import UnknownGameError
from meldhall_rules.scenario.export import scenario_text
from meldhall_rules.simulate import Simulation, options_of, simulate
from meldhall_rules.tally import Margin, Summary, Tally

_SIGN: Final = "positive: the first bot scores more points a round than the second"
_PENALTY_SIGN: Final = "positive: the first bot pays fewer penalty points a round than the second"


def run_simulation(
    simulation: Simulation, *, export: Path | None, as_json: bool, timing: bool, console: Console
) -> bool:
    """Play, print and, where a folder is named, write every round; True when no bot was ever refused.

    Args:
        simulation: what to play.
        export: folder for a scenario file of each round; made if it does not exist.
        as_json: print one object as the last line. What people read goes to the error stream then.
        timing: put the speed into that object too. It is the one thing that differs from run to run.
        console: where people read.

    Raises:
        CommandFault: for a game, bots or options that there are not, or a folder that cannot be written.
    """
    try:
        game, options = registry.game(simulation.game), options_of(simulation)
    except (UnknownGameError, UnknownBotError) as unknown:
        raise CommandFault(str(unknown)) from None
    lowest_wins = game.match_rules(options).lowest_wins
    tally = Tally(simulation.bots, lowest_wins)
    started = time.perf_counter()
    for played in simulate(simulation):
        tally.add(played)
        if export is not None:
            name = f"{game.name}-{simulation.seats}p-{simulation.seed}-{played.plan.index + 1:06}.yaml"
            _write(export / name, scenario_text(game, played, simulation.bots))
    speed = tally.moves / (time.perf_counter() - started)
    summary = tally.summary()
    sign = _PENALTY_SIGN if lowest_wins else _SIGN
    _print(simulation, summary, sign, console)
    if not as_json or timing:
        Console(stderr=True).print(f"{speed:,.0f} moves a second", highlight=False)
    if as_json:
        print(json.dumps(_object(simulation, options, summary, sign, speed if timing else None)))
    return summary.faults == 0


def option_values(given: Sequence[str]) -> dict[str, object]:
    """Read options written as ``name=value``.

    Raises:
        CommandFault: for one without a ``=``.
    """
    values: dict[str, object] = {}
    for written in given:
        name, equals, value = written.partition("=")
        if not equals:
            raise CommandFault(f"{written!r} is not NAME=VALUE")
        values[name] = value
    return values


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CommandFault(f"cannot write {path}: {error.strerror}") from None


def _print(simulation: Simulation, summary: Summary, sign: str, console: Console) -> None:
    finishes = ", ".join(f"{finish} {count}" for finish, count in summary.finishes)
    lines = [
        f"{summary.rounds} rounds of {simulation.game}, {simulation.seats} players, seed {simulation.seed}",
        *(
            f"  {bot.bot:<8} {bot.wins:>6} wins of {bot.played}, mean score {bot.mean_score:.2f}"
            for bot in summary.bots
        ),
        f"  finishes: {finishes}",
        f"  moves: {summary.moves}, faults: {summary.faults}",
    ]
    if summary.margin is not None:
        lines += _margin_lines(summary.margin, sign)
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _margin_lines(margin: Margin, sign: str) -> list[str]:
    interval = ""
    if margin.low is not None:
        interval = f", 95 % between {margin.low:.2f} and {margin.high:.2f}"
    return [
        f"  margin of {margin.first} over {margin.second}: {margin.mean:.2f} a round{interval}",
        f"  ({sign}; {margin.deals} deals)",
    ]


def _object(
    simulation: Simulation, options: Mapping[str, str], summary: Summary, sign: str, speed: float | None
) -> dict[str, object]:
    margin = summary.margin
    found: dict[str, object] = {
        "game": simulation.game,
        "players": simulation.seats,
        "rounds": summary.rounds,
        "seed": simulation.seed,
        "options": dict(options),
        "bots": [
            {"bot": bot.bot, "played": bot.played, "wins": bot.wins, "mean_score": bot.mean_score}
            for bot in summary.bots
        ],
        "finishes": dict(summary.finishes),
        "moves": summary.moves,
        "faults": summary.faults,
        "margin": None
        if margin is None
        else {
            "first": margin.first,
            "second": margin.second,
            "mean": margin.mean,
            "low": margin.low,
            "high": margin.high,
            "deals": margin.deals,
            "sign": sign,
        },
    }
    if speed is not None:
        found["moves_per_second"] = speed
    return found
