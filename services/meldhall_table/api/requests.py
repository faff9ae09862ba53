"""Requests of the wire as tables and commands."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from google.protobuf.message import Message

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall_contracts.ids import table_id_of
from meldhall_contracts.options import game_of
from meldhall_eventlog.types import Meta
from meldhall_rules import registry
from meldhall_rules.game import Game
from meldhall_rules.match import MatchFormat, Mode, refuse_format
from meldhall_rules.rejections import Rejection
from meldhall_runtime.auth import Principal, Role
from meldhall_runtime.errors import invalid_argument
from meldhall_runtime.tracing import current_traceparent
from meldhall_table.api import fields
from meldhall_table.api.errors import invalid
from meldhall_table.domain import bots
from meldhall_table.domain.events import Event, Options
from meldhall_table.domain.limits import with_defaults
from meldhall_table.domain.lobby import NewTable, SeatPlan
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Table
from meldhall_table.owner.commands import Decide, TableCommand, digest, stored_id
from meldhall_table.store.stream import Step

AnswerT = TypeVar("AnswerT", bound=Message)
Say = Callable[[Table, Sequence[Step]], Message]
"""Makes the answer: the table after the command, and what the command caused."""


def new_table(
    request: pb.CreateTableRequest, caller: Principal, default: fields.TableDefaults, tip: bytes
) -> NewTable:
    """Check a request for a table.

    Raises:
        ServiceError: INVALID_ARGUMENT, naming the field.
    """
    command_id = fields.command_id(request.command_id)
    game, options = _game(request.options)
    form = fields.match_format(request.format)
    refused = refuse_format(form, game.match_rules(dict(options)))
    if refused is not None:
        raise invalid_argument(refused.code.value, refused.detail, field="format")
    return NewTable(
        table_id=table_id_of(caller.subject, command_id),
        game=game.name,
        options=options,
        form=form,
        limits=with_defaults(game.name, form, fields.limits(request.limits, default.limits)),
        seats=_seats(request.seats, game),
        created_by=caller.subject,
        tip=tip,
        spectator_delay_ms=fields.spectator_delay(request.spectators, default.spectators),
        host=_host(request, caller, form),
        invited_only=request.host.invited_only,
    )


def command(
    request: Message, method: str, command_id: str, caller: Principal, *, decide: Decide, say: Say
) -> TableCommand:
    """Put a command together: who, which request, how it is decided, how it is answered.

    Raises:
        ServiceError: INVALID_ARGUMENT for a command id that cannot be one.
    """
    checked = fields.command_id(command_id)
    subject = caller.subject
    meta = Meta(actor=subject, correlation_id=checked, traceparent=current_traceparent())
    return TableCommand(
        command_id=stored_id(subject, checked),
        digest=digest(subject, method, request.SerializeToString(deterministic=True)),
        meta=meta,
        decide=decide,
        render=lambda table, steps: say(table, steps).SerializeToString(deterministic=True),
    )


def placed(
    decide: Callable[[Table, int], tuple[Event, ...] | Refusal], player: str
) -> Callable[[Table, int], tuple[Event, ...] | Refusal]:
    """Add to refusals where they were made: the table's version, and the player's seat."""

    def decided(table: Table, now_ms: int) -> tuple[Event, ...] | Refusal:
        answer = decide(table, now_ms)
        if not isinstance(answer, Refusal):
            return answer
        seat = table.seat_of(player)
        place = {"version": str(table.version)} | ({} if seat is None else {"seat": str(seat)})
        return Refusal(answer.code, answer.detail, tuple((place | dict(answer.facts)).items()))

    return decided


def _game(message: game_pb2.GameOptions) -> tuple[Game, Options]:
    try:
        found = game_of(message)
    except ValueError as error:
        raise invalid("options", str(error)) from None
    if found is None:
        raise invalid("options", "name no game")
    name, given = found
    try:
        game = registry.game(name)
    except registry.UnknownGameError:
        raise invalid("options", f"name {name}, which is not played here") from None
    parsed = game.parse_options(given)
    if isinstance(parsed, Rejection):
        raise invalid_argument(parsed.code.value, parsed.detail, field=f"options.{name}")
    return game, tuple(sorted(parsed.items()))


def _host(request: pb.CreateTableRequest, caller: Principal, form: MatchFormat) -> str:
    if not request.HasField("host"):
        return ""
    if form.mode is not Mode.FRIENDS:
        raise invalid("host", f"is there for friends' tables, not in the mode {form.mode.value}")
    if caller.role is not Role.PLAYER:
        return fields.player_id(request.host.player_id, "host.player_id")
    if request.host.player_id not in {"", caller.subject}:
        raise invalid("host.player_id", "is not the caller")
    return caller.subject


def _seats(plans: Sequence[pb.SeatPlan], game: Game) -> tuple[SeatPlan, ...]:
    if not game.min_seats <= len(plans) <= game.max_seats:
        raise invalid("seats", f"are {len(plans)}, {game.name} has {game.min_seats} to {game.max_seats}")
    seats = tuple(_seat(plan, f"seats[{number}]", game) for number, plan in enumerate(plans))
    kept = [seat.reserved_for for seat in seats if seat.reserved_for]
    if len(set(kept)) != len(kept):
        raise invalid("seats", "keep two seats for the same player")
    return seats


def _seat(plan: pb.SeatPlan, field: str, game: Game) -> SeatPlan:
    match plan.WhichOneof("plan"):
        case "open":
            return SeatPlan()
        case "reserved_for":
            return SeatPlan(reserved_for=fields.player_id(plan.reserved_for, f"{field}.reserved_for"))
        case "bot":
            if bots.policy(game.name, plan.bot) is None:
                raise invalid(f"{field}.bot", f"is no policy of {game.name}")
            return SeatPlan(bot=plan.bot)
        case _:
            raise invalid(field, "has no plan")
