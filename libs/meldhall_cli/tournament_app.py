"""The commands of `meldhall tournament`."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldhall_cli.options import DataOption, JsonOption, answer, console_of

if TYPE_CHECKING:
    from google.protobuf.message import Message

tournament_app = typer.Typer(help="Tournaments of the stack that runs, for operators.", no_args_is_help=True)


def _decide(method: str, request: "Message", data: Path | None) -> None:
    from meldhall_cli.tournament import decide

    asyncio.run(decide(method, request, data=data, console=console_of()))


IdArgument = Annotated[str, typer.Argument(metavar="TOURNAMENT", help="Id of the tournament.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; players and the log are told.")]
RoundOption = Annotated[int, typer.Option("--round", min=1, help="Number of the round.")]
TableOption = Annotated[int, typer.Option("--table", min=1, help="Number of the table in the round.")]


@tournament_app.command("list")
def list_tournaments(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show tournaments, the newest first; exit 1 where one is paused."""
    from meldhall_cli.tournament import show_all

    answer(asyncio.run(show_all(data=data, as_json=as_json, console=console_of(quiet=as_json))))


@tournament_app.command()
def export(
    tournament: IdArgument,
    data: DataOption = None,
    database: Annotated[
        str | None, typer.Option(help="URL of the tournaments' database, instead of --data.")
    ] = None,
) -> None:
    """Print events, results, standings and prizes as one JSON object; exit 1 where they do not agree."""
    from meldhall_cli.tournament import export as run

    answer(asyncio.run(run(tournament, data=data, database=database, console=console_of(quiet=True))))


@tournament_app.command()
def pause(tournament: IdArgument, reason: ReasonOption, data: DataOption = None) -> None:
    """Begin no round and open no table until it is resumed."""
    from meldhall.tournament.v1.tournament_service_pb2 import PauseTournamentRequest

    _decide("PauseTournament", PauseTournamentRequest(tournament_id=tournament, reason=reason), data)


@tournament_app.command()
def resume(tournament: IdArgument, data: DataOption = None) -> None:
    """Go on."""
    from meldhall.tournament.v1.tournament_service_pb2 import ResumeTournamentRequest

    _decide("ResumeTournament", ResumeTournamentRequest(tournament_id=tournament), data)


@tournament_app.command()
def cancel(tournament: IdArgument, reason: ReasonOption, data: DataOption = None) -> None:
    """Call it off; every fee is returned."""
    from meldhall.tournament.v1.tournament_service_pb2 import CancelTournamentRequest

    _decide("CancelTournament", CancelTournamentRequest(tournament_id=tournament, reason=reason), data)


@tournament_app.command()
def void(
    tournament: IdArgument,
    round_: RoundOption,
    table: TableOption,
    reason: ReasonOption,
    replay: Annotated[bool, typer.Option("--replay", help="Have the table played again.")] = False,
    data: DataOption = None,
) -> None:
    """Take a result back."""
    from meldhall.tournament.v1.tournament_service_pb2 import VoidResultRequest

    request = VoidResultRequest(tournament_id=tournament, round=round_, table=table, reason=reason)
    request.replay = replay
    _decide("VoidResult", request, data)


@tournament_app.command("result")
def set_result(
    tournament: IdArgument,
    round_: RoundOption,
    table: TableOption,
    places: Annotated[str, typer.Option(help="Places by side, such as 1,2; equal ones tie.")],
    own: Annotated[str, typer.Option(help="The game's own results by side; zeros when absent.")] = "",
    data: DataOption = None,
) -> None:
    """Say how a table without a result ended."""
    from meldhall.tournament.v1.tournament_service_pb2 import SetResultRequest, SideResult

    values = [int(value) for value in own.split(",")] if own else [0] * len(places.split(","))
    sides = [
        SideResult(place=int(place), own=value)
        for place, value in zip(places.split(","), values, strict=True)
    ]
    request = SetResultRequest(tournament_id=tournament, round=round_, table=table, sides=sides)
    _decide("SetResult", request, data)


@tournament_app.command()
def disqualify(
    tournament: IdArgument,
    entrant: Annotated[int, typer.Option(min=1, help="Number of the entrant.")],
    reason: ReasonOption,
    data: DataOption = None,
) -> None:
    """Put an entrant out; he is last at every table that he sat at."""
    from meldhall.tournament.v1.tournament_service_pb2 import DisqualifyEntrantRequest

    request = DisqualifyEntrantRequest(tournament_id=tournament, entrant=entrant, reason=reason)
    _decide("DisqualifyEntrant", request, data)
