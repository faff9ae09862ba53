"""Events of earlier schemas, read as events of today."""

import pytest

from meldhall_eventlog import UnknownSchema, Upcasters

CASTS = Upcasters(
    {
        ("Drawn", 1): lambda payload: payload + b">2",
        ("Drawn", 2): lambda payload: payload + b">3",
        ("Laid", 1): bytes.upper,
    }
)


@pytest.mark.parametrize(
    ("type_name", "version", "payload", "read"),
    [
        ("Drawn", 1, b"x", b"x>2>3"),
        ("Drawn", 2, b"x", b"x>3"),
        ("Drawn", 3, b"x", b"x"),
        ("Laid", 1, b"x", b"X"),
        ("Laid", 2, b"x", b"x"),
        ("Shuffled", 1, b"x", b"x"),
    ],
)
def test_a_payload_takes_every_step_from_its_version_on(
    type_name: str, version: int, payload: bytes, read: bytes
) -> None:
    assert CASTS.upcast(type_name, version, payload) == read


def test_events_that_replicas_of_two_versions_wrote_in_turn_are_all_read_alike() -> None:
    written = [(1, b"x"), (3, b"x>2>3"), (1, b"x"), (2, b"x>2"), (3, b"x>2>3")]
    assert {CASTS.upcast("Drawn", version, payload) for version, payload in written} == {b"x>2>3"}


def test_events_are_written_in_the_version_after_the_last_step() -> None:
    assert [CASTS.current(name) for name in ("Drawn", "Laid", "Shuffled")] == [3, 2, 1]


@pytest.mark.parametrize(("type_name", "version"), [("Drawn", 4), ("Laid", 3), ("Shuffled", 2), ("Drawn", 0)])
def test_a_version_that_is_not_known_is_an_error_that_names_it(type_name: str, version: int) -> None:
    with pytest.raises(UnknownSchema, match=f"{type_name} with schema version {version}"):
        CASTS.upcast(type_name, version, b"x")


@pytest.mark.parametrize("versions", [(2,), (1, 3)])
def test_a_step_that_is_missing_is_found_at_once(versions: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="Drawn: no step from version"):
        Upcasters({("Drawn", version): bytes.upper for version in versions})
