"""Subjects say where an event belongs, and nothing else can pass for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldhall_messaging import ConsumerSpec, InvalidSubject, Subject, area_filter
from meldhall_messaging.partition import partition_of


def test_a_subject_is_written_from_the_type_of_the_event() -> None:
    subject = Subject.of("table", 17, "t-1", "meldhall.table.v1.RoundEnded")
    assert str(subject) == "meldhall.table.17.t-1.RoundEnded"


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40),
    st.integers(0, 255),
)
def test_any_stream_id_comes_back_from_its_subject_and_makes_exactly_five_tokens(
    stream: str, shard: int
) -> None:
    subject = Subject("ledger", shard, stream, "Settled")
    text = str(subject)
    assert Subject.parse(text) == subject
    assert len(text.split(".")) == 5
    assert not set(text) & set(" *>\r\n\t")
    assert partition_of(text) == stream


@pytest.mark.parametrize(
    "text",
    [
        "",
        "meldhall",
        "meldhall.table.0.t-1",
        "meldhall.table.0.t-1.MoveMade.more",
        "other.table.0.t-1.MoveMade",
        "meldhall.Table.0.t-1.MoveMade",
        "meldhall.table.x.t-1.MoveMade",
        "meldhall.table.-1.t-1.MoveMade",
        "meldhall.table.07.t-1.MoveMade",
        "meldhall.table.²..MoveMade",
        "meldhall.table.0..MoveMade",
        "meldhall.table.0.t-1.moveMade",
        "meldhall.table.0.*.MoveMade",
        "meldhall.table.0.%FF.MoveMade",
        "meldhall.table.0.%74-1.MoveMade",
    ],
)
def test_what_is_not_written_as_we_write_it_is_refused_and_is_a_partition_of_its_own(text: str) -> None:
    with pytest.raises(InvalidSubject):
        Subject.parse(text)
    assert partition_of(text) == text


@pytest.mark.parametrize(
    ("area", "shard", "entity", "event"),
    [("", 0, "t", "E"), ("ta.ble", 0, "t", "E"), ("table", -1, "t", "E"), ("table", 0, "", "E"),
     ("table", 0, "t" * 257, "E"), ("table", 0, "t", ""), ("table", 0, "t", "a.b")],
)  # fmt: skip
def test_parts_that_no_subject_can_hold_are_refused(area: str, shard: int, entity: str, event: str) -> None:
    with pytest.raises(InvalidSubject):
        Subject(area, shard, entity, event)


def test_filters_name_areas_and_shards() -> None:
    assert area_filter("table") == "meldhall.table.>"
    assert area_filter("table", 12) == "meldhall.table.12.>"
    for area, shard in (("*", None), ("table", -1)):
        with pytest.raises(InvalidSubject):
            area_filter(area, shard)


@pytest.mark.parametrize("subjects", [(), ("meldhall.table.*.*.MatchEnded",), ("other.>",)])
def test_a_consumer_cannot_choose_single_events_of_a_stream(subjects: tuple[str, ...]) -> None:
    with pytest.raises(InvalidSubject):
        ConsumerSpec("reader", subjects)
