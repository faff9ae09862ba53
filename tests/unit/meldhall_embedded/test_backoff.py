"""The wait before a restart grows, and only to a bound."""

from meldhall_embedded.supervisor import Backoff


def test_the_wait_doubles_at_every_crash_up_to_the_bound() -> None:
    backoff = Backoff(first=0.2, most=10.0)
    assert [backoff.after(crashes) for crashes in (1, 2, 3, 4)] == [0.2, 0.4, 0.8, 1.6]
    assert backoff.after(7) == 10.0
    assert backoff.after(100_000) == 10.0
