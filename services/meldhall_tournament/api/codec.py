"""Tournaments as messages."""

from collections import Counter
from typing import Final

from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall_contracts.options import to_message
from meldhall_tournament.domain.events import SideResult, Source
from meldhall_tournament.domain.money import is_settled
from meldhall_tournament.domain.plan import Format
from meldhall_tournament.domain.seating import rounds_of
from meldhall_tournament.domain.standings import Row
from meldhall_tournament.domain.state import Entry, Fee, Out, Pairing, Phase, Tournament

_FORMATS: Final = {
    Format.FIXED_ROUNDS: pb.TOURNAMENT_FORMAT_FIXED_ROUNDS,
    Format.SWISS: pb.TOURNAMENT_FORMAT_SWISS,
    Format.SINGLE_ELIMINATION: pb.TOURNAMENT_FORMAT_SINGLE_ELIMINATION,
}
_STATES: Final = {
    Phase.OPEN: pb.TOURNAMENT_STATE_OPEN,
    Phase.RUNNING: pb.TOURNAMENT_STATE_RUNNING,
    Phase.CLOSED: pb.TOURNAMENT_STATE_CLOSED,
    Phase.CANCELLED: pb.TOURNAMENT_STATE_CANCELLED,
}
_SOURCES: Final = {
    Source.MATCH: pb.RESULT_SOURCE_MATCH,
    Source.FORFEIT: pb.RESULT_SOURCE_FORFEIT,
    Source.TIMEOUT: pb.RESULT_SOURCE_TIMEOUT,
    Source.OPERATOR: pb.RESULT_SOURCE_OPERATOR,
}


def write_tournament(state: Tournament) -> pb.Tournament:
    """Write a tournament as it was announced, and how far it is."""
    plan = state.plan
    return pb.Tournament(
        tournament_id=state.tournament_id,
        title=plan.title,
        format=_FORMATS[plan.format],
        options=to_message(plan.game, dict(plan.options)),
        seats=plan.sides * plan.team_size,
        rounds=plan.rounds,
        entry_fee=plan.entry_fee,
        starts_at_unix_ms=plan.starts_at_ms,
        opens_at_unix_ms=plan.opens_at_ms,
        sit_and_go=plan.sit_and_go,
        check_in_ms=plan.check_in_ms,
        late_until_round=plan.late_until_round,
        minimum=plan.minimum,
        maximum=plan.maximum,
        entries_each=plan.entries_each,
        prizes=pb.PrizeTable(
            shares_bps=plan.prizes.shares, amounts=plan.prizes.amounts, guaranteed=plan.prizes.guaranteed
        ),
        match_rounds=plan.match_rounds,
        match_target=plan.target,
        drawn_partners=plan.drawn_partners,
        table_ms=plan.table_ms,
        join_ms=plan.join_ms,
        shared_places=not plan.lots_decide,
        status=_status(state),
    )


def _status(state: Tournament) -> pb.TournamentStatus:
    knows_rounds = state.started is not None or not state.plan.knock_out
    return pb.TournamentStatus(
        state=_STATES[state.phase],
        version=state.version,
        entries=len(state.counting),
        round=len(state.rounds),
        rounds=rounds_of(state) if knows_rounds else 0,
        tables_open=sum(1 for _ in state.undecided()),
        paused=state.paused.reason if state.paused else "",
        cancelled=state.cancelled.reason if state.cancelled else "",
        commitment=state.announced.commitment,
        seed=state.started.seed if state.started else b"",
        settled=is_settled(state),
    )


def write_own(state: Tournament, player: str, table_address: str) -> pb.OwnEntry:
    """Write a player's part in a tournament; empty where he has none."""
    numbers = state.entries_of.get(player)
    if not numbers:
        return pb.OwnEntry()
    entry = state.entries[numbers[-1]]
    own = pb.OwnEntry(entry=entry.number, state=_entry_state(state, entry), entrant=entry.entrant)
    if entry.entrant:
        contestant = state.contestants[entry.entrant]
        own.absent = contestant.absent
        if contestant.sat and contestant.sat[-1][0] == len(state.rounds) and not state.phase.is_over:
            pairing = state.pairing(*contestant.sat[-1])
            if pairing is not None and pairing.table_id and not pairing.is_decided:
                own.table_id, own.table_address = pairing.table_id, table_address
    return own


def _entry_state(state: Tournament, entry: Entry) -> pb.EntryState:
    if entry.entrant and state.contestants[entry.entrant].out is Out.DISQUALIFIED:
        return pb.ENTRY_STATE_DISQUALIFIED
    if entry.fee is Fee.REFUSED:
        return pb.ENTRY_STATE_REFUSED
    if entry.withdrawn:
        return pb.ENTRY_STATE_WITHDRAWN
    return pb.ENTRY_STATE_PENDING if entry.fee is Fee.ASKED else pb.ENTRY_STATE_ENTERED


def won_by_player(state: Tournament) -> Counter[str]:
    """Add up prizes, player by player, decisions after the close included."""
    won: Counter[str] = Counter()
    for due in state.dues:
        won[due.player] += due.amount
    return won


def write_standing(row: Row, won: Counter[str]) -> pb.Standing:
    """Write an entrant's place with every value that decided it, in the order in which they do."""
    values = (
        ("wins", row.wins),
        ("own", row.own),
        ("head_to_head", row.head_to_head),
        ("opponents", row.opponents),
        ("rounds_won", row.rounds_won),
        ("lot", row.lot),
    )
    return pb.Standing(
        place=row.place,
        player_id=row.players[0],
        score=row.points,
        tie_breaks=[pb.TieBreak(name=name, value=value) for name, value in values],
        entrant=row.number,
        players=row.players,
        out=row.out.value,
        prize=sum(won[player] for player in row.players),
    )


def write_pairing(state: Tournament, table: int, pairing: Pairing) -> pb.Pairing:
    """Write a table of a round."""
    result = pairing.result
    results = result.sides if result else ()
    message = pb.Pairing(
        table=table,
        table_id=pairing.table_id,
        attempt=pairing.attempt,
        source=_SOURCES[result.source] if result else pb.RESULT_SOURCE_UNSPECIFIED,
        voided=pairing.voided,
        decided_by=result.by if result else "",
        has_late_result=pairing.late is not None,
    )
    for at, number in enumerate(pairing.entrants):
        players = state.contestants[number].entrant.players
        side = message.sides.add(entrant=number, players=players)
        if at < len(results):
            side.result.CopyFrom(_side(results[at]))
    return message


def _side(side: SideResult) -> pb.SideResult:
    return pb.SideResult(
        place=side.place, own=side.own, rounds_won=side.rounds_won, did_not_come=not side.came
    )
