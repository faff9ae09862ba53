from typing import Any

import pytest

from meldhall.common.v1 import game_pb2
from meldhall.matchmaking.v1 import matchmaking_service_pb2 as pb
from meldhall_matchmaking import requests
from meldhall_matchmaking.domain.offers import ROUNDS, lengths
from meldhall_matchmaking.domain.ticket import Wish
from meldhall_rules import registry
from meldhall_rules.match import MatchRules
from meldhall_runtime import ServiceError

SEATS = {"canasta": (4,), "rummy": (2, 3, 4, 5, 6), "rummy101": (2, 3, 4), "three_thirteen": (2, 3, 4)}
DEFAULT = {"canasta": 1, "rummy": 1, "rummy101": 1, "three_thirteen": 11}
ALLOWED = {"canasta": {1, 3}, "rummy": {1, 3, 5}, "rummy101": {1, 3}, "three_thirteen": {11}}


def request(game: str, **more: Any) -> pb.EnqueueRequest:
    options = game_pb2.GameOptions()
    getattr(options, game).SetInParent()
    return pb.EnqueueRequest(command_id="c", options=options, **more)


def wish(game: str, **more: Any) -> Wish | str:
    """The wish, or which field is wrong."""
    try:
        return requests.wish(request(game, **more))
    except ServiceError as error:
        return error.metadata["field"]


def test_every_game_has_quick_start() -> None:
    assert tuple(ROUNDS) == registry.names()


@pytest.mark.parametrize("game", registry.names())
def test_a_game_is_offered_with_its_seats(game: str) -> None:
    taken = tuple(seats for seats in range(10) if isinstance(wish(game, seats=seats), Wish))

    assert taken == SEATS[game]
    assert {wish(game, seats=seats) for seats in set(range(10)) - set(taken)} == {"seats"}


@pytest.mark.parametrize("game", registry.names())
def test_a_game_is_offered_with_its_lengths(game: str) -> None:
    seats = SEATS[game][0]
    found = {rounds: wish(game, seats=seats, rounds=rounds) for rounds in range(15)}

    assert {rounds for rounds, one in found.items() if rounds and isinstance(one, Wish)} == ALLOWED[game]
    assert found[0] == found[DEFAULT[game]]
    assert {one for one in found.values() if not isinstance(one, Wish)} == {"rounds"}


def test_a_length_that_no_match_has_is_not_offered() -> None:
    assert lengths("rummy", MatchRules(length=3)) == (3,)


def test_options_are_completed_and_what_is_absent_is_unlimited() -> None:
    asked = request("rummy", seats=3)
    asked.options.rummy.ace_high_low = True
    given = requests.wish(asked)

    assert given == Wish(
        "rummy",
        (
            ("ace_high_low", "true"),
            ("max_idle_reshuffles", "6"),
            ("max_melds_per_turn", "unlimited"),
            ("max_reshuffles", "unlimited"),
            ("must_discard_to_go_out", "false"),
            ("two_player_winner_deals", "false"),
        ),
        3,
        1,
    )
