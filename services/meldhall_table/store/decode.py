"""Stored messages as table events: the other direction of ``encode``, by the event's type in the log."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from google.protobuf.message import DecodeError

from meldhall.common.v1 import game_pb2
from meldhall.table.v1 import table_events_pb2 as public_pb
from meldhall.table.v1 import table_log_pb2 as log_pb
from meldhall.table.v1 import table_moves_pb2 as moves_pb
from meldhall.table.v1 import table_view_pb2 as view_pb
from meldhall_contracts import options
from meldhall_eventlog.upcast import UnknownSchema, Upcasters
from meldhall_rules import events as rules
from meldhall_rules.match import MatchFormat
from meldhall_table.domain import events
from meldhall_table.domain.events import Event
from meldhall_table.store import words
from meldhall_table.store.sharing import shared


class UnknownEventError(Exception):
    """The log holds what this version cannot read; it names the type and the version of its schema."""


UPCASTERS: Final = Upcasters({})
"""How payloads of earlier schemas become those of today; every type is at its first version."""

Context = MatchFormat | None
"""The format of the match, which results do not repeat; None before the table was created."""


def decode(type_name: str, schema_version: int, payload: bytes, form: Context) -> Event:
    """Return the event that a stored payload stands for.

    Raises:
        UnknownEventError: the type or its version is unknown, or the payload is no such message.
    """
    found = _DECODERS.get(type_name)
    if found is None:
        raise UnknownEventError(f"event type {type_name} with schema version {schema_version}")
    kind, read = found
    try:
        return read(kind.FromString(UPCASTERS.upcast(type_name, schema_version, payload)), form)
    except UnknownSchema as error:
        raise UnknownEventError(str(error)) from error
    except (DecodeError, KeyError, ValueError) as error:
        raise UnknownEventError(f"a payload that is no {type_name}: {type(error).__name__}") from error


def match_format(message: game_pb2.MatchFormat) -> MatchFormat:
    """Read the format of a match.

    Raises:
        KeyError: an unknown mode.
        ValueError: a format that cannot be played.
    """
    return MatchFormat(
        mode=words.MODE_OF[message.mode],
        rounds=message.rounds,
        single_winner=message.single_winner,
        stake=message.stake,
        rake_bps=message.rake_bps,
        target=message.target,
    )


def limits(message: public_pb.TimeLimits) -> events.Limits:
    """Read the times of a table."""
    return events.Limits(
        turn_ms=message.turn_ms,
        break_ms=message.break_ms,
        join_ms=message.join_ms,
        bot_move_ms=message.bot_move_ms,
        fill_ms=message.fill_ms,
        round_ms=message.round_ms,
        match_ms=message.match_ms,
        rematch_ms=message.rematch_ms,
    )


def _table_created(message: public_pb.TableCreated, _form: Context) -> Event:
    game, canonical = options.canonical_of(message.options)
    return events.TableCreated(
        table_id=message.table_id,
        game=game,
        options=shared(canonical),
        form=shared(match_format(message.format)),
        limits=shared(limits(message.limits)),
        reserved_for=tuple(message.reserved_for),
        commitment=message.commitment,
        created_by=message.created_by,
        spectator_delay_ms=message.spectators.delay_ms if message.HasField("spectators") else None,
        previous_table_id=message.previous_table_id,
        host=message.host.player_id,
        invited_only=message.host.invited_only,
    )


def _round_started(message: public_pb.RoundStarted, _form: Context) -> Event:
    return events.RoundStarted(
        round=message.round,
        starter=message.starter,
        game=message.game,
        rules_version=message.rules_version,
        players=tuple(message.players),
        hand_sizes=tuple(message.hand_sizes),
        stock_size=message.stock_size,
        discards=tuple(message.discards),
        need=(message.need_points, message.need_pairs),
        wild=message.wild if message.HasField("wild") else None,
        thresholds=tuple(message.thresholds),
        bonus=tuple(tuple(exposed.tiles) for exposed in message.bonus),
        deadline_ms=message.deadline_unix_ms,
        match_deadline_ms=message.match_deadline_unix_ms,
    )


def _round_dealt(message: log_pb.RoundDealt, _form: Context) -> Event:
    return rules.RoundDealt(
        game=message.game,
        rules_version=message.rules_version,
        options=tuple((option.name, option.value) for option in message.options),
        round=message.round,
        seats=message.seats,
        starter=message.starter,
        order=tuple(message.order),
        shuffle_key=message.shuffle_key,
        spare_jokers=tuple(message.spare_jokers),
        totals=tuple(message.totals),
    )


def _round_ended(message: public_pb.RoundEnded, form: Context) -> Event:
    result = message.result
    winner = result.winner if result.HasField("winner") else None
    return events.RoundEnded(
        table_id=message.table_id,
        game=message.game,
        form=_known(form),
        round=result.round,
        ending=rules.RoundEnded(words.FINISH_OF[result.finish], winner, tuple(result.scores)),
        totals=tuple(result.totals),
        left=tuple(tuple(hand.tiles) for hand in result.left),
        players=tuple(message.players),
        bots=tuple(message.bots),
        account_changes=tuple(message.account_changes),
        secret=message.round_secret,
        left_melds=tuple(_melds(hand.melds) for hand in result.left)
        if any(hand.melds for hand in result.left)
        else (),
    )


def _match_ended(message: public_pb.MatchEnded, form: Context) -> Event:
    return events.MatchEnded(
        table_id=message.table_id,
        game=message.game,
        form=_known(form),
        winners=tuple(message.result.winners),
        totals=tuple(message.result.totals),
        rounds=message.result.rounds,
        players=tuple(message.players),
        bots=tuple(message.bots),
        stake_changes=tuple(message.stake_changes),
        account_changes=tuple(message.account_changes),
    )


def _known(form: Context) -> MatchFormat:
    if form is None:
        raise ValueError("a result before the table was created")
    return form


def _opening_laid(message: view_pb.OpeningLaid, _form: Context) -> Event:
    by = words.OPENING_KIND_OF[message.kind]
    laid = rules.OpeningLaid(message.seat, by, message.value, _melds(message.melds))
    return events.SeatOpened(laid, (message.need_points, message.need_pairs))


def _melds(melds: Iterable[moves_pb.LaidMeld]) -> tuple[rules.MeldLaid, ...]:
    return tuple(rules.MeldLaid(words.MELD_KIND_OF[meld.kind], _laid(meld.tiles)) for meld in melds)


def _laid(tiles: Iterable[moves_pb.LaidTile]) -> tuple[rules.Laid, ...]:
    return tuple(shared(rules.Laid(laid.tile, laid.face)) for laid in tiles)


_READERS: Final[tuple[tuple[Any, Callable[[Any, Context], Event]], ...]] = (
    (public_pb.TableCreated, _table_created),
    (log_pb.SecretsDrawn, lambda m, _: events.SecretsDrawn(m.tip)),
    (public_pb.SeatTaken, lambda m, _: events.SeatTaken(m.seat, m.player_id, m.client_seed, m.bot)),
    (public_pb.SeatLeft, lambda m, _: events.SeatLeft(m.seat, m.player_id)),
    (public_pb.SeatChanged, lambda m, _: events.SeatChanged(m.from_seat, m.to_seat, m.player_id)),
    (public_pb.PlayerAdmitted, lambda m, _: events.PlayerAdmitted(m.player_id)),
    (public_pb.PlayerBarred, lambda m, _: events.PlayerBarred(m.player_id)),
    (public_pb.TableLocked, lambda m, _: events.TableLocked(m.locked)),
    (public_pb.HostChanged, lambda m, _: events.HostChanged(m.player_id)),
    (public_pb.StartCalled, lambda _m, _: events.StartCalled()),
    (public_pb.RoundStarted, _round_started),
    (log_pb.RoundDealt, _round_dealt),
    (
        view_pb.TurnBegan,
        lambda m, _: events.TurnBegan(m.seat, m.deadline_unix_ms, words.PHASE_OF[m.phase], tuple(m.laid)),
    ),
    (
        view_pb.AutomaticTurn,
        lambda m, _: events.AutomaticTurn(m.seat, words.AUTOMATIC_REASON_OF[m.reason]),
    ),
    (view_pb.OpeningLaid, _opening_laid),
    (public_pb.JokerSpent, lambda m, _: events.JokerSpent(m.round, m.seat, m.player_id)),
    (public_pb.RoundEnded, _round_ended),
    (view_pb.BreakBegan, lambda m, _: events.BreakBegan(m.deadline_unix_ms)),
    (view_pb.SeatReady, lambda m, _: events.SeatReady(m.seat)),
    (view_pb.LimitReached, lambda m, _: events.LimitReached(words.LIMIT_OF[m.limit])),
    (public_pb.MatchEnded, _match_ended),
    (view_pb.RematchOffered, lambda m, _: events.RematchOffered(m.deadline_unix_ms)),
    (view_pb.RematchWanted, lambda m, _: events.RematchWanted(m.seat)),
    (public_pb.RematchBegan, lambda m, _: events.RematchBegan(m.next_table_id)),
    (public_pb.TableClosed, lambda m, _: events.TableClosed(words.CLOSE_REASON_OF[m.reason])),
    (view_pb.DeadlineMoved, lambda m, _: events.DeadlineMoved(m.deadline_unix_ms, m.outage_ms)),
    (log_pb.StockDrawn, lambda m, _: rules.StockDrawn(m.seat, m.tile)),
    (view_pb.DiscardTaken, lambda m, _: rules.DiscardTaken(m.seat, m.tile)),
    (view_pb.JokerIssued, lambda m, _: rules.JokerIssued(m.seat, m.tile)),
    (view_pb.MeldsLaid, lambda m, _: rules.MeldsLaid(m.seat, _melds(m.melds))),
    (view_pb.LaidOff, lambda m, _: rules.LaidOff(m.seat, m.meld, _laid(m.tiles), _laid(m.result))),
    (view_pb.JokerSwapped, lambda m, _: rules.JokerSwapped(m.seat, m.meld, m.tile, m.joker)),
    (view_pb.Discarded, lambda m, _: rules.Discarded(m.seat, m.tile)),
    (log_pb.StockReshuffled, lambda m, _: rules.StockReshuffled(tuple(m.order))),
    (view_pb.WentOut, lambda m, _: rules.WentOut(m.seat, _melds(m.melds), m.discard)),
    (view_pb.PileTaken, lambda m, _: rules.PileTaken(m.seat, tuple(m.tiles))),
    (view_pb.BonusExposed, lambda m, _: rules.BonusExposed(m.seat, m.tile)),
)

_DECODERS: Final = {kind.DESCRIPTOR.full_name: (kind, read) for kind, read in _READERS}
