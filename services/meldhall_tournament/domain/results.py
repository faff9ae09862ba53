"""What tables give: results, late ones, and what operators decide about them."""

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.plan import Format
from meldhall_tournament.domain.prizes import dues_after
from meldhall_tournament.domain.refusals import Code, Refusal
from meldhall_tournament.domain.state import Out, Pairing, Phase, Tournament

Command = c.Record | c.Void | c.Disqualify | c.NoteTable | c.LoseTable
Decision = tuple[e.Event, ...] | Refusal


def decide(state: Tournament, command: Command, now_ms: int) -> Decision:
    """See ``meldhall_tournament.domain.decide``."""
    if isinstance(command, c.Disqualify):
        return _disqualify(state, command, now_ms)
    pairing = state.pairing(command.round, command.table)
    if pairing is None or pairing.is_bye:
        return Refusal(Code.NO_SUCH_TABLE, f"nobody plays at table {command.table} of round {command.round}")
    match command:
        case c.NoteTable():
            return _note_table(state, command, pairing, now_ms)
        case c.LoseTable():
            if pairing.is_decided or command.attempt != pairing.attempt or not pairing.table_id:
                return ()
            return (e.TableLost(command.round, command.table, command.attempt, now_ms),)
        case c.Record():
            return _record(state, command, pairing, now_ms)
        case c.Void():
            return _void(state, command, pairing, now_ms)


def _note_table(state: Tournament, command: c.NoteTable, pairing: Pairing, now_ms: int) -> Decision:
    if state.phase is not Phase.RUNNING:
        return Refusal(Code.NOT_RUNNING, f"the tournament is {state.phase}")
    if command.attempt != pairing.attempt or pairing.table_id or pairing.is_decided:
        return ()
    opened = e.TableOpened(command.round, command.table, command.attempt, command.table_id, now_ms)
    return (opened,)


def _record(state: Tournament, command: c.Record, pairing: Pairing, now_ms: int) -> Decision:
    if len(command.sides) != len(pairing.entrants) or any(side.place < 1 for side in command.sides):
        return Refusal(Code.BAD_RESULT, f"a result has {len(pairing.entrants)} sides and places from 1")
    by_operator = command.source is e.Source.OPERATOR
    if state.phase is Phase.CANCELLED:
        return Refusal(Code.IS_OVER, "the tournament is cancelled") if by_operator else ()
    if command.attempt != pairing.attempt and not by_operator:
        # Of a table that is not played for any more.
        return ()
    decided = pairing.result is not None or (pairing.voided and not by_operator)
    if decided or (state.phase is Phase.CLOSED and not by_operator):
        return _late(command, pairing, now_ms)
    recorded = e.ResultRecorded(
        command.round, command.table, command.sides, command.source, command.by, now_ms
    )
    if state.phase is Phase.CLOSED:
        return (recorded, *dues_after(state, (recorded,), now_ms))
    return (recorded,)


def _late(command: c.Record, pairing: Pairing, now_ms: int) -> Decision:
    """Note what comes too late, once; the same result again is no news."""
    if command.source is e.Source.OPERATOR:
        return Refusal(Code.HAS_RESULT, "the table has a result; void it first")
    known = pairing.result is not None and pairing.result.sides == command.sides
    if known or command.source is e.Source.TIMEOUT or pairing.late is not None:
        return ()
    return (e.LateResultNoted(command.round, command.table, command.sides, now_ms),)


def _void(state: Tournament, command: c.Void, pairing: Pairing, now_ms: int) -> Decision:
    if state.phase not in {Phase.RUNNING, Phase.CLOSED}:
        return Refusal(Code.NOT_RUNNING, f"the tournament is {state.phase}")
    if pairing.result is None:
        return Refusal(Code.NO_RESULT, "the table has no result")
    is_last = command.round == len(state.rounds) and state.phase is Phase.RUNNING
    if command.replay and not is_last:
        return Refusal(Code.CANNOT_REPLAY, "only a table of the round that is played is played again")
    if not command.replay and is_last and state.plan.format is Format.SINGLE_ELIMINATION:
        return Refusal(Code.NEEDS_RESULT, "somebody has to go on: replay the table")
    voided = e.ResultVoided(command.round, command.table, command.replay, command.reason, command.by, now_ms)
    if state.phase is Phase.CLOSED:
        return (voided, *dues_after(state, (voided,), now_ms))
    return (voided,)


def _disqualify(state: Tournament, command: c.Disqualify, now_ms: int) -> Decision:
    contestant = state.contestants.get(command.entrant)
    if contestant is None:
        return Refusal(Code.NO_SUCH_ENTRANT, f"there is no entrant {command.entrant}")
    if state.phase is Phase.CANCELLED:
        return Refusal(Code.IS_OVER, "the tournament is cancelled")
    if contestant.out is Out.DISQUALIFIED:
        return ()
    out = e.Disqualified(command.entrant, command.reason, command.by, now_ms)
    if state.phase is Phase.CLOSED:
        return (out, *dues_after(state, (out,), now_ms))
    return (out,)
