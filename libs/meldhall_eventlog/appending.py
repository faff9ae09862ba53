"""Appends: of one stream, and of many at once.

An append guards itself in its first statement. A stream's row is moved on only where it has the expected
version and the caller's epoch, is open, and has no receipt for the command; the row is locked from there on,
so that a loser has taken neither a position nor anything else. Where a row was not moved the reason is looked
up in the same transaction.

One statement puts this guard to the rows of many streams: what each append wants of its row is one parameter
for all, a JSON list of objects. The rows that were moved are those that the statement returns.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnClause,
    ColumnElement,
    Connection,
    Text,
    Update,
    bindparam,
    column,
    exists,
    func,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import IntegrityError

from meldhall_eventlog.chain import event_hash
from meldhall_eventlog.database import told
from meldhall_eventlog.dialects import insert_if_absent
from meldhall_eventlog.errors import (
    DuplicateCommand,
    EventLogError,
    Fenced,
    InvalidAppend,
    StreamArchived,
    StreamClosed,
    WrongVersion,
)
from meldhall_eventlog.statements import info, receipt
from meldhall_eventlog.tables import command_receipts, events, streams
from meldhall_eventlog.types import GENESIS_HASH, Append, Position, StoredEvent

Stored = tuple[StoredEvent, ...]
_Before = tuple[int, bytes]
"""``public_seq`` and hash of a stream before an append."""

_FIELDS: Final = {
    "stream": Text,
    "expected": BigInteger,
    "epoch": BigInteger,
    "command": Text,
    "events": BigInteger,
    "publics": BigInteger,
    "wake": BigInteger,
}
"""What an append wants of its stream's row."""

_last_hash: Final = (
    select(events.c.hash)
    # By its text: of SQLite's RETURNING, SQLAlchemy leaves the table out, and events have a stream_id too.
    .where(events.c.stream_id == literal_column("streams.stream_id", Text))
    .order_by(events.c.version.desc())
    .limit(1)
    .scalar_subquery()
)
"""The hash before the append: when it is read the row has moved, but the new events are not there."""

_insert_events: Final = insert(events).returning(
    events.c.stream_id, events.c.version, events.c.tx, events.c.position
)
_insert_receipts: Final = insert(command_receipts)


def _advance(wanted: Mapping[str, ColumnElement[Any]]) -> Update:
    answered = exists().where(
        command_receipts.c.stream_id == streams.c.stream_id,
        command_receipts.c.command_id == wanted["command"],
    )
    return (
        update(streams)
        .where(
            streams.c.stream_id == wanted["stream"],
            streams.c.version == wanted["expected"],
            streams.c.owner_epoch == wanted["epoch"],
            ~streams.c.closed,
            ~answered,
        )
        .values(
            version=streams.c.version + wanted["events"],
            public_seq=streams.c.public_seq + wanted["publics"],
            wake_at_ms=wanted["wake"],
        )
        .returning(streams.c.stream_id, streams.c.public_seq, _last_hash)
    )


def _advance_on_sqlite() -> Update:
    value = func.json_each(bindparam("wanted", type_=JSON)).table_valued("value", name="wanted").c.value
    return _advance({name: func.json_extract(value, f"$.{name}") for name in _FIELDS})


def _advance_on_postgres() -> Update:
    columns: list[ColumnClause[Any]] = [column(name, kind) for name, kind in _FIELDS.items()]
    wanted = func.jsonb_to_recordset(bindparam("wanted", type_=JSONB))
    rows = wanted.table_valued(*columns, name="wanted").render_derived(with_types=True)
    return _advance({name: rows.c[name] for name in _FIELDS})


_ADVANCE: Final = {"sqlite": _advance_on_sqlite(), "postgresql": _advance_on_postgres()}


def append(connection: Connection, request: Append) -> Stored:
    """Append a valid request; see ``EventLog.append`` for the errors."""
    try:
        (outcome,) = append_all(connection, [request])
    except IntegrityError as error:
        raise InvalidAppend(
            f"stream {request.stream_id}: the database refused the events: {told(error)}"
        ) from error
    if isinstance(outcome, EventLogError):
        raise outcome
    return outcome


def append_all(connection: Connection, requests: Sequence[Append]) -> Sequence[Stored | EventLogError]:
    """Append valid requests, each to another stream, and return what came of each.

    Raises:
        IntegrityError: the database refused an event, it is not known whose; the transaction cannot go on.
    """
    before = _advance_streams(connection, [one for one in requests if one.expected_version])
    for request in requests:
        if not request.expected_version and _create_stream(connection, request):
            before[request.stream_id] = 0, GENESIS_HASH
    accepted = [request for request in requests if request.stream_id in before]
    stored = _insert(connection, accepted, before) if accepted else {}
    return [stored.get(request.stream_id) or _refusal(connection, request) for request in requests]


def _advance_streams(connection: Connection, requests: Sequence[Append]) -> dict[str, _Before]:
    """Move the rows of streams on; return, of those that were moved, what was before."""
    if not requests:
        return {}
    publics = {request.stream_id: _publics(request) for request in requests}
    wanted = [
        {
            "stream": request.stream_id,
            "expected": request.expected_version,
            "epoch": request.epoch,
            "command": request.command_id,
            "events": len(request.events),
            "publics": publics[request.stream_id],
            "wake": request.wake_at_ms,
        }
        for request in requests
    ]
    advance = _ADVANCE[connection.dialect.name]
    return {
        stream_id: (public_seq - publics[stream_id], last_hash)
        for stream_id, public_seq, last_hash in connection.execute(advance, {"wanted": wanted})
    }


def _create_stream(connection: Connection, request: Append) -> bool:
    """Insert the row of a new stream; tell whether there was none."""
    row = {
        "stream_id": request.stream_id,
        "category": request.category,
        "shard": request.shard,
        "version": len(request.events),
        "public_seq": _publics(request),
        "owner_epoch": request.epoch,
        "closed": False,
        "wake_at_ms": request.wake_at_ms,
    }
    return insert_if_absent(connection, streams, row)


def _insert(
    connection: Connection, requests: Sequence[Append], before: Mapping[str, _Before]
) -> dict[str, Stored]:
    """Insert events and receipts of streams whose rows have been moved."""
    rows = {request.stream_id: _event_rows(request, *before[request.stream_id]) for request in requests}
    inserted = connection.execute(_insert_events, [row for one in rows.values() for row in one])
    positions = {(row.stream_id, row.version): Position(row.tx, row.position) for row in inserted}
    receipts = [_receipt_row(request) for request in requests if request.command_id is not None]
    if receipts:
        connection.execute(_insert_receipts, receipts)
    return {
        request.stream_id: tuple(
            _stored(request, row, positions[request.stream_id, row["version"]])
            for row in rows[request.stream_id]
        )
        for request in requests
    }


def _publics(request: Append) -> int:
    return sum(event.public for event in request.events)


def _receipt_row(request: Append) -> dict[str, Any]:
    return {
        "stream_id": request.stream_id,
        "command_id": request.command_id,
        "first_version": request.expected_version + 1,
        "last_version": request.expected_version + len(request.events),
        "response": request.response,
    }


def _refusal(connection: Connection, request: Append) -> EventLogError:
    """Say why the guards let nothing through.

    A repeated command wins over everything, then the archive, the fence, a closed stream, the version.
    """
    if request.command_id is not None:
        answered = receipt(connection, request.stream_id, request.command_id)
        if answered is not None:
            return DuplicateCommand(answered)
    stream = info(connection, request.stream_id)
    if stream is None:
        return WrongVersion(request.stream_id, expected=request.expected_version, actual=0)
    if stream.archive:
        return StreamArchived(request.stream_id, stream.archive)
    if stream.owner_epoch != request.epoch:
        return Fenced(request.stream_id, epoch=request.epoch, owner_epoch=stream.owner_epoch)
    if stream.closed:
        return StreamClosed(request.stream_id)
    return WrongVersion(request.stream_id, expected=request.expected_version, actual=stream.version)


def _event_rows(request: Append, public_seq: int, prev_hash: bytes) -> list[dict[str, Any]]:
    meta = request.meta
    rows = []
    for version, event in enumerate(request.events, request.expected_version + 1):
        public_seq += event.public
        this_hash = event_hash(prev_hash, request.stream_id, version, event.type, event.payload)
        rows.append(
            {
                "stream_id": request.stream_id,
                "version": version,
                "public_seq": public_seq if event.public else None,
                "event_id": str(event.event_id),
                "type": event.type,
                "schema_version": event.schema_version,
                "payload": event.payload,
                "command_id": request.command_id,
                "actor": meta.actor,
                "correlation_id": meta.correlation_id,
                "causation_id": meta.causation_id,
                "traceparent": meta.traceparent,
                "epoch": request.epoch,
                "recorded_at_ms": request.recorded_at_ms,
                "prev_hash": prev_hash,
                "hash": this_hash,
            }
        )
        prev_hash = this_hash
    return rows


def _stored(request: Append, row: dict[str, Any], position: Position) -> StoredEvent:
    event = request.events[row["version"] - request.expected_version - 1]
    return StoredEvent(
        position=position,
        stream_id=request.stream_id,
        version=row["version"],
        public_seq=row["public_seq"],
        event_id=event.event_id,
        type=event.type,
        schema_version=event.schema_version,
        payload=event.payload,
        command_id=request.command_id,
        meta=request.meta,
        epoch=request.epoch,
        recorded_at_ms=request.recorded_at_ms,
        prev_hash=row["prev_hash"],
        hash=row["hash"],
    )
