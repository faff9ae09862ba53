"""The command `meldhall`."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import grpc
import typer
from rich.console import Console

from meldhall_cli.books_app import books_app
from meldhall_cli.faults import CommandFault
from meldhall_cli.keeping import keeping_app
from meldhall_cli.options import (
    EXIT_UNUSABLE,
    ArchiveOption,
    DatabaseOption,
    DataOption,
    JsonOption,
    answer,
    console_of,
)
from meldhall_cli.tournament_app import tournament_app
from meldhall_embedded import EmbeddedError
from meldhall_eventlog.errors import EventLogError
from meldhall_runtime import Role
from meldhall_runtime.errors import RuntimeFault

app = typer.Typer(
    name="meldhall",
    help="A self-hosted, event-sourced backend for Rummy games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
scenario_app = typer.Typer(help="Positions, moves and what must hold.", no_args_is_help=True)
app.add_typer(scenario_app, name="scenario")
solve_app = typer.Typer(help="What is in a hand: exact answers.", no_args_is_help=True)
app.add_typer(solve_app, name="solve")
app.add_typer(books_app)
app.add_typer(keeping_app)
app.add_typer(tournament_app, name="tournament")

HandArgument = Annotated[
    str | None, typer.Argument(help="The hand in notation, or an object; read from stdin when absent.")
]
LinesOption = Annotated[
    bool, typer.Option("--jsonl", help="Answer each line of stdin, a JSON object, by a line of stdout.")
]


@app.command()
def up(
    data: DataOption = None,
    engines: Annotated[
        int, typer.Option(help="Table engines; several share a PostgreSQL, which is run for them.")
    ] = 1,
) -> None:
    """Run the whole backend on this machine: nats-server and every service. Ctrl-C stops it."""
    from meldhall_cli.up import up as run

    run(data, engines, console=console_of())


@app.command()
def serve(role: Annotated[str, typer.Argument(help="ledger, table, matchmaking or tournament.")]) -> None:
    """Run one service in this process."""
    from meldhall_cli.roles import service_role
    from meldhall_runtime import run_service

    found = service_role(role)
    raise typer.Exit(run_service(found.name, found.load(), found.bind, parent_pid=os.getppid()))


@app.command()
def migrate(
    role: Annotated[str | None, typer.Argument(help="One service; all of them when absent.")] = None,
) -> None:
    """Bring the services' databases to the revision that this version needs. Safe to run twice."""
    from meldhall_cli.migrate import migrate as run

    run(role, console=console_of())


@app.command()
def demo(
    game: Annotated[str, typer.Option(help="rummy101, rummy, canasta or three_thirteen.")] = "rummy101",
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Rounds to be played, at least.")] = 5,
    players: Annotated[int | None, typer.Option(help="Players at the table; 3, in Canasta 4.")] = None,
    running: Annotated[bool, typer.Option("--running", help="Play on the stack that runs already.")] = False,
    tournament: Annotated[
        bool, typer.Option("--tournament", help="Play tournaments instead, one of each format.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let bots play over the public API, then replay every round and check chain, deal, scores, accounts."""
    if tournament:
        from meldhall_cli.demo_tournament import demo_tournament

        console = console_of(quiet=as_json)
        answer(asyncio.run(demo_tournament(running=running, data=data, as_json=as_json, console=console)))
        return
    from meldhall_cli.demo import Wish
    from meldhall_cli.demo import demo as run

    wish = Wish(game, rounds, players or (4 if game == "canasta" else 3))
    console = console_of(quiet=as_json)
    answer(asyncio.run(run(wish, running=running, data=data, as_json=as_json, console=console)))


@app.command()
def play(
    game: Annotated[str, typer.Option(help="rummy101, rummy, canasta or three_thirteen.")] = "rummy101",
    players: Annotated[int | None, typer.Option(help="Players at the table, you among them.")] = None,
    bots: Annotated[str, typer.Option(help="How well the others play: easy, normal or strong.")] = "normal",
    rounds: Annotated[int | None, typer.Option(min=1, max=100, help="Rounds of the match.")] = None,
    name: Annotated[str, typer.Option(help="What you are called.")] = "you",
    data: DataOption = None,
) -> None:
    """Play a match in the terminal against bots, on the stack that runs or on one of your own."""
    from meldhall_cli.play.run import Wish
    from meldhall_cli.play.run import play as run

    run(Wish(game, players, bots, rounds, name), data=data)


@app.command()
def replay(
    target: Annotated[str, typer.Argument(metavar="TABLE[/ROUND]", help="A table, or one round of it.")],
    hands: Annotated[bool, typer.Option("--hands", help="Show every hand after every move.")] = False,
    data: DataOption = None,
    database: DatabaseOption = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a round from the log again, step by step, in notation."""
    from meldhall_cli.replay import replay as run

    asyncio.run(
        run(
            target,
            data=data,
            database=database,
            archive=archive,
            hands=hands,
            as_json=as_json,
            console=console_of(),
        )
    )


@app.command()
def verify(
    table: Annotated[str | None, typer.Argument(help="One table; all of them when absent.")] = None,
    data: DataOption = None,
    database: DatabaseOption = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check hash chains, deals and results of the log; exit 1 with the first difference of a table."""
    from meldhall_cli.verify import verify as run

    checking = run(
        table, data=data, database=database, archive=archive, as_json=as_json, console=console_of()
    )
    answer(asyncio.run(checking))


@app.command()
def token(
    player: Annotated[str | None, typer.Option(help="Id of a player.")] = None,
    service: Annotated[str | None, typer.Option(help="Name of a service.")] = None,
    operator: Annotated[str | None, typer.Option(help="Name of an operator.")] = None,
    ttl: Annotated[int, typer.Option(min=1, max=86_400, help="Seconds that it is good for.")] = 3600,
    key: Annotated[Path | None, typer.Option(help="Signing key; else that of the data folder.")] = None,
    data: DataOption = None,
) -> None:
    """Print a signed token for calling the API by hand."""
    from meldhall_cli.token import issue_token

    given = [
        (name, role)
        for name, role in ((player, Role.PLAYER), (service, Role.SERVICE), (operator, Role.OPERATOR))
        if name
    ]
    if len(given) != 1:
        raise CommandFault("name one of --player, --service and --operator")
    subject, role = given[0]
    print(issue_token(subject, role, ttl_seconds=ttl, key=key, data=data))


@app.command()
def bench(
    name: Annotated[
        str,
        typer.Argument(
            help="rules, solver, log, moves, tables, ledger, boards, matchmaking, evening or tournament."
        ),
    ],
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="How long to measure.")] = 3.0,
    tables: Annotated[int, typer.Option(min=1, max=10_000, help="Tables of the bench moves.")] = 200,
    seats: Annotated[int, typer.Option(min=2, max=4, help="Seats of each of them.")] = 2,
    database: Annotated[
        str, typer.Option(help="For moves: sqlite, postgres (started here) or the URL of an empty database.")
    ] = "sqlite",
    live: Annotated[int, typer.Option(min=1, max=1_000_000, help="For tables: live ones.")] = 10_000,
    idle: Annotated[int, typer.Option(min=1, max=10_000_000, help="For tables: idle ones.")] = 100_000,
    game: Annotated[str, typer.Option(help="For tables: the game of the live ones.")] = "rummy101",
    players: Annotated[int, typer.Option(min=4, max=20_000, help="For tournament.")] = 10_000,
    rounds: Annotated[int, typer.Option(min=1, max=30, help="For tournament.")] = 9,
    board_players: Annotated[int, typer.Option(min=100, max=10_000_000, help="For boards.")] = 1_000_000,
    as_json: JsonOption = False,
) -> None:
    """Measure a part, or a running engine, and print the result; the last line of --json is one object."""
    from meldhall_cli.bench import bench as run
    from meldhall_cli.bench.boards import BoardsPlan
    from meldhall_cli.bench.moves import MovesPlan
    from meldhall_cli.bench.tables import TablesPlan
    from meldhall_cli.bench.tournament import TournamentPlan

    run(
        name,
        seconds=seconds,
        as_json=as_json,
        console=console_of(quiet=as_json),
        moves=MovesPlan(tables, seats, seconds, database),
        tables=TablesPlan(live, idle, game),
        tournament=TournamentPlan(players, rounds),
        boards=BoardsPlan(board_players),
    )


@app.command()
def simulate(
    game: Annotated[str, typer.Option(help="rummy101, rummy, canasta or three_thirteen.")],
    players: Annotated[int, typer.Option(min=1, max=8, help="Players at the table.")],
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000, help="Rounds to play.")] = 100,
    seed: Annotated[int, typer.Option(help="Decides every deal; the same seed, the same rounds.")] = 0,
    bots: Annotated[str, typer.Option(help="Levels, handed round the seats (teams).")] = "strong,easy",
    jokers: Annotated[int, typer.Option(min=0, help="Spare jokers of each account.")] = 0,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A game option.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write each round as a scenario file here.")] = None,
    timing: Annotated[bool, typer.Option("--timing", help="Put moves a second into --json.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Play rounds between bots in this process and print what they come to; exit 1 after a refused move."""
    from meldhall_cli.simulate import option_values, run_simulation
    from meldhall_rules.simulate import Simulation

    simulation = Simulation(
        game=game,
        seats=players,
        rounds=rounds,
        seed=seed,
        bots=tuple(level.strip() for level in bots.split(",")),
        options=option_values(option or ()),
        jokers=jokers,
    )
    console = console_of(quiet=as_json)
    answer(run_simulation(simulation, export=export, as_json=as_json, timing=timing, console=console))


@solve_app.command("penalty")
def solve_penalty(
    hand: HandArgument = None,
    round_: Annotated[int | None, typer.Option("--round", help="1 to 11; wild is 3 to king.")] = None,
    allow_all_wild: Annotated[
        bool, typer.Option("--allow-all-wild", help="Wilds alone are a set as well.")
    ] = False,
    lines: LinesOption = False,
) -> None:
    """Say what a hand of Three-Thirteen costs at least, and by which melds.

    An object has "round" and "hand", and may have "players" or "decks" and "allow_all_wild".
    """
    from meldhall_cli.solve import penalty, run

    given: dict[str, object] = {} if round_ is None else {"round": round_}
    if allow_all_wild:
        given["allow_all_wild"] = True
    answer(run(penalty, hand, given, as_lines=lines, console=console_of()))


@solve_app.command("opening")
def solve_opening(
    hand: HandArgument = None,
    keep: Annotated[int | None, typer.Option(help="Tiles that have to stay, such as the discard.")] = None,
    lines: LinesOption = False,
) -> None:
    """Say what a hand of Rummy 101 can lay at once: most points in runs and sets, and most pairs.

    An object has "hand", and may have "keep", the number of tiles that have to stay in it (0).
    """
    from meldhall_cli.solve import opening, run

    given: dict[str, object] = {} if keep is None else {"keep": keep}
    answer(run(opening, hand, given, as_lines=lines, console=console_of()))


@scenario_app.command("run")
def scenario_run(
    paths: Annotated[list[Path], typer.Argument(help="Scenario files, or folders of them.")],
    as_json: JsonOption = False,
) -> None:
    """Run every case through the rules and print a line for each; exit 1 when one fails."""
    from meldhall_cli.scenario import run_scenarios

    answer(run_scenarios(paths, as_json=as_json, console=console_of()))


def main() -> NoReturn:
    """Run the command and end the process with its exit code."""
    # A reader that went away (`meldhall replay … | head`) ends the command quietly.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        app()
    except (CommandFault, EmbeddedError, EventLogError, RuntimeFault, ValueError) as fault:
        _fail(str(fault))
    except grpc.RpcError as error:
        details = error.details() if isinstance(error, grpc.Call | grpc.aio.AioRpcError) else str(error)
        _fail(f"a service answered: {details}")
    sys.exit(0)


def _fail(message: str) -> NoReturn:
    Console(stderr=True).print(f"[red]meldhall:[/] {message}", soft_wrap=True, highlight=False)
    sys.exit(EXIT_UNUSABLE)
