"""What a table gave: its public events, read from the first to the last, as a result by side."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from meldhall.common.v1.envelope_pb2 import EventEnvelope
from meldhall.table.v1 import table_events_pb2 as pb
from meldhall_tournament.domain.events import SideResult, Source

MATCH_ENDED = pb.MatchEnded.DESCRIPTOR.full_name
TABLE_CLOSED = pb.TableClosed.DESCRIPTOR.full_name
ENDS = frozenset({MATCH_ENDED, TABLE_CLOSED})
"""Types of events after which a table has an outcome."""

_SEAT_TAKEN = pb.SeatTaken.DESCRIPTOR.full_name
_ROUND_ENDED = pb.RoundEnded.DESCRIPTOR.full_name


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a table ended."""

    sides: tuple[SideResult, ...]
    source: Source


def outcome_of(envelopes: Iterable[EventEnvelope], sides: int, *, lowest_wins: bool) -> Outcome | None:
    """Return what a table of so many sides gave, None while it is played.

    A match that was decided ranks its winners first and the others by their totals. A table that closed
    without one ranks who came by the totals so far, and who did not come behind them.

    Args:
        envelopes: the public events of the table, all of them, in order.
        sides: of the table; a seat belongs to the side of its number modulo this.
        lowest_wins: whether totals are penalties.

    Raises:
        ValueError: the events do not fit a table of so many sides.
    """
    came: set[int] = set()
    won, totals = [0] * sides, [0] * sides
    winners: Sequence[int] | None = None
    closed = False
    for envelope in envelopes:
        if envelope.type == _SEAT_TAKEN:
            came.add(pb.SeatTaken.FromString(envelope.payload).seat % sides)
        elif envelope.type == _ROUND_ENDED:
            result = pb.RoundEnded.FromString(envelope.payload).result
            totals = list(result.totals)
            if result.HasField("winner"):
                won[result.winner] += 1
        elif envelope.type == MATCH_ENDED:
            match = pb.MatchEnded.FromString(envelope.payload).result
            totals, winners = list(match.totals), list(match.winners)
        elif envelope.type == TABLE_CLOSED:
            closed = True
    if winners is None and not closed:
        return None
    if len(totals) != sides or (winners is not None and not set(winners) <= set(range(sides))):
        raise ValueError(f"a result of {len(totals)} sides at a table of {sides}")
    own = [-total if lowest_wins else total for total in totals]
    if winners is not None:
        places = _places([(side in winners, own[side]) for side in range(sides)], set(winners))
        return Outcome(_sides(places, own, won, set(range(sides))), Source.MATCH)
    places = _places([(side in came, own[side]) for side in range(sides)], set())
    return Outcome(_sides(places, own, won, came), Source.FORFEIT)


def _places(keys: Sequence[tuple[bool, int]], winners: set[int]) -> list[int]:
    """Return places from keys of which the highest is the best; winners share the first."""

    def ahead(side: int, other: int) -> bool:
        return other in winners or keys[other] > keys[side]

    every = range(len(keys))
    return [1 if side in winners else 1 + sum(ahead(side, other) for other in every) for side in every]


def _sides(
    places: Sequence[int], own: Sequence[int], won: Sequence[int], came: set[int]
) -> tuple[SideResult, ...]:
    return tuple(
        SideResult(places[side], own[side], won[side], came=side in came) for side in range(len(places))
    )
