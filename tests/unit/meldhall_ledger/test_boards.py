from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldhall_ledger.domain.boards import BUCKET, Board, boards_of, bucket_of, season_at, season_named
from meldhall_rules.match import Mode

LENGTHS = (1, 2, 3, 4, 6, 12)


def ms(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> int:
    return round(datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("moment", "months", "season"),
    [
        (ms(2026, 12, 1), 1, "2026-12"),
        (ms(2026, 12, 1) - 1, 1, "2026-11"),
        (ms(2026, 12, 31, 23, 59), 1, "2026-12"),
        (ms(2027, 1, 1), 1, "2027-01"),
        (ms(2026, 12, 1), 3, "2026-10"),
        (ms(2026, 12, 1), 12, "2026-01"),
        (ms(2024, 2, 29), 2, "2024-01"),
    ],
)
def test_a_moment_lies_in_the_season_that_has_begun(moment: int, months: int, season: str) -> None:
    assert season_at(moment, months).season == season


@given(moment=st.integers(0, ms(2200, 1, 1)), months=st.sampled_from(LENGTHS))
def test_seasons_follow_one_another_without_a_gap(moment: int, months: int) -> None:
    season = season_at(moment, months)

    assert season.starts_at_ms <= moment < season.ends_at_ms
    assert season_at(season.starts_at_ms, months) == season
    assert season_at(season.ends_at_ms - 1, months) == season
    assert season_at(season.ends_at_ms, months).starts_at_ms == season.ends_at_ms
    assert season_named(season.season, months) == season


@pytest.mark.parametrize(
    ("name", "months"),
    [
        ("", 1),
        ("2026", 1),
        ("2026-13", 1),
        ("2026-00", 1),
        ("2026-1", 1),
        ("2026-11", 3),
        ("x026-10", 1),
        ("9999-12", 12),
        ("all", 1),
    ],
)
def test_a_name_with_which_no_season_begins_is_none(name: str, months: int) -> None:
    assert season_named(name, months) is None


def test_a_result_counts_for_all_times_and_its_season_where_there_are_boards() -> None:
    at = ms(2026, 12, 1)

    assert boards_of("canasta", Mode.QUICK, at, 1) == (
        Board("canasta", Mode.QUICK, "all"),
        Board("canasta", Mode.QUICK, "2026-12"),
    )
    assert boards_of("canasta", Mode.FRIENDS, at, 1) == boards_of("canasta", Mode.TOURNAMENT, at, 1) == ()


def test_buckets_hold_scores_below_zero_too() -> None:
    scores = (-BUCKET - 1, -BUCKET, -1, 0, BUCKET - 1, BUCKET)

    assert [bucket_of(score) for score in scores] == [-2, -1, -1, 0, 0, 1]
