"""Who sits with whom, for each format."""

from meldhall_tournament.domain import swiss
from meldhall_tournament.domain.plan import Format
from meldhall_tournament.domain.standings import standings
from meldhall_tournament.domain.state import Out, Tournament

Tables = tuple[tuple[int, ...], ...]


def rounds_of(state: Tournament) -> int:
    """Return how many rounds the tournament has; of a knock-out, from its bracket."""
    if not state.plan.knock_out:
        return state.plan.rounds
    return max(1, (len(state.contestants) - 1).bit_length())


def pairable(state: Tournament) -> list[int]:
    """Return who can be paired, in the order of the standings (before the first round: of the lots)."""
    return [row.number for row in standings(state) if state.contestants[row.number].can_be_paired]


def seat_round(state: Tournament) -> Tables:
    """Return the tables of the next round; a table of one is a bye."""
    match state.plan.format:
        case Format.SWISS:
            return _swiss(state)
        case Format.FIXED_ROUNDS:
            return by_standing(pairable(state), state.plan.sides)
        case Format.SINGLE_ELIMINATION:
            return _next_of_bracket(state) if state.rounds else _bracket(state)


def _swiss(state: Tournament) -> Tables:
    # Met is who sat at one table, whatever became of it.
    players = []
    for number in pairable(state):
        line = state.lines[number]
        met: set[int] = set()
        for round_no, table in state.contestants[number].sat:
            met.update(state.rounds[round_no - 1][table - 1].entrants)
        players.append(swiss.Candidate(number, line.points, frozenset(met - {number}), line.byes))
    pairs, bye = swiss.pair(players)
    return (*pairs, *(() if bye is None else ((bye,),)))


def by_standing(order: list[int], sides: int) -> Tables:
    """Seat the best together, the next together, and so on.

    As few tables as there can be, their sizes at most one apart, the larger ones at the bottom: five at
    tables of four make two and three. At tables of two the last of an odd number has a bye.
    """
    if not order:
        return ()
    bye: Tables = ()
    if sides == 2 and len(order) % 2:
        order, bye = order[:-1], ((order[-1],),)
    if not order:
        return bye
    count = -(-len(order) // sides)
    small, larger = divmod(len(order), count)
    tables, at = [], 0
    for table in range(count):
        size = small + (table >= count - larger)
        tables.append(tuple(order[at : at + size]))
        at += size
    return (*tables, *bye)


def _bracket(state: Tournament) -> Tables:
    """Seed by lot: the first seeds have the byes, and the first two can only meet in the final."""
    seeds = sorted(state.contestants.values(), key=lambda one: -one.lot)
    places = [1]
    while len(places) < len(seeds):
        size = 2 * len(places)
        places = [seed for place in places for seed in (place, size + 1 - place)]
    slots = [seeds[place - 1].number if place <= len(seeds) else 0 for place in places]
    return _meet([number if number and _is_in(state, number) else 0 for number in slots])


def _next_of_bracket(state: Tournament) -> Tables:
    return _meet([state.winner_of(pairing) for pairing in state.rounds[-1]])


def _meet(slots: list[int]) -> Tables:
    pairs = (slots[at : at + 2] for at in range(0, len(slots), 2))
    return tuple(tuple(number for number in pair if number) for pair in pairs)


def _is_in(state: Tournament, number: int) -> bool:
    return state.contestants[number].out is Out.IN
