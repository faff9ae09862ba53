"""The course of a tournament: rounds, breaks, the end, and what is due by itself."""

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import entering
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.prizes import dues_at_close
from meldhall_tournament.domain.refusals import Code, Refusal
from meldhall_tournament.domain.seating import pairable, rounds_of, seat_round
from meldhall_tournament.domain.state import Fee, Pairing, Phase, Tournament

Command = c.PairRound | c.Pause | c.Resume | c.Cancel | c.Close | c.NoteMoney
Decision = tuple[e.Event, ...] | Refusal

FEE_GRACE_MS = 60_000
"""How long a start waits for the ledger's answers about fees."""

TABLE_GRACE_MS = 60_000
"""How long a table's own end may be on its way before its time counts as over."""


def decide(state: Tournament, command: Command, now_ms: int) -> Decision:
    """See ``meldhall_tournament.domain.decide``."""
    if isinstance(command, c.NoteMoney):
        return () if command.key in state.moved else (e.MoneyMoved(command.key, now_ms),)
    if state.phase.is_over:
        same = isinstance(command, c.Close) and state.phase is Phase.CLOSED
        same = same or (isinstance(command, c.Cancel) and state.phase is Phase.CANCELLED)
        return () if same else Refusal(Code.IS_OVER, f"the tournament is {state.phase}")
    match command:
        case c.PairRound():
            return _pair(state, command.round, now_ms)
        case c.Pause():
            return () if state.paused else (e.Paused(command.reason, command.by, now_ms),)
        case c.Resume():
            if state.paused is None:
                return Refusal(Code.NOT_PAUSED, "the tournament is not paused")
            return (e.Resumed(command.by, now_ms),)
        case c.Cancel():
            return (e.Cancelled(command.reason, command.by, now_ms),)
        case c.Close():
            return _close(state, now_ms)


def _refuse_going_on(state: Tournament) -> Refusal | None:
    if state.phase is not Phase.RUNNING:
        return Refusal(Code.NOT_RUNNING, "the tournament has not started")
    if state.paused is not None:
        return Refusal(Code.IS_PAUSED, f"paused: {state.paused.reason}")
    if state.round_is_open:
        return Refusal(Code.NOT_DUE, f"round {len(state.rounds)} is being played")
    return None


def _pair(state: Tournament, number: int, now_ms: int) -> Decision:
    if 1 <= number <= len(state.rounds):
        return ()
    refused = _refuse_going_on(state)
    if refused is not None:
        return refused
    if number != len(state.rounds) + 1 or is_finished(state):
        return Refusal(Code.NOT_DUE, f"round {number} does not follow round {len(state.rounds)}")
    return (e.RoundPaired(number, seat_round(state), now_ms),)


def is_finished(state: Tournament) -> bool:
    """Whether no further round can be paired: all are played, or fewer than two are left."""
    if len(state.rounds) >= rounds_of(state):
        return True
    if state.plan.knock_out and state.rounds:
        return sum(bool(state.winner_of(pairing)) for pairing in state.rounds[-1]) < 2
    return len(pairable(state)) < 2


def _close(state: Tournament, now_ms: int) -> Decision:
    refused = _refuse_going_on(state)
    if refused is not None:
        return refused
    if not is_finished(state):
        return Refusal(Code.NOT_DUE, f"{rounds_of(state) - len(state.rounds)} rounds are left")
    return (e.Closed(now_ms), *dues_at_close(state, now_ms))


def due(state: Tournament, now_ms: int, seed: bytes) -> c.Command | None:
    """Return what happens by itself next, None while there is nothing to do."""
    if state.phase.is_over or state.paused is not None:
        return None
    if state.phase is Phase.OPEN:
        return c.Start(seed) if _start_is_due(state, now_ms) else None
    for round_no, table, pairing in state.undecided():
        if pairing.table_id and now_ms >= deadline_of(state, pairing):
            sides = tuple(e.SideResult(place=1, came=False) for _ in pairing.entrants)
            return c.Record(round_no, table, sides, e.Source.TIMEOUT, pairing.attempt, entering.BY_RULE)
    if state.round_is_open:
        return None
    return c.Close() if is_finished(state) else c.PairRound(len(state.rounds) + 1)


def _start_is_due(state: Tournament, now_ms: int) -> bool:
    plan = state.plan
    if plan.sit_and_go:
        return entering.is_full(state)
    if now_ms < plan.starts_at_ms:
        return False
    waiting = any(state.entries[number].fee is Fee.ASKED for number in state.counting)
    return not waiting or now_ms >= plan.starts_at_ms + FEE_GRACE_MS


def deadline_of(state: Tournament, pairing: Pairing) -> int:
    """Return when a table is decided by rule, in Unix milliseconds."""
    return pairing.opened_at_ms + state.plan.join_ms + state.plan.table_ms + TABLE_GRACE_MS


def wakes_at(state: Tournament) -> int | None:
    """Return when ``due`` may have something to say though nothing else happens, in Unix milliseconds."""
    if state.phase.is_over or state.paused is not None:
        return None
    if state.phase is Phase.OPEN:
        return None if state.plan.sit_and_go else state.plan.starts_at_ms
    return min((deadline_of(state, one) for _, _, one in state.undecided() if one.table_id), default=None)
