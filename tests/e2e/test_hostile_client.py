"""A client that sends anything at all is told clearly what is wrong, and changes nothing."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from random import Random  # noqa: TID251 - seeded by the test
from typing import Any

import grpc
import grpc.aio
import pytest
import pytest_asyncio
from google.protobuf.descriptor import MethodDescriptor
from tests.fixtures.stack import NAMES, Backend, backend

from meldhall.common.v1 import game_pb2
from meldhall.ledger.v1 import ledger_service_pb2 as ledger_pb
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as matchmaking_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_service_pb2 as pb
from meldhall.tournament.v1 import tournament_service_pb2 as tournament_pb
from meldhall_cli.stack_ports import SERVICES
from meldhall_runtime import Role, reason_of
from meldhall_runtime.testing import Keys

pytestmark = pytest.mark.asyncio(loop_scope="module")

Code = grpc.StatusCode
CLEAR = frozenset({
    Code.OK,
    Code.INVALID_ARGUMENT,
    Code.NOT_FOUND,
    Code.ALREADY_EXISTS,
    Code.PERMISSION_DENIED,
    Code.UNAUTHENTICATED,
    Code.FAILED_PRECONDITION,
    Code.RESOURCE_EXHAUSTED,
})  # fmt: skip
"""What a client can make something of. UNKNOWN and INTERNAL are faults of ours, DEADLINE_EXCEEDED a hang."""

SERVICE_FILES = {
    "table": pb.DESCRIPTOR,
    "ledger": ledger_pb.DESCRIPTOR,
    "matchmaking": matchmaking_pb.DESCRIPTOR,
    "tournament": tournament_pb.DESCRIPTOR,
}
PLAYERS = NAMES[:2]
BIG = 2**32 - 1


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Backend]:
    async with backend(tmp_path_factory.mktemp("backend"), tournaments=True) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def table_id(made: Backend) -> AsyncIterator[str]:
    """A table in the middle of a round, which has to be the same after the test."""
    opened = await made.open_for(*PLAYERS)
    await made.sit(opened, *PLAYERS)
    for _ in range(3):
        await made.move(opened, await made.on_turn(opened, PLAYERS))
    version = made.version(opened)
    seen = [await made.look(opened, name) for name in PLAYERS]
    yield opened
    assert made.version(opened) == version
    assert [await made.look(opened, name) for name in PLAYERS] == seen
    assert made.one("table", "SELECT count(*) FROM events WHERE stream_id = ?", opened) == version
    assert (await made.audit(opened)).difference is None


async def told(call: Any) -> tuple[grpc.StatusCode, str]:
    """Return how a call ended: its code, and the reason if it was refused."""
    try:
        await (call.read() if isinstance(call, grpc.aio.UnaryStreamCall) else call)
    except grpc.aio.AioRpcError as error:
        info = reason_of(error)
        return error.code(), info.reason if info else ""
    finally:
        call.cancel()
    return Code.OK, ""


async def on_turn_and_off(made: Backend, table_id: str) -> tuple[str, str]:
    on = await made.on_turn(table_id, PLAYERS)
    return on, next(name for name in PLAYERS if name != on)


def methods() -> Iterator[tuple[str, MethodDescriptor]]:
    for name in SERVICES:
        for service in SERVICE_FILES[name].services_by_name.values():
            for method in service.methods:
                yield name, method


def raw_call(
    channel: grpc.aio.Channel,
    method: MethodDescriptor,
    payload: bytes,
    token: str | None,
    seconds: float = 10,
) -> Any:
    path = f"/{method.containing_service.full_name}/{method.name}"
    make: Any = channel.unary_stream if method.server_streaming else channel.unary_unary
    metadata = (("authorization", f"Bearer {token}"),) if token is not None else ()
    return make(path)(payload, metadata=metadata, timeout=10)


def payloads(method: MethodDescriptor, chance: Random) -> Iterator[bytes]:
    """Give bytes that are no message, half a message, and messages full of nonsense."""
    yield b""
    yield b"\xff" * 64
    yield b"\x0a\xff\xff\xff\xff\x0f"
    yield b"\x0a\x02\xc3\x28"
    yield b"\x0b" * 5_000
    for _ in range(12):
        yield chance.randbytes(chance.randrange(1, 400))
    for field in method.input_type.fields:
        number = field.number << 3
        yield bytes([number | 2, 4]) + b"\xff\xff\xff\x7f"
        yield bytes([number]) + b"\xff" * 9 + b"\x01"
        yield bytes([number | 2, 127]) + b"x" * 127


@pytest.mark.parametrize("role", list(Role))
async def test_bytes_that_mean_nothing_are_answered_clearly_by_every_method(
    made: Backend, table_id: str, role: Role
) -> None:
    chance = Random(f"hostile {role}")  # noqa: S311 - the same in every run
    token = made.token("mallory", role)
    found: set[tuple[str, grpc.StatusCode]] = set()
    for name, method in methods():
        async with grpc.aio.insecure_channel(made.ports.address(name)) as channel:
            for payload in payloads(method, chance):
                code, _ = await told(raw_call(channel, method, payload, token))
                assert code in CLEAR, f"{method.full_name} answered {code} to {payload!r:.80}"
                found.add((method.name, code))
    allowed = {name for name, code in found if code is Code.INVALID_ARGUMENT}
    assert allowed, "not one method looked at what it was sent"


@pytest.mark.parametrize(
    ("token", "code", "reason"),
    [
        (None, Code.UNAUTHENTICATED, "TOKEN_MISSING"),
        ("", Code.UNAUTHENTICATED, "TOKEN_INVALID"),
        ("not.a.token", Code.UNAUTHENTICATED, "TOKEN_INVALID"),
        ("x" * 9_000, Code.UNAUTHENTICATED, "TOKEN_INVALID"),
        ("expired", Code.UNAUTHENTICATED, "TOKEN_EXPIRED"),
        ("stranger", Code.UNAUTHENTICATED, "TOKEN_INVALID"),
    ],
)
async def test_without_a_good_token_no_method_answers(
    made: Backend, table_id: str, token: str | None, code: grpc.StatusCode, reason: str
) -> None:
    made_up = {
        "expired": lambda: made.token("anna", Role.OPERATOR, ttl=-3600),
        "stranger": lambda: Keys().token("anna", Role.OPERATOR),
    }
    sent = made_up[token]() if token in made_up else token
    for name, method in methods():
        async with grpc.aio.insecure_channel(made.ports.address(name)) as channel:
            assert await told(raw_call(channel, method, b"", sent)) == (code, reason)


async def test_a_role_gets_no_further_than_its_methods(made: Backend, table_id: str) -> None:
    read = pb.ReadStreamRequest(table_id=table_id)
    as_player = made.table.ReadStream(read, metadata=made.by("anna"), timeout=10)
    assert await told(as_player) == (Code.PERMISSION_DENIED, "ROLE_NOT_ALLOWED")
    for role in (Role.SERVICE, Role.OPERATOR):
        act = pb.ActRequest(table_id=table_id, command_id="c", move=moves_pb.Move(draw=moves_pb.Draw()))
        refused = await told(made.table.Act(act, metadata=made.by("anna", role), timeout=10))
        assert refused == (Code.PERMISSION_DENIED, "ROLE_NOT_ALLOWED")
    rich = ledger_pb.GrantRequest(
        transfer_id="6f9619ff-8b86-4d01-b42d-00c04fc964ff",
        player_id="anna",
        unit=ledger_pb.UNIT_COINS,
        amount=1_000_000,
        reason="because",
    )
    refused = await told(made.ledger.Grant(rich, metadata=made.by("anna"), timeout=10))
    assert refused == (Code.PERMISSION_DENIED, "ROLE_NOT_ALLOWED")
    spy = ledger_pb.GetBalancesRequest(player_id="ben")
    code, _ = await told(made.ledger.GetBalances(spy, metadata=made.by("anna"), timeout=10))
    assert code is Code.PERMISSION_DENIED


@pytest.mark.parametrize(
    "name", ["", "nowhere", "../../etc/passwd", "x" * 10_000, "' OR 1=1 --", "\x00", "😀" * 100]
)
async def test_a_table_that_is_not_there_is_not_found(made: Backend, table_id: str, name: str) -> None:
    metadata = made.by("anna")
    draw = moves_pb.Move(draw=moves_pb.Draw())
    calls = [
        made.table.Join(pb.JoinRequest(table_id=name, command_id="c"), metadata=metadata, timeout=10),
        made.table.Leave(pb.LeaveRequest(table_id=name, command_id="c"), metadata=metadata, timeout=10),
        made.table.Act(
            pb.ActRequest(table_id=name, command_id="c", move=draw), metadata=metadata, timeout=10
        ),
        made.table.Watch(pb.WatchRequest(table_id=name), metadata=metadata, timeout=10),
        made.table.ReadStream(
            pb.ReadStreamRequest(table_id=name), metadata=made.by("o", Role.OPERATOR), timeout=10
        ),
    ]
    expected = {Code.NOT_FOUND} if name else {Code.INVALID_ARGUMENT}
    assert {code for code, _ in [await told(call) for call in calls]} == expected


async def test_a_stranger_neither_sees_nor_moves_nor_leaves(made: Backend, table_id: str) -> None:
    metadata = made.by("mallory")
    draw = moves_pb.Move(draw=moves_pb.Draw())
    watch = made.table.Watch(pb.WatchRequest(table_id=table_id), metadata=metadata, timeout=10)
    late = made.table.Watch(
        pb.WatchRequest(table_id=table_id, after_version=1), metadata=metadata, timeout=10
    )
    act = pb.ActRequest(table_id=table_id, command_id="c", move=draw)
    leave = pb.LeaveRequest(table_id=table_id, command_id="d")
    for call in (
        watch,
        late,
        made.table.Act(act, metadata=metadata, timeout=10),
        made.table.Leave(leave, metadata=metadata, timeout=10),
    ):
        assert await told(call) == (Code.PERMISSION_DENIED, "NOT_AT_TABLE")
    for seat in (None, 0, 1, 2, BIG):
        join = pb.JoinRequest(table_id=table_id, command_id="e", seat=seat)
        code, _ = await told(made.table.Join(join, metadata=metadata, timeout=10))
        assert code in {Code.FAILED_PRECONDITION, Code.INVALID_ARGUMENT}, seat


def lay(*tiles: int, kind: int = moves_pb.MELD_KIND_RUN) -> moves_pb.LayOpening:
    placed = [moves_pb.PlacedTile(tile=tile) for tile in tiles]
    return moves_pb.LayOpening(melds=[moves_pb.MeldSpec(kind=kind, tiles=placed)])  # type: ignore[arg-type]


def moves_with(tile: int) -> Iterator[moves_pb.Move]:
    """Give a move of every kind that names a tile."""
    opening = lay(tile, tile, tile)
    placed = [moves_pb.PlacedTile(tile=tile)]
    yield moves_pb.Move(discard=moves_pb.Discard(tile=tile))
    yield moves_pb.Move(lay_opening=opening)
    yield moves_pb.Move(lay_melds=moves_pb.LayMelds(melds=opening.melds))
    yield moves_pb.Move(lay_off=moves_pb.LayOff(meld=0, tiles=placed))
    yield moves_pb.Move(lay_off=moves_pb.LayOff(meld=BIG, tiles=placed))
    yield moves_pb.Move(swap_joker=moves_pb.SwapJoker(meld=BIG, tile=tile))
    yield moves_pb.Move(take_discard=moves_pb.TakeDiscard(lay_opening=opening))
    yield moves_pb.Move(take_discard=moves_pb.TakeDiscard(swap_joker=moves_pb.SwapJoker(meld=0, tile=tile)))


async def refusals(made: Backend, table_id: str, name: str, moves: Iterator[moves_pb.Move]) -> set[str]:
    reasons: set[str] = set()
    for number, move in enumerate(moves):
        act = pb.ActRequest(table_id=table_id, command_id=f"hostile-{number}", move=move)
        code, reason = await told(made.table.Act(act, metadata=made.by(name), timeout=10))
        assert code in {Code.FAILED_PRECONDITION, Code.INVALID_ARGUMENT}, move
        assert reason, move
        reasons.add(reason)
    return reasons


async def test_moves_out_of_turn_are_refused_whatever_they_are(made: Backend, table_id: str) -> None:
    on, off = await on_turn_and_off(made, table_id)
    own = (await made.look(table_id, off)).round.own_hand[0]
    assert await refusals(made, table_id, off, moves_with(own)) == {"NOT_YOUR_TURN"}
    for move in (moves_pb.Move(draw=moves_pb.Draw()), moves_pb.Move(press_joker_button={})):
        assert await refusals(made, table_id, off, iter([move])) == {"NOT_YOUR_TURN"}
    assert on != off


async def test_moves_with_tiles_of_others_or_of_no_game_are_refused(made: Backend, table_id: str) -> None:
    on, off = await on_turn_and_off(made, table_id)
    theirs = (await made.look(table_id, off)).round.own_hand[0]
    assert "NOT_YOUR_TURN" not in await refusals(made, table_id, on, moves_with(theirs))
    # 106 and 107 are the jokers that the Joker button would give.
    for tile in (108, 10_000, BIG):
        assert "UNKNOWN_TILE" in await refusals(made, table_id, on, moves_with(tile))


async def test_moves_of_absurd_size_are_refused(made: Backend, table_id: str) -> None:
    on, _ = await on_turn_and_off(made, table_id)
    own = (await made.look(table_id, on)).round.own_hand[0]
    many = moves_pb.LayOpening(melds=lay(*[own] * 50).melds[0:1] * 4_000)
    wide = lay(*[own] * 100_000)
    nothing = moves_pb.LayOpening()
    empty = lay()
    kinds = [lay(own, kind=kind) for kind in (0, 4, 99)]
    face = moves_pb.LayOpening()
    face.CopyFrom(lay(own))
    face.melds[0].tiles[0].stands_for = BIG
    moves = [moves_pb.Move(lay_opening=opening) for opening in (many, wide, nothing, empty, *kinds, face)]
    await refusals(made, table_id, on, iter([*moves, moves_pb.Move()]))


async def test_a_request_of_megabytes_is_refused_before_it_is_read(made: Backend, table_id: str) -> None:
    for name, method in methods():
        async with grpc.aio.insecure_channel(made.ports.address(name)) as channel:
            call = raw_call(channel, method, b"\x00" * (3 << 20), made.token("anna"))
            assert (await told(call))[0] is Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("command", ["", "x" * 65, "\x00", "tab\t", "ü" * 65])
async def test_a_command_id_that_is_none_is_refused(made: Backend, table_id: str, command: str) -> None:
    on, _ = await on_turn_and_off(made, table_id)
    act = pb.ActRequest(table_id=table_id, command_id=command, move=moves_pb.Move(draw=moves_pb.Draw()))
    refused = await told(made.table.Act(act, metadata=made.by(on), timeout=10))
    assert refused == (Code.INVALID_ARGUMENT, "INVALID_FIELD")


async def test_a_version_that_is_not_the_tables_is_stale(made: Backend, table_id: str) -> None:
    on, _ = await on_turn_and_off(made, table_id)
    version = made.version(table_id)
    for expected in (0, version - 1, version + 1, 2**64 - 1):
        act = pb.ActRequest(table_id=table_id, command_id="c", expected_version=expected)
        act.move.draw.SetInParent()
        refused = await told(made.table.Act(act, metadata=made.by(on), timeout=10))
        assert refused == (Code.FAILED_PRECONDITION, "STALE")
    watch = pb.WatchRequest(table_id=table_id, after_version=2**64 - 1)
    refused = await told(made.table.Watch(watch, metadata=made.by(on), timeout=10))
    assert refused[0] is Code.FAILED_PRECONDITION


async def test_tables_that_nobody_could_play_are_not_opened(made: Backend, table_id: str) -> None:
    good = pb.CreateTableRequest(command_id="c", seats=[pb.SeatPlan(open=pb.OpenSeat())] * 2)
    good.options.rummy101.SetInParent()
    good.format.CopyFrom(game_pb2.MatchFormat(mode=game_pb2.MODE_FRIENDS, rounds=1))
    wrong = [
        {"seats": 1},
        {"seats": 5},
        {"seats": 10_000},
        {"rounds": 0},
        {"rounds": BIG},
        {"mode": 0},
        {"mode": 77},
        {"stake": -1},
        {"stake": 2**62},
        {"rake": BIG},
        {"turn": 1},
        {"turn": BIG},
        {"bot": "cheat"},
    ]
    tables = made.one("table", "SELECT count(*) FROM streams")
    for changes in wrong:
        request = pb.CreateTableRequest()
        request.CopyFrom(good)
        spoil(request, **changes)  # type: ignore[arg-type]
        code, _ = await told(made.table.CreateTable(request, metadata=made.by("mallory"), timeout=10))
        assert code is Code.INVALID_ARGUMENT, changes
    assert made.one("table", "SELECT count(*) FROM streams") == tables


def spoil(request: pb.CreateTableRequest, **changes: Any) -> None:
    for what, value in changes.items():
        match what:
            case "seats":
                del request.seats[:]
                request.seats.extend([pb.SeatPlan(open=pb.OpenSeat())] * value)
            case "turn":
                request.limits.turn_ms = value
            case "bot":
                request.seats[0].bot = value
            case "rake":
                request.format.rake_bps = value
            case _:
                setattr(request.format, what, value)


async def test_a_hundred_calls_at_once_are_all_answered(made: Backend, table_id: str) -> None:
    on, off = await on_turn_and_off(made, table_id)
    calls = [
        made.table.Act(
            pb.ActRequest(table_id=table_id, command_id=f"c-{number}", move=moves_pb.Move(draw={})),
            metadata=made.by(off),
            timeout=20,
        )
        for number in range(200)
    ]
    answers = await asyncio.gather(*(told(call) for call in calls))
    assert {code for code, _ in answers} <= {Code.FAILED_PRECONDITION, Code.RESOURCE_EXHAUSTED}
    assert on != off
