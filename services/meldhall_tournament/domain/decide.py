"""``decide``: what a command makes happen, as events, or why not. Changes nothing."""

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import course, entering, results
from meldhall_tournament.domain.events import Announced, Event
from meldhall_tournament.domain.lots import SEED_BYTES, commitment
from meldhall_tournament.domain.plan import refuse_plan
from meldhall_tournament.domain.refusals import Code, Refusal
from meldhall_tournament.domain.state import Tournament

Decision = tuple[Event, ...] | Refusal


def announce(command: c.Announce, now_ms: int) -> Decision:
    """Decide about a tournament that is not there yet."""
    refused = refuse_plan(command.plan)
    if refused is not None:
        return refused
    if len(command.seed) != SEED_BYTES:
        return Refusal(Code.BAD_PLAN, f"a seed has {SEED_BYTES} bytes", {"field": "seed"})
    return (Announced(command.tournament_id, command.plan, commitment(command.seed), command.by, now_ms),)


def decide(state: Tournament, command: c.Command, now_ms: int) -> Decision:
    """Return what happens; nothing where it has happened already."""
    match command:
        case c.Announce():
            same = command.plan == state.plan
            return () if same else Refusal(Code.TOURNAMENT_EXISTS, "another plan has this id")
        case c.Register() | c.AnswerFee() | c.CheckIn() | c.Withdraw() | c.Start():
            return entering.decide(state, command, now_ms)
        case c.Record() | c.Void() | c.Disqualify() | c.NoteTable() | c.LoseTable():
            return results.decide(state, command, now_ms)
        case c.PairRound() | c.Pause() | c.Resume() | c.Cancel() | c.Close() | c.NoteMoney():
            return course.decide(state, command, now_ms)
