"""Makes golden logs: `python -m tests.golden.generate`. It adds files that are missing and never changes one.

A golden log is a table's stream as it was stored, with the hash of every event and of the state that it folds
to. Whatever changes later, each must fold to the same state for ever; a change of rules comes as a new
version of them, and with new files.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final

from meldhall_eventlog import GENESIS_HASH, event_hash
from meldhall_rules import commands, registry
from meldhall_rules import events as rules
from meldhall_rules.match import MatchFormat, Mode
from meldhall_rules.notation import parse_tile
from meldhall_rules.rejections import Rejection
from meldhall_rules.view import View
from meldhall_table.domain import between, bots, events, lobby, play, timing
from meldhall_table.domain.refusals import Refusal
from meldhall_table.domain.state import Status, Table
from meldhall_table.store.decode import UPCASTERS
from meldhall_table.store.encode import encode
from meldhall_table.store.stream import fold

FOLDER: Final = Path(__file__).parent
LIMITS: Final = events.Limits(turn_ms=60_000, break_ms=1_000, join_ms=60_000, bot_move_ms=1)
NARROW: Final = replace(LIMITS, fill_ms=60_000, round_ms=20_000, match_ms=50_000, rematch_ms=30_000)
START_MS: Final = 1_790_000_000_000
MOST_MOVES: Final = 20_000

ONE_TURN: Final = (
    "R1 R2 R3 R4 R5 R6 R7 B8 B9 B10 B11 B12 B13 Y4 Y5 Y6 Y7 K2 K3 K4 K5",
    "run:R1,R2,R3,R4,R5,R6,R7 run:B8,B9,B10,B11,B12,B13 run:Y4,Y5,Y6,Y7 run:K2,K3,K4,K5",
)


@dataclass(frozen=True)
class Golden:
    """How a golden log is made.

    ``absent`` seats are played automatically. ``first`` are the first tiles of the deal, where the
    shuffle's own would hardly ever do. ``people`` sit down instead of bots, at a table with narrow limits of
    time, say that they are ready and want a rematch.
    """

    name: str
    game: str
    seats: int
    seed: int
    rounds: int = 1
    options: dict[str, object] = field(default_factory=dict)
    absent: tuple[int, ...] = ()
    jokers: int = 1
    mode: Mode = Mode.FRIENDS
    first: tuple[int, ...] = ()
    script: Callable[[View], commands.Command] | None = None
    people: tuple[str, ...] = ()


def cases() -> Iterator[Golden]:
    """Give every golden log that there shall be, in order."""
    for seed in range(18):
        yield Golden(
            f"bots-{seed}", "rummy101", 2 + seed % 3, seed, options={"opening": ("fixed", "rising")[seed % 2]}
        )
        yield Golden(f"bots-{seed}", "rummy", 2 + seed % 5, seed)
        yield Golden(f"bots-{seed}", "canasta", 4, seed)
    for seed in range(3):
        yield Golden(f"bots-{seed}", "three_thirteen", 2 + seed % 3, seed, rounds=11)
    yield Golden("absent-all", "rummy101", 4, 1, absent=(0, 1, 2, 3))
    yield Golden("absent-one", "rummy101", 3, 2, absent=(1,))
    yield Golden("extra-rounds", "rummy101", 2, 3, rounds=3, mode=Mode.ARENA)
    yield Golden("one-turn", "rummy101", 2, 4, first=(*tiles(ONE_TURN[0]), 25), script=lay_all_at_once)
    yield Golden("one-turn-joker", "rummy101", 2, 5, first=(*tiles(ONE_TURN[0]), 104), script=lay_all_at_once)
    yield Golden("out-of-time", "rummy101", 2, 6, rounds=3, people=("anna", "ben"))
    for seed in range(3):
        yield Golden(f"ace-high-{seed}", "rummy", 4, seed, options={"ace_high_low": True})
    yield Golden("absent-reshuffled", "rummy", 3, 2, absent=(0, 1), options={"max_reshuffles": 2})
    yield Golden("match", "rummy", 3, 3, rounds=5)
    yield Golden("absent-all", "canasta", 4, 1, absent=(0, 1, 2, 3))
    yield Golden("absent-team", "canasta", 4, 2, absent=(0, 2))
    yield Golden("match", "canasta", 4, 3, rounds=3)
    yield Golden("absent-all", "three_thirteen", 2, 1, rounds=11, absent=(0, 1))
    yield Golden("absent-one", "three_thirteen", 3, 2, rounds=11, absent=(1,))


def tiles(text: str) -> tuple[int, ...]:
    """Return the first copy of each tile named."""
    return tuple((parse_tile(name) or 0) * 2 for name in text.split())


def lay_all_at_once(view: View) -> commands.Command:
    """Open with everything but one tile and discard that."""
    seat = view.turn
    if len(view.hand or ()) > 1:
        melds = []
        for text in ONE_TURN[1].split():
            kind, _, names = text.partition(":")
            placed = tuple(commands.Placed(tile) for tile in tiles(names.replace(",", " ")))
            melds.append(commands.MeldSpec(commands.MeldKind(kind), placed))
        return commands.LayOpening(seat, tuple(melds))
    return commands.Discard(seat, (view.hand or ())[0])


def batches_of(golden: Golden) -> Iterator[tuple[int, tuple[events.Event, ...]]]:
    """Play a case and give what was decided together, with its time."""
    options = registry.game(golden.game).parse_options(golden.options)
    assert not isinstance(options, Rejection), options.detail
    stake = 500 if golden.mode is Mode.ARENA else 0
    new = lobby.NewTable(
        table_id=f"golden-{golden.game}-{golden.name}",
        game=golden.game,
        options=tuple(sorted(options.items())),
        form=MatchFormat(mode=golden.mode, rounds=golden.rounds, stake=stake, rake_bps=500 if stake else 0),
        limits=NARROW if golden.people else LIMITS,
        seats=tuple(
            lobby.SeatPlan() if golden.people else lobby.SeatPlan(bot="normal") for _ in range(golden.seats)
        ),
        created_by="golden",
        tip=hashlib.sha256(f"{golden.game}/{golden.seed}".encode()).digest(),
    )
    batch: tuple[events.Event, ...] = lobby.create(new)
    table, now = None, START_MS
    for _ in range(MOST_MOVES):
        yield now, batch
        table = fold(table, batch, now)[-1].table
        if table.status is Status.CLOSED:
            return
        now += 700
        batch = _next(golden, table, now)
    raise AssertionError(f"{golden.game} {golden.name} does not end")


def _next(golden: Golden, table: Table, now: int) -> tuple[events.Event, ...]:
    if golden.people and (said := _by_people(golden, table, now)):
        return said
    if table.status is not Status.PLAYING or table.round is None:
        return _dealt(golden, play.deal(table, (golden.jokers,) * golden.seats, now))
    if table.round.turn in golden.absent:
        return play.automatic(table, now)
    policy, view = bots.policy(golden.game, "normal"), table.view(table.round.turn)
    assert policy is not None
    assert view is not None
    command = golden.script(view) if golden.script else policy(view, 0)
    moved = play.move(table, command, now)
    assert not isinstance(moved, Refusal), moved
    return moved


def _by_people(golden: Golden, table: Table, now: int) -> tuple[events.Event, ...]:
    """Return what people say before and between rounds, and what their table does when its time is up."""
    due = timing.due(table)
    if due is not None and due.at_ms <= now:
        match due.what:
            case timing.What.ROUND_LIMIT:
                return play.round_limit(table, now)
            case timing.What.MATCH_LIMIT:
                return play.match_limit(table, now)
            case timing.What.NEXT_TABLE:
                return between.rematch_began(table, "golden-rematch")
    for name in golden.people:
        said: tuple[events.Event, ...] | Refusal = ()
        match table.status:
            case Status.WAITING:
                said = lobby.join(table, name, None, name.encode())
            case Status.BREAK:
                said = between.ready(table, name)
            case Status.OVER:
                said = between.rematch(table, name)
        assert not isinstance(said, Refusal), said
        if said:
            return said
    return ()


def _dealt(golden: Golden, batch: tuple[events.Event, ...]) -> tuple[events.Event, ...]:
    if not golden.first:
        return batch
    return tuple(
        replace(event, order=(*golden.first, *(tile for tile in event.order if tile not in golden.first)))
        if isinstance(event, rules.RoundDealt)
        else event
        for event in batch
    )


def state_hash(table: Table) -> str:
    """Return the SHA-256 of everything that a table is, hidden parts too, as text that only values decide.

    Fields that joined later (``events.LATER``) are left out while they have their default: a log written
    before them hashes as it did then.
    """
    return hashlib.sha256(_text(table).encode()).hexdigest()


def _text(value: object) -> str:
    if is_dataclass(value):
        told = (one for one in fields(value) if not _is_new(one, getattr(value, one.name)))
        inner = ",".join(f"{one.name}={_text(getattr(value, one.name))}" for one in told)
        return f"{type(value).__name__}({inner})"
    if isinstance(value, tuple):
        return f"({','.join(map(_text, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_text, value)))}}}"
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, bool | int | str | bytes):
        return repr(value)
    raise TypeError(f"a state holds a {type(value).__name__}")


def _is_new(one: Field[Any], value: object) -> bool:
    return bool(one.metadata.get("later")) and value == one.default


def document(golden: Golden) -> dict[str, object]:
    """Return a golden log as it is written to its file."""
    lines: list[dict[str, object]] = []
    finishes: list[str] = []
    table, previous = None, GENESIS_HASH
    for now, batch in batches_of(golden):
        for event in batch:
            message = encode(event)
            payload = message.SerializeToString(deterministic=True)
            kind, version = message.DESCRIPTOR.full_name, len(lines) + 1
            stream_id = f"golden-{golden.game}-{golden.name}"
            previous = event_hash(previous, stream_id, version, kind, payload)
            schema = UPCASTERS.current(kind)
            lines.append({"at_ms": now, "type": kind, "schema": schema, "payload": payload.hex()})
            if isinstance(event, events.RoundEnded):
                finishes.append(event.ending.finish.value)
        table = fold(table, batch, now)[-1].table
    assert table is not None
    return {
        "stream": table.table_id,
        "game": golden.game,
        "rules_version": registry.game(golden.game).rules_version,
        "finishes": finishes,
        "totals": list(table.totals),
        "chain_sha256": previous.hex(),
        "state_sha256": state_hash(table),
        "events": lines,
    }


def main() -> None:
    """Write what is missing."""
    for golden in cases():
        version = registry.game(golden.game).rules_version
        path = FOLDER / golden.game / f"{version}-{golden.name}.json"
        if path.exists():
            continue
        path.parent.mkdir(exist_ok=True)
        written = document(golden)
        lines = ",\n".join(json.dumps(line) for line in written.pop("events"))  # type: ignore[attr-defined]
        head = json.dumps(written)[:-1]
        path.write_text(f'{head}, "events": [\n{lines}\n]}}\n')
        print(path.relative_to(FOLDER), *written["finishes"])  # type: ignore[misc] # noqa: T201 - a command prints


if __name__ == "__main__":
    main()
