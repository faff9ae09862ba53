"""Table events as messages.

One event, one message; the message's full name is the event's type in the log.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from google.protobuf.message import Message

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as public_pb
from meldhall.table.v1 import table_log_pb2 as log_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_contracts import options
from meldhall_rules import events as rules
from meldhall_rules.match import MatchFormat
from meldhall_table.domain import events
from meldhall_table.domain.events import Event
from meldhall_table.store import words


def encode(event: Event) -> Message:
    """Return the message that stands for an event."""
    return _ENCODERS[type(event)](event)


def match_format(form: MatchFormat) -> game_pb2.MatchFormat:
    """Write the format of a match."""
    return game_pb2.MatchFormat(
        mode=words.MODE[form.mode],
        rounds=form.rounds,
        single_winner=form.single_winner,
        stake=form.stake,
        rake_bps=form.rake_bps,
        target=form.target,
    )


def limits(times: events.Limits) -> public_pb.TimeLimits:
    """Write the times of a table."""
    return public_pb.TimeLimits(
        turn_ms=times.turn_ms,
        break_ms=times.break_ms,
        join_ms=times.join_ms,
        bot_move_ms=times.bot_move_ms,
        fill_ms=times.fill_ms,
        round_ms=times.round_ms,
        match_ms=times.match_ms,
        rematch_ms=times.rematch_ms or None,
    )


def spectators(delay_ms: int | None) -> public_pb.SpectatorRules:
    """Write who may watch without a seat: nobody where there is no delay to watch with."""
    if delay_ms is None:
        return public_pb.SpectatorRules(mode=public_pb.SPECTATOR_MODE_NONE)
    return public_pb.SpectatorRules(mode=public_pb.SPECTATOR_MODE_DELAYED, delay_ms=delay_ms)


def laid_tiles(tiles: Iterable[rules.Laid]) -> list[moves_pb.LaidTile]:
    """Write tiles as they lie on the table."""
    return [moves_pb.LaidTile(tile=laid.tile, face=laid.face) for laid in tiles]


def laid_meld(meld: rules.MeldLaid) -> moves_pb.LaidMeld:
    """Write a meld as it lies on the table."""
    return moves_pb.LaidMeld(kind=words.MELD_KIND[meld.kind], tiles=laid_tiles(meld.tiles))


def round_result(ended: events.RoundEnded) -> public_pb.RoundResult:
    """Write how a round ended."""
    return public_pb.RoundResult(
        round=ended.round,
        finish=words.FINISH[ended.ending.finish],
        winner=ended.ending.winner,
        scores=ended.ending.scores,
        totals=ended.totals,
        left=[
            public_pb.TilesLeft(tiles=hand, melds=map(laid_meld, melds))
            for hand, melds in zip(ended.left, ended.left_melds or ((),) * len(ended.left), strict=True)
        ],
    )


def match_result(ended: events.MatchEnded) -> public_pb.MatchResult:
    """Write how a match ended."""
    return public_pb.MatchResult(winners=ended.winners, totals=ended.totals, rounds=ended.rounds)


def _table_created(event: events.TableCreated) -> Message:
    return public_pb.TableCreated(
        table_id=event.table_id,
        options=options.to_message(event.game, dict(event.options)),
        format=match_format(event.form),
        seats=len(event.reserved_for),
        reserved_for=event.reserved_for,
        commitment=event.commitment,
        created_by=event.created_by,
        limits=limits(event.limits),
        spectators=None if event.spectator_delay_ms is None else spectators(event.spectator_delay_ms),
        previous_table_id=event.previous_table_id,
        host=public_pb.HostRules(player_id=event.host, invited_only=event.invited_only)
        if event.host
        else None,
    )


def _seat_taken(event: events.SeatTaken) -> Message:
    return public_pb.SeatTaken(seat=event.seat, player_id=event.player, client_seed=event.seed, bot=event.bot)


def _round_started(event: events.RoundStarted) -> Message:
    return public_pb.RoundStarted(
        round=event.round,
        starter=event.starter,
        game=event.game,
        rules_version=event.rules_version,
        players=event.players,
        hand_sizes=event.hand_sizes,
        stock_size=event.stock_size,
        discards=event.discards,
        need_points=event.need[0],
        need_pairs=event.need[1],
        wild=event.wild,
        thresholds=event.thresholds,
        bonus=[public_pb.TilesExposed(tiles=tiles) for tiles in event.bonus],
        deadline_unix_ms=event.deadline_ms,
        match_deadline_unix_ms=event.match_deadline_ms,
    )


def _round_dealt(event: rules.RoundDealt) -> Message:
    return log_pb.RoundDealt(
        game=event.game,
        rules_version=event.rules_version,
        round=event.round,
        seats=event.seats,
        starter=event.starter,
        order=event.order,
        shuffle_key=event.shuffle_key,
        spare_jokers=event.spare_jokers,
        totals=event.totals,
        options=[log_pb.RuleOption(name=name, value=value) for name, value in sorted(event.options)],
    )


def _seat_opened(event: events.SeatOpened) -> Message:
    laid = event.laid
    return view_pb.OpeningLaid(
        seat=laid.seat,
        kind=words.OPENING_KIND[laid.by],
        value=laid.value,
        melds=map(laid_meld, laid.melds),
        need_points=event.need[0],
        need_pairs=event.need[1],
    )


def _laid_off(event: rules.LaidOff) -> Message:
    return view_pb.LaidOff(
        seat=event.seat, meld=event.meld, tiles=laid_tiles(event.tiles), result=laid_tiles(event.result)
    )


def _round_ended(event: events.RoundEnded) -> Message:
    return public_pb.RoundEnded(
        table_id=event.table_id,
        game=event.game,
        mode=words.MODE[event.form.mode],
        result=round_result(event),
        players=event.players,
        account_changes=event.account_changes,
        round_secret=event.secret,
        bots=event.bots,
    )


def _match_ended(event: events.MatchEnded) -> Message:
    return public_pb.MatchEnded(
        table_id=event.table_id,
        game=event.game,
        mode=words.MODE[event.form.mode],
        result=match_result(event),
        players=event.players,
        stake_changes=event.stake_changes,
        account_changes=event.account_changes,
        bots=event.bots,
    )


_ENCODERS: Final[dict[type, Callable[[Any], Message]]] = {
    events.TableCreated: _table_created,
    events.SecretsDrawn: lambda e: log_pb.SecretsDrawn(tip=e.tip),
    events.SeatTaken: _seat_taken,
    events.SeatLeft: lambda e: public_pb.SeatLeft(seat=e.seat, player_id=e.player),
    events.SeatChanged: lambda e: public_pb.SeatChanged(from_seat=e.old, to_seat=e.new, player_id=e.player),
    events.PlayerAdmitted: lambda e: public_pb.PlayerAdmitted(player_id=e.player),
    events.PlayerBarred: lambda e: public_pb.PlayerBarred(player_id=e.player),
    events.TableLocked: lambda e: public_pb.TableLocked(locked=e.locked),
    events.HostChanged: lambda e: public_pb.HostChanged(player_id=e.player),
    events.StartCalled: lambda _: public_pb.StartCalled(),
    events.RoundStarted: _round_started,
    rules.RoundDealt: _round_dealt,
    events.TurnBegan: lambda e: view_pb.TurnBegan(
        seat=e.seat, deadline_unix_ms=e.deadline_ms, phase=words.PHASE[e.phase], laid=e.laid
    ),
    events.AutomaticTurn: lambda e: view_pb.AutomaticTurn(
        seat=e.seat, reason=words.AUTOMATIC_REASON[e.reason]
    ),
    events.SeatOpened: _seat_opened,
    events.JokerSpent: lambda e: public_pb.JokerSpent(round=e.round, seat=e.seat, player_id=e.player),
    events.RoundEnded: _round_ended,
    events.BreakBegan: lambda e: view_pb.BreakBegan(deadline_unix_ms=e.deadline_ms),
    events.SeatReady: lambda e: view_pb.SeatReady(seat=e.seat),
    events.LimitReached: lambda e: view_pb.LimitReached(limit=words.LIMIT[e.limit]),
    events.MatchEnded: _match_ended,
    events.RematchOffered: lambda e: view_pb.RematchOffered(deadline_unix_ms=e.deadline_ms),
    events.RematchWanted: lambda e: view_pb.RematchWanted(seat=e.seat),
    events.RematchBegan: lambda e: public_pb.RematchBegan(next_table_id=e.next_table_id),
    events.TableClosed: lambda e: public_pb.TableClosed(reason=words.CLOSE_REASON[e.reason]),
    events.DeadlineMoved: lambda e: view_pb.DeadlineMoved(
        deadline_unix_ms=e.deadline_ms, outage_ms=e.outage_ms
    ),
    rules.StockDrawn: lambda e: log_pb.StockDrawn(seat=e.seat, tile=e.tile),
    rules.DiscardTaken: lambda e: view_pb.DiscardTaken(seat=e.seat, tile=e.tile),
    rules.JokerIssued: lambda e: view_pb.JokerIssued(seat=e.seat, tile=e.tile),
    rules.MeldsLaid: lambda e: view_pb.MeldsLaid(seat=e.seat, melds=map(laid_meld, e.melds)),
    rules.LaidOff: _laid_off,
    rules.JokerSwapped: lambda e: view_pb.JokerSwapped(seat=e.seat, meld=e.meld, tile=e.tile, joker=e.joker),
    rules.Discarded: lambda e: view_pb.Discarded(seat=e.seat, tile=e.tile),
    rules.StockReshuffled: lambda e: log_pb.StockReshuffled(order=e.order),
    rules.WentOut: lambda e: view_pb.WentOut(seat=e.seat, melds=map(laid_meld, e.melds), discard=e.discard),
    rules.PileTaken: lambda e: view_pb.PileTaken(seat=e.seat, tiles=e.tiles),
    rules.BonusExposed: lambda e: view_pb.BonusExposed(seat=e.seat, tile=e.tile),
}
