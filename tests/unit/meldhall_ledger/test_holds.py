import pytest

from meldhall_ledger.domain.holds import Claim, HoldState, Reservation, may_follow, seats_to_hold


@pytest.mark.parametrize("before", list(HoldState))
@pytest.mark.parametrize("after", list(HoldState))
def test_a_hold_resolves_once(before: HoldState, after: HoldState) -> None:
    resolved = {HoldState.POSTED, HoldState.RELEASED}

    assert may_follow(before, after) is (before is HoldState.PENDING and after in resolved)


def test_lower_seats_come_first_and_a_player_in_two_seats_cannot_overspend() -> None:
    claims = (Claim(3, "ann"), Claim(0, "ann"), Claim(1, "ben"), Claim(2, "cid"))

    chosen = seats_to_hold(claims, {"ann": 1, "ben": 0})

    assert chosen == (Claim(0, "ann"),)


def test_everybody_with_a_joker_gets_a_hold() -> None:
    claims = (Claim(0, "ann"), Claim(1, "ben"), Claim(2, "ann"))

    assert seats_to_hold(claims, {"ann": 2, "ben": 7}) == claims


def test_the_order_of_claims_does_not_change_a_reservation() -> None:
    one = Reservation("t", 1, (Claim(0, "ann"), Claim(1, "ben")))
    other = Reservation("t", 1, (Claim(1, "ben"), Claim(0, "ann")))

    assert one.body == other.body
    assert one.body != Reservation("t", 1, (Claim(0, "ann"),)).body
