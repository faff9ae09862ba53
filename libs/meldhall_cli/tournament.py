"""`meldhall tournament …`: what an operator sees of tournaments and does to them, on the stack that runs.

``export`` reads the database alone, running or not: facts, results, standings, for whoever adds them up.
"""

import getpass
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console
from rich.table import Table

from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub
from meldhall_cli.faults import CommandFault
from meldhall_cli.stack import data_dir, stack_keys
from meldhall_runtime import Role, SystemClock, TokenIssuer, open_channel
from meldhall_tournament.domain.lots import commitment
from meldhall_tournament.domain.prizes import prizes_of
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import Phase, Tournament, fold
from meldhall_tournament.store import TournamentStore, open_database
from meldhall_tournament.store.codec import encode

if TYPE_CHECKING:
    from meldhall.tournament.v1.tournament_service_pb2_grpc import TournamentServiceAsyncStub

CALL_SECONDS: Final = 10.0
PAGE: Final = 1000


class Desk:
    """Calls of an operator."""

    def __init__(self, stub: "TournamentServiceAsyncStub", issuer: TokenIssuer) -> None:
        self._stub = stub
        self._issuer = issuer

    async def call(self, method: str, request: Message) -> Any:
        """Make a call in the name of whoever is logged in here."""
        token = self._issuer.issue(getpass.getuser(), Role.OPERATOR, ttl_seconds=60)
        metadata = (("authorization", f"Bearer {token}"),)
        return await getattr(self._stub, method)(request, metadata=metadata, timeout=CALL_SECONDS)


@asynccontextmanager
async def _desk(data: Path | None) -> AsyncIterator[Desk]:
    folder = data_dir(data)
    state = folder.running()
    if state is None or "tournament" not in state.addresses:
        raise CommandFault(f"no stack with tournaments runs on {folder.path}; start one with `meldhall up`")
    issuer = TokenIssuer.from_file(stack_keys(folder).signing_key_file, SystemClock())
    async with open_channel(state.addresses["tournament"]) as channel:
        yield Desk(TournamentServiceStub(channel), issuer)


async def show_all(*, data: Path | None, as_json: bool, console: Console) -> bool:
    """Print tournaments, the newest first; False where one is paused."""
    async with _desk(data) as desk:
        request = pb.ListTournamentsRequest()
        request.page.size = PAGE
        found = (await desk.call("ListTournaments", request)).tournaments
    if as_json:
        print(json.dumps([MessageToDict(one, preserving_proto_field_name=True) for one in found]))
    else:
        grid = Table()
        for heading in ("tournament", "title", "state", "entries", "round", "open tables", "paused"):
            grid.add_column(heading, overflow="fold")
        for one in found:
            status = one.status
            name = pb.TournamentState.Name(status.state).removeprefix("TOURNAMENT_STATE_").lower()
            played = f"{status.round} of {status.rounds or '?'}"
            numbers = (str(status.entries), played, str(status.tables_open))
            grid.add_row(one.tournament_id, one.title, name, *numbers, status.paused)
        console.print(grid)
    return not any(one.status.paused for one in found)


async def decide(method: str, request: Message, *, data: Path | None, console: Console) -> None:
    """Make a decision of an operator; each is a command of its own."""
    request.command_id = uuid.uuid4().hex  # type: ignore[attr-defined]  # every such request has one
    async with _desk(data) as desk:
        await desk.call(method, request)
    console.print("Done.")


async def export(tournament_id: str, *, data: Path | None, database: str | None, console: Console) -> bool:
    """Print one JSON object: events, rounds with results, standings, prizes; False where something is wrong.

    Raises:
        CommandFault: there is no such tournament.
    """
    url = database or f"sqlite+aiosqlite:///{data_dir(data).database('tournament')}"
    store = TournamentStore(open_database(url))
    try:
        events = await store.read(tournament_id, 0)
    finally:
        await store.close()
    state = fold(events)
    if state is None:
        raise CommandFault(f"there is no tournament {tournament_id}")
    faults = _faults(state)
    print(
        json.dumps(
            {
                "tournament_id": tournament_id,
                "state": state.phase,
                "rounds": [
                    [
                        {
                            "entrants": one.entrants,
                            "table_id": one.table_id,
                            "sides": [asdict(side) for side in one.result.sides] if one.result else None,
                            "source": one.result.source if one.result else None,
                            "voided": one.voided,
                        }
                        for one in tables
                    ]
                    for tables in state.rounds
                ],
                "standings": [row._asdict() for row in standings(state)],
                "prizes": [asdict(due) for due in state.dues],
                "events": [
                    {"version": version, "type": name, **json.loads(payload)}
                    for version, (name, payload) in enumerate(map(encode, events), 1)
                ],
                "faults": faults,
            }
        )
    )
    for fault in faults:
        console.print(f"[red]{fault}[/]")
    return not faults


def _faults(state: Tournament) -> list[str]:
    """Say what of a tournament does not follow from the rest."""
    faults = []
    if state.started is not None and commitment(state.started.seed) != state.announced.commitment:
        faults.append("the seed is not the one that was committed to")
    if state.phase is Phase.CLOSED:
        due: dict[str, int] = {}
        for one in state.dues:
            due[one.player] = due.get(one.player, 0) + one.amount
        won = {player: amount for player, (_, amount) in prizes_of(state).items()}
        if {player: amount for player, amount in due.items() if amount} != won:
            faults.append(f"prizes are {due}, by the standings {won}")
    return faults
