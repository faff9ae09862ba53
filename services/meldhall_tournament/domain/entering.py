"""Entries: who registers, checks in, withdraws, and who plays when it starts."""

from collections.abc import Sequence

from meldhall_tournament.domain import commands as c
from meldhall_tournament.domain import events as e
from meldhall_tournament.domain.lots import commitment, lot
from meldhall_tournament.domain.refusals import Code, Refusal
from meldhall_tournament.domain.state import Entry, Fee, Out, Phase, Tournament

Command = c.Register | c.AnswerFee | c.CheckIn | c.Withdraw | c.Start
Decision = tuple[e.Event, ...] | Refusal

BY_RULE = "meldhall"
"""Who does what the rules of tournaments say."""


def decide(state: Tournament, command: Command, now_ms: int) -> Decision:
    """See ``meldhall_tournament.domain.decide``."""
    if state.phase.is_over and not isinstance(command, c.AnswerFee):
        return Refusal(Code.IS_OVER, f"the tournament is {state.phase}")
    match command:
        case c.Register():
            return _register(state, command, now_ms)
        case c.AnswerFee():
            return _answer_fee(state, command, now_ms)
        case c.CheckIn():
            return _check_in(state, command.player, now_ms)
        case c.Withdraw():
            entry = state.entry_of(command.player)
            if entry is None:
                return Refusal(Code.NOT_ENTERED, "the player has no entry that counts")
            return (e.Withdrawn(entry.number, now_ms),)
        case c.Start():
            return _start(state, command.seed, now_ms)


def takes_late(state: Tournament) -> bool:
    """Whether who enters now is still paired in a round that late entrants may play."""
    return len(state.rounds) < state.plan.late_until_round


def _register(state: Tournament, command: c.Register, now_ms: int) -> Decision:
    plan = state.plan
    if state.phase is Phase.RUNNING and not takes_late(state):
        return Refusal(Code.NOT_OPEN, "registration is over")
    if state.phase is Phase.OPEN and now_ms < plan.opens_at_ms:
        return Refusal(Code.NOT_OPEN, "registration has not begun", {"opens_at_ms": str(plan.opens_at_ms)})
    refused = _refuse_partner(state, command) or _refuse_again(state, command.player)
    if refused is not None:
        return refused
    if len(state.counting) >= plan.maximum:
        return Refusal(Code.FULL, f"there are {plan.maximum} entries", {"maximum": str(plan.maximum)})
    number = len(state.entries) + 1
    registered = e.Registered(number, command.player, command.partner, now_ms)
    if plan.entry_fee:
        return (registered,)
    return (registered, e.FeeHeld(number, now_ms), *_admit_late(state, number, command.player, now_ms))


def _refuse_partner(state: Tournament, command: c.Register) -> Refusal | None:
    plan = state.plan
    chooses = plan.team_size > 1 and not plan.drawn_partners
    if bool(command.partner) is not chooses:
        detail = "name a partner" if chooses else "partners are not chosen here"
        return Refusal(Code.BAD_PARTNER, detail)
    if command.partner == command.player:
        return Refusal(Code.BAD_PARTNER, "nobody is his own partner")
    return None


def _refuse_again(state: Tournament, player: str) -> Refusal | None:
    entry = state.entry_of(player)
    if entry is not None and not _is_out(state, entry):
        facts = {"entry": str(entry.number)}
        return Refusal(Code.ALREADY_ENTERED, f"the player has entry {entry.number}", facts)
    had = [n for n in state.entries_of.get(player, ()) if state.entries[n].fee is not Fee.REFUSED]
    taken_back = [n for n in had if state.entries[n].withdrawn and not state.entries[n].entrant]
    if len(had) - len(taken_back) >= state.plan.entries_each:
        return Refusal(Code.NO_RE_ENTRY, f"the player has had {len(had)} entries")
    return None


def _is_out(state: Tournament, entry: Entry) -> bool:
    return bool(entry.entrant) and state.contestants[entry.entrant].out is Out.WITHDRAWN


def _answer_fee(state: Tournament, command: c.AnswerFee, now_ms: int) -> Decision:
    entry = state.entries.get(command.entry)
    if entry is None:
        return Refusal(Code.NOT_ENTERED, f"there is no entry {command.entry}")
    if entry.fee is not Fee.ASKED:
        return ()
    if command.code:
        return (e.FeeRefused(entry.number, command.code, now_ms),)
    held = e.FeeHeld(entry.number, now_ms)
    if entry.withdrawn:
        return (held,)
    return (held, *_admit_late(state, entry.number, entry.player, now_ms))


def _admit_late(state: Tournament, number: int, player: str, now_ms: int) -> tuple[e.Event, ...]:
    if state.phase is not Phase.RUNNING or not takes_late(state):
        return ()
    return (e.Admitted(e.Entrant(number, (player,), (number,)), now_ms),)


def _check_in(state: Tournament, player: str, now_ms: int) -> Decision:
    entry = state.entry_of(player)
    if entry is None:
        return Refusal(Code.NOT_ENTERED, "the player has no entry that counts")
    if state.phase is Phase.OPEN:
        plan = state.plan
        if not plan.check_in_ms or now_ms < plan.check_in_at_ms:
            return Refusal(Code.NOT_CHECK_IN_TIME, "check-in has not begun, or there is none")
        return () if entry.checked_in else (e.CheckedIn(player, now_ms),)
    absent = bool(entry.entrant) and state.contestants[entry.entrant].absent
    return (e.CheckedIn(player, now_ms),) if absent else ()


def is_full(state: Tournament) -> bool:
    """Whether every place is taken by an entry whose fee is held."""
    held = sum(state.entries[number].fee is Fee.HELD for number in state.counting)
    return held >= state.plan.maximum


def _start(state: Tournament, seed: bytes, now_ms: int) -> Decision:
    plan = state.plan
    if state.phase is Phase.RUNNING:
        return ()
    if commitment(seed) != state.announced.commitment:
        return Refusal(Code.NOT_DUE, "the seed is not the one that was committed to")
    if not (is_full(state) if plan.sit_and_go else now_ms >= plan.starts_at_ms):
        return Refusal(Code.NOT_DUE, "it is not time to start")
    entrants = _entrants(state, seed)
    playing = sum(len(entrant.players) for entrant in entrants)
    if playing < plan.minimum or len(entrants) < 2:
        return (e.Cancelled(f"TOO_FEW: {playing} of {plan.minimum}", BY_RULE, now_ms),)
    return (e.Started(seed, entrants, now_ms),)


def _entrants(state: Tournament, seed: bytes) -> tuple[e.Entrant, ...]:
    here = [
        entry
        for number in sorted(state.counting)
        for entry in (state.entries[number],)
        if entry.fee is Fee.HELD and (entry.checked_in or not state.plan.check_in_ms)
    ]
    if state.plan.team_size == 1:
        return tuple(e.Entrant(entry.number, (entry.player,), (entry.number,)) for entry in here)
    if state.plan.drawn_partners:
        drawn = sorted(here, key=lambda entry: -lot(seed, entry.number))
        teams = [drawn[at : at + 2] for at in range(0, len(drawn) - 1, 2)]
    else:
        by_player = {entry.player: entry for entry in here}
        teams = [
            [entry, partner]
            for entry in here
            for partner in (by_player.get(entry.partner),)
            if partner is not None and partner.partner == entry.player and entry.number < partner.number
        ]
    return tuple(sorted((_team(team) for team in teams), key=lambda entrant: entrant.number))


def _team(members: Sequence[Entry]) -> e.Entrant:
    ordered = sorted(members, key=lambda entry: entry.number)
    numbers = tuple(entry.number for entry in ordered)
    return e.Entrant(numbers[0], tuple(entry.player for entry in ordered), numbers)
