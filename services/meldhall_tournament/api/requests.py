"""Checks of requests. What is wrong is INVALID_ARGUMENT and names the field."""

from collections.abc import Iterable
from typing import Final, NoReturn

from meldhall.common.v1.page_pb2 import PageRequest
from meldhall.tournament.v1 import tournament_service_pb2 as pb
from meldhall_contracts.options import game_of
from meldhall_rules import registry
from meldhall_rules.rejections import Rejection
from meldhall_runtime.auth import is_pseudonym
from meldhall_runtime.errors import invalid_argument
from meldhall_tournament.domain.events import SideResult
from meldhall_tournament.domain.plan import Format, Plan, Prizes

MAX_ID: Final = 64
MAX_PLAYER_ID: Final = 128
MAX_REASON: Final = 200
PAGE: Final = 100
MAX_PAGE: Final = 1000
HOUR_MS: Final = 3_600_000
TWO_MINUTES_MS: Final = 120_000
ENTRIES: Final = 1000

_FORMATS: Final = {
    pb.TOURNAMENT_FORMAT_FIXED_ROUNDS: Format.FIXED_ROUNDS,
    pb.TOURNAMENT_FORMAT_SWISS: Format.SWISS,
    pb.TOURNAMENT_FORMAT_SINGLE_ELIMINATION: Format.SINGLE_ELIMINATION,
}


def command_id(value: str) -> str:
    """Check a command id: 1 to 64 printable characters."""
    return _text("command_id", value, MAX_ID)


def tournament_id(value: str) -> str:
    """Check that a tournament is named. Whether there is one of that name the store knows."""
    return _text("tournament_id", value, MAX_ID)


def reason(value: str) -> str:
    """Check why somebody does something: 1 to 200 printable characters."""
    return _text("reason", value, MAX_REASON)


def player(subject: str) -> str:
    """Check the name of the caller: one that no table takes would pause the tournament."""
    return _pseudonym("player_id", subject)


def partner(value: str) -> str:
    """Check the name of a partner, which may be absent."""
    return _pseudonym("partner", value) if value else ""


def page(request: PageRequest) -> tuple[int, int]:
    """Read the size of a page and how many entries come before it."""
    if request.size > MAX_PAGE:
        wrong("page.size", f"must be {MAX_PAGE} at most")
    cursor = request.cursor or "0"
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= 12):
        wrong("page.cursor", "must be one that the page before gave")
    return request.size or PAGE, int(cursor)


def sides(results: Iterable[pb.SideResult]) -> tuple[SideResult, ...]:
    """Read what a table gave."""
    found = []
    for result in results:
        if not 1 <= result.place <= 4 or abs(result.own) > 1_000_000_000 or result.rounds_won > 1000:
            wrong("sides", "have places from 1 to 4, own results to a billion, rounds to 1,000")
        found.append(SideResult(result.place, result.own, result.rounds_won, came=not result.did_not_come))
    return tuple(found)


def plan(message: pb.Tournament) -> Plan:
    """Read a tournament that is to be announced. What could not be played, the domain refuses."""
    game, options = _options(message)
    rules = registry.game(game).match_rules(dict(options))
    if message.seats % rules.team_size:
        wrong("tournament.seats", f"must be a multiple of {rules.team_size} in {game}")
    if message.title and not message.title.isprintable():
        wrong("tournament.title", "must be printable")
    if message.format not in _FORMATS:
        wrong("tournament.format", "is missing or unknown")
    prizes = Prizes(
        shares=tuple(message.prizes.shares_bps),
        amounts=tuple(message.prizes.amounts),
        guaranteed=message.prizes.guaranteed,
    )
    return Plan(
        title=message.title,
        format=_FORMATS[message.format],
        game=game,
        options=options,
        sides=message.seats // rules.team_size,
        team_size=rules.team_size,
        drawn_partners=message.drawn_partners,
        rounds=message.rounds,
        match_rounds=message.match_rounds or rules.length or 1,
        target=message.match_target,
        opens_at_ms=message.opens_at_unix_ms,
        starts_at_ms=message.starts_at_unix_ms,
        sit_and_go=message.sit_and_go,
        check_in_ms=message.check_in_ms,
        late_until_round=message.late_until_round,
        minimum=message.minimum or 2 * rules.team_size,
        maximum=message.maximum or ENTRIES,
        entries_each=message.entries_each or 1,
        entry_fee=message.entry_fee,
        prizes=prizes,
        table_ms=message.table_ms or HOUR_MS,
        join_ms=message.join_ms or min(TWO_MINUTES_MS, message.table_ms or HOUR_MS),
        lots_decide=not message.shared_places,
    )


def _options(message: pb.Tournament) -> tuple[str, tuple[tuple[str, str], ...]]:
    try:
        found = game_of(message.options)
    except ValueError as error:
        wrong("tournament.options", str(error))
    if found is None:
        wrong("tournament.options", "must name a game")
    name, given = found
    parsed = registry.game(name).parse_options(given)
    if isinstance(parsed, Rejection):
        raise invalid_argument(parsed.code.value, parsed.detail, field=f"tournament.options.{name}")
    return name, tuple(sorted(parsed.items()))


def wrong(field: str, what: str) -> NoReturn:
    """Refuse a request for what is wrong with a field."""
    raise invalid_argument("INVALID_FIELD", f"{field}: {what}", field=field)


def _pseudonym(field: str, value: str) -> str:
    if not is_pseudonym(_text(field, value, MAX_PLAYER_ID)):
        wrong(field, "must be a pseudonym: no @ and no white space")
    return value


def _text(field: str, value: str, most: int) -> str:
    if not 1 <= len(value) <= most or not value.isprintable():
        wrong(field, f"must be 1 to {most} printable characters")
    return value
