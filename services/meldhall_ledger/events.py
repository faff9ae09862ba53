"""Reads a table's envelopes: what each event means to the ledger, and whether it can be read at all."""

from typing import Final

from google.protobuf.message import DecodeError

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.common.v1.game_pb2 import MODE_ARENA, MODE_FRIENDS, MODE_QUICK, MODE_TOURNAMENT
from meldhall.table.v1 import table_events_pb2 as pb
from meldhall_ledger.domain.happenings import (
    ArenaOpened,
    Happening,
    JokerSpent,
    NothingToPost,
    Numbered,
    TableClosed,
)
from meldhall_ledger.domain.matches import MatchEnded
from meldhall_ledger.domain.refusals import Fault, FaultCode
from meldhall_ledger.domain.rounds import RoundEnded
from meldhall_rules.match import Mode

TABLE_CREATED: Final = pb.TableCreated.DESCRIPTOR.full_name
ROUND_ENDED: Final = pb.RoundEnded.DESCRIPTOR.full_name
JOKER_SPENT: Final = pb.JokerSpent.DESCRIPTOR.full_name
MATCH_ENDED: Final = pb.MatchEnded.DESCRIPTOR.full_name
TABLE_CLOSED: Final = pb.TableClosed.DESCRIPTOR.full_name

KNOWN_SCHEMA: Final = 1

_MODES: Final[dict[int, Mode]] = {
    MODE_FRIENDS: Mode.FRIENDS,
    MODE_QUICK: Mode.QUICK,
    MODE_ARENA: Mode.ARENA,
    MODE_TOURNAMENT: Mode.TOURNAMENT,
}


def read_event(envelope: EventEnvelope) -> Numbered:
    """Return what an envelope says; a fault in place of the happening where it cannot be understood.

    Types that the ledger does not know move nothing. A newer schema of one that it does know is a fault: what
    it moves would be a guess.
    """
    return Numbered(envelope.stream_id, envelope.sequence, _happening(envelope), envelope.recorded_at_ms)


def _happening(envelope: EventEnvelope) -> Happening | Fault:
    if envelope.type == TABLE_CLOSED:
        return TableClosed(envelope.stream_id)
    if envelope.type not in {TABLE_CREATED, ROUND_ENDED, MATCH_ENDED, JOKER_SPENT}:
        return NothingToPost()
    if envelope.schema_version > KNOWN_SCHEMA:
        return Fault(FaultCode.MALFORMED, f"schema {envelope.schema_version} of {envelope.type} is not known")
    try:
        if envelope.type == TABLE_CREATED:
            return _opened(envelope.stream_id, pb.TableCreated.FromString(envelope.payload))
        if envelope.type == JOKER_SPENT:
            return _joker_spent(envelope.stream_id, pb.JokerSpent.FromString(envelope.payload))
        if envelope.type == MATCH_ENDED:
            return _match_ended(envelope.stream_id, pb.MatchEnded.FromString(envelope.payload))
        return _round_ended(envelope.stream_id, pb.RoundEnded.FromString(envelope.payload))
    except DecodeError:
        return Fault(FaultCode.MALFORMED, f"the payload is no {envelope.type}")


def _opened(stream_id: str, event: pb.TableCreated) -> ArenaOpened | NothingToPost:
    form = event.format
    if form.mode != MODE_ARENA:
        return NothingToPost()
    return ArenaOpened(stream_id, form.stake, form.rake_bps, event.seats)


def _joker_spent(stream_id: str, event: pb.JokerSpent) -> JokerSpent:
    return JokerSpent(stream_id, event.round, event.seat, event.player_id)


def _round_ended(stream_id: str, event: pb.RoundEnded) -> RoundEnded | Fault:
    if event.table_id != stream_id:
        return Fault(FaultCode.FOREIGN, f"a round of table {event.table_id} in the stream of {stream_id}")
    return RoundEnded(
        table_id=event.table_id,
        round=event.result.round,
        game=event.game,
        mode=_MODES.get(event.mode),
        players=tuple(event.players),
        bots=tuple(event.bots),
        scores=tuple(event.result.scores),
        account_changes=tuple(event.account_changes),
    )


def _match_ended(stream_id: str, event: pb.MatchEnded) -> MatchEnded | Fault:
    if event.table_id != stream_id:
        return Fault(FaultCode.FOREIGN, f"a match of table {event.table_id} in the stream of {stream_id}")
    return MatchEnded(
        table_id=event.table_id,
        game=event.game,
        mode=_MODES.get(event.mode),
        players=tuple(event.players),
        bots=tuple(event.bots),
        winners=tuple(event.result.winners),
        totals=tuple(event.result.totals),
        rounds=event.result.rounds,
        account_changes=tuple(event.account_changes),
        stake_changes=tuple(event.stake_changes),
    )
