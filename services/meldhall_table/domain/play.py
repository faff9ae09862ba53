"""Dealing, moves, the end of rounds and of the match.

The rules decide what a move causes; this module adds what the table makes of it: whose turn begins until
when, what a round moves in the accounts, whether another one follows. Source: ``deploy/docs/tables.md`` and
the games' pages in ``deploy/docs/rules``.
"""

from dataclasses import replace
from typing import Any

from meldhall_rules import commands, registry
from meldhall_rules import events as rules
from meldhall_rules.commands import Command
from meldhall_rules.game import RoundSetup
from meldhall_rules.match import (
    MatchFormat,
    MatchState,
    Mode,
    after_round,
    first_starter,
    is_over,
    match_changes,
    round_changes,
    winners,
)
from meldhall_rules.rejections import Code, Rejection
from meldhall_rules.shuffle import first_dealer, secret_at, shuffle_key
from meldhall_rules.view import SPECTATOR, Shown, View
from meldhall_table.domain import events
from meldhall_table.domain.between import after_match
from meldhall_table.domain.events import AutomaticReason, CloseReason, Event, Limit
from meldhall_table.domain.lobby import closed
from meldhall_table.domain.refusals import Refusal, TableCode, by_rules
from meldhall_table.domain.state import Round, Status, Table

Answer = tuple[Event, ...] | Refusal


def deal(table: Table, spare_jokers: tuple[int, ...], now_ms: int) -> tuple[Event, ...]:
    """Deal the next round, or nothing where none is due.

    The key of the shuffle comes from the secret of the round and the seeds of the seats; the first starter
    is drawn by the key of round 1, later ones follow in turn order.
    """
    if not (table.status is Status.BREAK or (table.status is Status.WAITING and table.may_begin)):
        return ()
    number = table.round.number + 1 if table.round else 1
    seats, game = len(table.seats), registry.game(table.game)
    key = shuffle_key(secret_at(table.tip, number), tuple(seat.seed for seat in table.seats))
    match_rules = game.match_rules(dict(table.options))
    drawn = first_dealer(key, seats)
    starter = table.match.starter if table.match else first_starter(drawn, seats, match_rules)
    setup = RoundSetup(number, seats, starter, key, spare_jokers, table.totals)
    dealt = game.deal(dict(table.options), setup)
    shown = game.view(game.evolve(None, dealt), SPECTATOR)
    started = events.RoundStarted(
        round=number,
        starter=starter,
        game=game.name,
        rules_version=game.rules_version,
        players=table.players,
        hand_sizes=shown.hand_sizes,
        stock_size=shown.stock_size,
        discards=shown.discards,
        need=shown.need,
        wild=shown.wild,
        thresholds=shown.thresholds,
        bonus=shown.bonus,
        deadline_ms=now_ms + table.limits.round_ms if table.limits.round_ms else 0,
        match_deadline_ms=_match_deadline(table, now_ms),
    )
    return started, dealt, _turn(table, shown, now_ms)


def _match_deadline(table: Table, now_ms: int) -> int:
    """Return when the match is decided at the latest: its time runs from the first deal on."""
    if table.match is not None:
        return table.match_deadline_ms
    return now_ms + table.limits.match_ms if table.limits.match_ms else 0


def act(table: Table, player: str, command: Command, now_ms: int) -> Answer:
    """Make a move for a player. The seat is the player's, whatever seat the command names."""
    seat = table.seated(player)
    if seat is None:
        return Refusal(TableCode.NOT_AT_TABLE, "the player does not sit at this table")
    if table.status is Status.CLOSED:
        return closed(table)
    return move(table, reseat(command, seat), now_ms)


def automatic(table: Table, now_ms: int) -> tuple[Event, ...]:
    """Play the turn of a seat whose time is up or whose player left.

    Raises:
        ValueError: no round is being played, or the rules refuse their own automatic turn.
    """
    seat = _round(table).turn
    reason = AutomaticReason.LEFT if table.seats[seat].left else AutomaticReason.TIME_UP
    return events.AutomaticTurn(seat, reason), *rest_of_turn(table, now_ms)


def round_limit(table: Table, now_ms: int) -> tuple[Event, ...]:
    """End a round whose time is up, as the rules end one whose stock has run out.

    Raises:
        ValueError: as for ``automatic``.
    """
    return events.LimitReached(Limit.ROUND), *_by_itself(table, commands.EndRound(_round(table).turn), now_ms)


def match_limit(table: Table, now_ms: int) -> tuple[Event, ...]:
    """Decide a match whose time is up as it stands, after the end of the round that is being played.

    Raises:
        ValueError: as for ``automatic``.
    """
    reached, cut = events.LimitReached(Limit.MATCH), replace(table, cut_short=True)
    if table.status is Status.PLAYING:
        return reached, *_by_itself(cut, commands.EndRound(_round(table).turn), now_ms)
    if table.match is None:
        raise ValueError(f"table {table.table_id} has no match")
    return reached, *_match_over(cut, table.match, now_ms)


def rest_of_turn(table: Table, now_ms: int) -> tuple[Event, ...]:
    """Return what the rules' automatic turn causes for the seat on turn, without an announcement.

    Raises:
        ValueError: as for ``automatic``.
    """
    return _by_itself(table, commands.AutoTurn(_round(table).turn), now_ms)


def _by_itself(table: Table, command: Command, now_ms: int) -> tuple[Event, ...]:
    answer = move(table, command, now_ms)
    if isinstance(answer, Refusal):
        raise ValueError(  # noqa: TRY004 - a value of the rules, not a wrong type
            f"table {table.table_id}: its own {type(command).__name__} was refused: {answer.code}"
        )
    return answer


def move(table: Table, command: Command, now_ms: int) -> Answer:
    """Answer a move of a seat."""
    current = table.round
    if current is None or table.status is Status.WAITING:
        return Refusal(TableCode.ROUND_NOT_STARTED, "no round has been dealt yet")
    if table.status is not Status.PLAYING:
        return Refusal(Code.ROUND_OVER.value, "the round is over")
    game = table.rules()
    answer = game.decide(current.state, command)
    if isinstance(answer, Rejection):
        return by_rules(answer)
    caused: list[Event] = []
    state: Any = current.state
    shown: View | None = None
    for event in answer:
        state = game.evolve(state, event)
        if isinstance(event, rules.RoundEnded):
            return (*caused, *_end(replace(table, round=replace(current, state=state)), event, now_ms))
        shown = game.view(state, SPECTATOR)
        caused.extend(_told(table, event, shown))
    if shown is None:
        return ()
    if shown.turn != command.seat or isinstance(answer[-1], rules.Discarded):
        caused.append(_turn(table, shown, now_ms))
    return tuple(caused)


def reseat(command: Command, seat: int) -> Command:
    """Return the same command for another seat."""
    if isinstance(command, commands.TakeDiscard) and command.use is not None:
        return commands.TakeDiscard(seat, replace(command.use, seat=seat))
    return replace(command, seat=seat)


def _told(table: Table, event: rules.Event, shown: View) -> tuple[Event, ...]:
    """Return an event of a round as it lies in the table's stream."""
    match event:
        case rules.OpeningLaid():
            return (events.SeatOpened(event, shown.need),)
        case rules.JokerIssued(seat, _):
            return event, events.JokerSpent(shown.round, seat, table.seats[seat].player)
        case (
            rules.StockDrawn()
            | rules.DiscardTaken()
            | rules.MeldsLaid()
            | rules.LaidOff()
            | rules.JokerSwapped()
            | rules.Discarded()
            | rules.StockReshuffled()
            | rules.WentOut()
            | rules.PileTaken()
            | rules.BonusExposed()
        ):
            return (event,)
        case rules.RoundDealt() | rules.RoundEnded():
            raise ValueError(f"table {table.table_id}: {type(event).__name__} in the middle of a round")


def _end(table: Table, ending: rules.RoundEnded, now_ms: int) -> tuple[Event, ...]:
    """End a round: results, then a break or the end of the match. ``table`` holds the round's last state."""
    current, before = _round(table), table.match
    if before is None:
        raise ValueError(f"table {table.table_id}: a round without a match")
    after = after_round(before, ending.scores, winner=ending.winner, finish=ending.finish)
    form, bots = table.form, table.bots
    points = round_changes(form, ending.scores, after.rules)
    shown = _left(table, current)
    ended = events.RoundEnded(
        table_id=table.table_id,
        game=table.game,
        form=form,
        round=current.number,
        ending=ending,
        totals=after.totals,
        left=tuple(one.hand for one in shown),
        players=table.players,
        bots=bots,
        account_changes=of_people(points, bots),
        secret=secret_at(table.tip, current.number),
        left_melds=tuple(one.melds for one in shown) if any(one.melds for one in shown) else (),
    )
    if ending.finish is rules.Finish.VOID and _abandoned(table):
        return ended, events.TableClosed(CloseReason.ABANDONED)
    if not table.cut_short and not is_over(form, after):
        return ended, events.BreakBegan(now_ms + table.limits.break_ms)
    return ended, *_match_over(table, after, now_ms)


def _match_over(table: Table, after: MatchState, now_ms: int) -> tuple[Event, ...]:
    """End the match. One whose time was up has no winner where a tie would have to be played off."""
    form, bots = decided_form(table, after), table.bots
    if not is_over(form, after):
        return (events.TableClosed(CloseReason.TIME_UP),)
    over = events.MatchEnded(
        table_id=table.table_id,
        game=table.game,
        form=table.form,
        winners=winners(form, after),
        totals=after.totals,
        rounds=after.rounds_played,
        players=table.players,
        bots=bots,
        stake_changes=of_people(match_stakes(form, after), bots),
        account_changes=of_people(match_points(form, after), bots),
    )
    return over, *after_match(table, now_ms)


def decided_form(table: Table, after: MatchState) -> MatchFormat:
    """Return the format by which a match is decided: cut short it is one of the rounds that were played."""
    if not table.cut_short:
        return table.form
    return replace(table.form, rounds=max(after.rounds_played, 1), target=0)


def _abandoned(table: Table) -> bool:
    """Tell whether players sat here and all have left: void rounds dealt again would never end."""
    return any(seat.left for seat in table.seats) and not any(seat.person for seat in table.seats)


def match_points(form: MatchFormat, after: MatchState) -> tuple[int, ...]:
    """Return what the end of a match moves by seat in account points."""
    return (0,) * after.seats if form.mode is Mode.ARENA else match_changes(form, after)


def match_stakes(form: MatchFormat, after: MatchState) -> tuple[int, ...]:
    """Return what the end of a match moves by seat in coins."""
    return match_changes(form, after) if form.mode is Mode.ARENA else (0,) * after.seats


def _left(table: Table, current: Round) -> tuple[Shown, ...]:
    """Show what every hand was left with."""
    views = tuple(table.rules().view(current.state, seat) for seat in range(len(table.seats)))
    return views[0].shown or tuple(Shown(view.hand or (), ()) for view in views)


def of_people(changes: tuple[int, ...], bots: tuple[bool, ...]) -> tuple[int, ...]:
    """Return changes without those of bots, which have no account."""
    return tuple(0 if bot else change for change, bot in zip(changes, bots, strict=True))


def _turn(table: Table, shown: View, now_ms: int) -> events.TurnBegan:
    return events.TurnBegan(shown.turn, now_ms + table.limits.turn_ms, shown.phase, shown.laid)


def _round(table: Table) -> Round:
    if table.round is None:
        raise ValueError(f"table {table.table_id} has no round")
    return table.round
