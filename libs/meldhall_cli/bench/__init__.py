"""`meldhall bench NAME`: measure a part alone, for comparing before and after on one machine."""

import asyncio
import json

from rich.console import Console

from meldhall_cli.bench.log import measure_log
from meldhall_cli.bench.rules import measure_rules
from meldhall_cli.bench.solver import measure_solver
from meldhall_cli.faults import CommandFault

NAMES = ("rules", "solver", "log")


def bench(name: str, *, seconds: float, as_json: bool, console: Console) -> None:
    """Run a bench and print what it measured.

    Raises:
        CommandFault: there is no such bench.
    """
    match name:
        case "rules":
            result = measure_rules(seconds)
        case "solver":
            result = measure_solver(seconds)
        case "log":
            result = asyncio.run(measure_log(seconds))
        case _:
            raise CommandFault(f"there is no bench {name!r}, only {', '.join(NAMES)}")
    for key, value in result.items():
        console.print(f"{key:>28}  {value:,.0f}" if value >= 100 else f"{key:>28}  {value:.3f}")
    if as_json:
        print(json.dumps(result))
