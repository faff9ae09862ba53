"""How a tournament is announced: its format, its game, its times and its money."""

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

from meldhall_rules import registry
from meldhall_rules.match import MatchFormat, MatchRules, Mode, refuse_format
from meldhall_tournament.domain.refusals import Code, Refusal

WHOLE: Final = 10_000
"""Basis points of everything."""

MAX_ENTRIES: Final = 20_000
MAX_ROUNDS: Final = 30
DAY_MS: Final = 86_400_000
MAX_MATCH_ROUNDS: Final = 100
MAX_TARGET: Final = 1_000_000
"""No table takes longer matches, or waits for its players for longer than a day."""

MAX_COINS: Final = 1_000_000_000
"""Most that one transfer of the ledger moves."""


@unique
class Format(StrEnum):
    """How rounds are paired."""

    FIXED_ROUNDS = "fixed_rounds"
    """A fixed number of rounds; tables are seated anew by standing."""
    SWISS = "swiss"
    """Pairs of equal score who have not met."""
    SINGLE_ELIMINATION = "single_elimination"
    """Who loses is out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prizes:
    """What is paid by place: shares of the pot in basis points, or amounts of coins; not both.

    Attributes:
        shares: by place, the first at 0; at most ``WHOLE`` together.
        amounts: by place.
        guaranteed: what the pot is at least, in coins; the room adds what fees leave open.
    """

    shares: tuple[int, ...] = ()
    amounts: tuple[int, ...] = ()
    guaranteed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament as it was announced. Times are Unix milliseconds, durations milliseconds.

    Attributes:
        title: for people.
        format: how rounds are paired.
        game: name of the game.
        options: the game's options, canonical, by name.
        sides: of a table; a side is a player, or a team of ``team_size``.
        team_size: 1, or 2 where the game is played by teams.
        drawn_partners: teams are drawn from those who entered alone; else partners name one another.
        rounds: of the tournament; 0 for single elimination, where the number of entrants says it.
        match_rounds: of the match at each table.
        target: total that ends a match, where the game has that; 0: ``match_rounds``.
        opens_at_ms: registration begins; 0: at once.
        starts_at_ms: the first round is paired; not used by a sit-and-go.
        sit_and_go: starts as soon as ``maximum`` entries are there.
        check_in_ms: how long before the start entrants have to say that they are there; 0: they need not.
        late_until_round: the last round that a late entrant can still be paired in; 0: nobody enters late.
        minimum: entrants that it takes to start; below, the tournament is cancelled.
        maximum: most entries that count at one time.
        entries_each: how many entries one player may have, one after another.
        entry_fee: coins an entry.
        prizes: what is paid.
        table_ms: how long a match may take before its table is decided by rule.
        join_ms: how long a table waits for its players.
        lots_decide: equal entrants get different places, by lot; else they share places and prizes.
    """

    title: str
    format: Format
    game: str
    options: tuple[tuple[str, str], ...] = ()
    sides: int = 2
    team_size: int = 1
    drawn_partners: bool = False
    rounds: int = 0
    match_rounds: int = 1
    target: int = 0
    opens_at_ms: int = 0
    starts_at_ms: int = 0
    sit_and_go: bool = False
    check_in_ms: int = 0
    late_until_round: int = 0
    minimum: int = 2
    maximum: int = 1000
    entries_each: int = 1
    entry_fee: int = 0
    prizes: Prizes = field(default_factory=Prizes)
    table_ms: int = 3_600_000
    join_ms: int = 120_000
    lots_decide: bool = True

    @property
    def check_in_at_ms(self) -> int:
        """When check-in begins."""
        return self.starts_at_ms - self.check_in_ms

    @property
    def knock_out(self) -> bool:
        """Whether who loses is out."""
        return self.format is Format.SINGLE_ELIMINATION

    def match_format(self) -> MatchFormat:
        """Return the match that is played at each table; knock-out matches have one winner."""
        return MatchFormat(
            mode=Mode.TOURNAMENT,
            rounds=self.match_rounds,
            target=self.target,
            single_winner=self.knock_out,
        )

    def match_rules(self) -> MatchRules:
        """Return what the game says of its matches.

        Raises:
            UnknownGameError: there is no such game.
            ValueError: the options are not the game's.
        """
        rules = registry.game(self.game)
        options = rules.parse_options(dict(self.options))
        if not isinstance(options, dict):
            raise ValueError(f"options of {self.game}: {options}")  # noqa: TRY004 - a refusal of the rules
        return rules.match_rules(options)


def refuse_plan(plan: Plan) -> Refusal | None:
    """Refuse what could not be played, with the name of the field that is wrong."""
    for fault in (_of_game, _of_format, _of_entries, _of_money):
        found = fault(plan)
        if found is not None:
            return Refusal(Code.BAD_PLAN, f"{found[0]} {found[1]}", {"field": found[0]})
    return None


def _of_game(plan: Plan) -> tuple[str, str] | None:
    if not 1 <= len(plan.title) <= 100:
        return "title", "has 1 to 100 characters"
    try:
        rules, game = plan.match_rules(), registry.game(plan.game)
    except registry.UnknownGameError as error:
        return "options", str(error)
    except ValueError as error:
        return "options", str(error)
    if plan.team_size != rules.team_size:
        return "team_size", f"is {rules.team_size} in {plan.game}"
    if plan.drawn_partners and plan.team_size == 1:
        return "drawn_partners", "is for games of teams"
    if not 2 <= plan.sides <= 4:
        return "seats", "makes tables of 2 to 4 sides"
    seats = (2 * plan.team_size, plan.sides * plan.team_size)
    if seats[0] < game.min_seats or seats[1] > game.max_seats:
        return "seats", f"are {game.min_seats} to {game.max_seats} in {plan.game}"
    if not 1 <= plan.match_rounds <= MAX_MATCH_ROUNDS:
        return "match_rounds", f"is 1 to {MAX_MATCH_ROUNDS}"
    if not 0 <= plan.target <= MAX_TARGET:
        return "target", f"is 0 to {MAX_TARGET}"
    refused = refuse_format(plan.match_format(), rules)
    return None if refused is None else ("match_rounds", refused.detail)


def _of_format(plan: Plan) -> tuple[str, str] | None:
    if plan.knock_out:
        if plan.rounds:
            return "rounds", "is 0: the number of entrants says it"
        if plan.late_until_round:
            return "late_until_round", "is 0: the bracket is drawn at the start"
    elif not 1 <= plan.rounds <= MAX_ROUNDS:
        return "rounds", f"is 1 to {MAX_ROUNDS}"
    if plan.format is not Format.FIXED_ROUNDS and plan.sides != 2:
        return "seats", "makes tables of two sides in this format"
    if not 0 <= plan.late_until_round <= plan.rounds:
        return "late_until_round", f"is 0 to {plan.rounds}"
    if plan.late_until_round and plan.team_size > 1:
        return "late_until_round", "is 0: teams are made at the start"
    if not 1_000 <= plan.table_ms <= 7 * DAY_MS:
        return "table_ms", "is a second to a week"
    if not 1_000 <= plan.join_ms <= min(plan.table_ms, DAY_MS):
        return "join_ms", "is a second to table_ms, and to a day"
    return None


def _of_entries(plan: Plan) -> tuple[str, str] | None:
    least = 2 * plan.team_size
    if not least <= plan.minimum <= plan.maximum <= MAX_ENTRIES:
        return "minimum", f"and maximum are {least} to {MAX_ENTRIES}, the minimum not above the maximum"
    if plan.sit_and_go:
        if plan.maximum % plan.team_size:
            return "maximum", "leaves somebody without a partner"
        if plan.check_in_ms or plan.starts_at_ms:
            return "starts_at_ms", "and check_in_ms are 0: a sit-and-go starts when it is full"
    elif plan.starts_at_ms <= 0 or not 0 <= plan.opens_at_ms <= plan.starts_at_ms:
        return "starts_at_ms", "is a time after opens_at_ms"
    if not 0 <= plan.check_in_ms <= 7 * DAY_MS:
        return "check_in_ms", "is at most a week"
    if not 1 <= plan.entries_each <= 10:
        return "entries_each", "is 1 to 10"
    return None


def _of_money(plan: Plan) -> tuple[str, str] | None:
    prizes = plan.prizes
    if not 0 <= plan.entry_fee <= MAX_COINS // MAX_ENTRIES:
        return "entry_fee", f"is 0 to {MAX_COINS // MAX_ENTRIES}"
    if prizes.shares and prizes.amounts:
        return "prizes", "are shares or amounts"
    if any(part < 1 for part in (*prizes.shares, *prizes.amounts)):
        return "prizes", "are above 0"
    if len(prizes.shares) > 1000 or len(prizes.amounts) > 1000:
        return "prizes", "are for 1,000 places at most"
    if sum(prizes.shares) > WHOLE:
        return "prizes", f"share {WHOLE} basis points at most"
    if not 0 <= prizes.guaranteed <= MAX_COINS or sum(prizes.amounts) > MAX_COINS:
        return "prizes", f"are {MAX_COINS} coins at most"
    return None
