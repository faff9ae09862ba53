"""`meldhall bench NAME`: measure a part alone, for comparing before and after on one machine."""

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console

from meldhall_cli.bench.boards import BoardsPlan, measure_boards
from meldhall_cli.bench.evening import EveningPlan, measure_evening, print_evening
from meldhall_cli.bench.log import measure_log
from meldhall_cli.bench.rules import measure_rules
from meldhall_cli.bench.solver import measure_solver
from meldhall_cli.bench.tables import TablesPlan, measure_tables
from meldhall_cli.bench.tournament import TournamentPlan, measure_tournament
from meldhall_cli.faults import CommandFault

if TYPE_CHECKING:
    from meldhall_cli.bench.moves import MovesPlan

NAMES = (
    "rules",
    "solver",
    "log",
    "moves",
    "tables",
    "ledger",
    "boards",
    "matchmaking",
    "evening",
    "tournament",
)


def bench(
    name: str,
    *,
    seconds: float,
    as_json: bool,
    console: Console,
    moves: "MovesPlan | None" = None,
    tables: TablesPlan | None = None,
    tournament: TournamentPlan | None = None,
    boards: BoardsPlan | None = None,
) -> None:
    """Run a bench and print what it measured.

    Args:
        name: which.
        seconds: how long to measure.
        as_json: whether the last line is the result as JSON.
        console: for people.
        moves: for ``moves``: at how many tables, and so on.
        tables: for ``tables``: how many of each kind.
        tournament: for ``tournament``: how large it is.
        boards: for ``boards``: how large the board is.

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
        case "moves":
            # Its processes are modules of this package; imported here they would be there twice.
            from meldhall_cli.bench.moves import MovesPlan, measure_moves, print_moves  # noqa: PLC0415 - see above

            result = asyncio.run(measure_moves(replace(moves or MovesPlan(), seconds=seconds)))
            print_moves(result, console)
        case "tables":
            result = asyncio.run(measure_tables(tables or TablesPlan()))
        case "boards":
            result = asyncio.run(measure_boards(boards or BoardsPlan(), console))
        case "tournament":
            result = measure_tournament(tournament or TournamentPlan())
        case "ledger":
            # Its client is a module of this package too.
            from meldhall_cli.bench.ledger import LedgerPlan, measure_ledger, print_ledger  # noqa: PLC0415 - see above

            result = asyncio.run(measure_ledger(LedgerPlan(seconds=seconds)))
            print_ledger(result, console)
        case "matchmaking":
            # And so is the one of this.
            from meldhall_cli.bench.matchmaking import (  # noqa: PLC0415 - see above
                MatchmakingPlan,
                measure_matchmaking,
                print_matchmaking,
            )
            from meldhall_runtime.lifecycle import set_collection  # noqa: PLC0415 - a service's, not every bench's

            set_collection()
            result = asyncio.run(measure_matchmaking(MatchmakingPlan(seconds=seconds)))
            print_matchmaking(result, console)
        case "evening":
            result = measure_evening(EveningPlan())
            print_evening(result, console)
        case _:
            raise CommandFault(f"there is no bench {name!r}, only {', '.join(NAMES)}")
    for key, value in result.items() if name not in {"moves", "ledger", "matchmaking", "evening"} else ():
        console.print(f"{key:>38}  {value:,.0f}" if value >= 100 else f"{key:>38}  {value:.3f}")
    if as_json:
        print(json.dumps(result))
