"""Who sits where at the table of a group."""

from collections.abc import Sequence

from meldhall_matchmaking.domain.ticket import Play, Ticket, Wish
from meldhall_rules import registry


def seat_people(wish: Wish, tickets: Sequence[Ticket]) -> tuple[Ticket | None, ...]:
    """Return who sits in each seat, None where a bot does. The same tickets in any order sit alike.

    Seats go by age. Where seats are teams a party is one, the largest first; in ranked play the strongest of
    who came alone plays with the weakest. Bots are partners of who is left.
    """
    by_age = sorted(tickets, key=lambda one: (one.enqueued_at_ms, one.ticket_id))
    team_size = registry.game(wish.game).match_rules(dict(wish.options)).team_size
    if team_size == 1:
        return (*by_age, *[None] * (wish.seats - len(by_age)))
    sides = wish.seats // team_size
    parties: dict[str, list[Ticket]] = {}
    alone: list[Ticket] = []
    for one in by_age:
        (parties.setdefault(one.party_id, []) if one.party_id else alone).append(one)
    seats: list[Ticket | None] = [None] * wish.seats
    # The seats of a team are those of equal remainder: in this order a party gets its team's first.
    by_team = [seat for side in range(sides) for seat in range(side, wish.seats, sides)]
    for party in sorted(parties.values(), key=lambda party: -len(party)):
        for one in party:
            seats[by_team.pop(0)] = one
    left = sorted(by_team)
    if wish.play is Play.RANKED and len(alone) == wish.seats:
        alone = _balanced(alone, sides)
    for seat, one in zip(left, alone, strict=False):
        seats[seat] = one
    return tuple(seats)


def _balanced(people: Sequence[Ticket], sides: int) -> list[Ticket]:
    """Order people by seat so that the teams' sums of ratings are near to each other: back and forth."""
    strongest = sorted(people, key=lambda one: (-one.rating, one.enqueued_at_ms, one.ticket_id))
    seats: list[Ticket] = []
    for start in range(0, len(strongest), sides):
        row = strongest[start : start + sides]
        seats += row if start // sides % 2 == 0 else row[::-1]
    return seats
