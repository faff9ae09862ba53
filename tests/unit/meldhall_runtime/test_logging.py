"""Logs: form, redaction, trace ids."""

import io
import json
import logging
import uuid
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest
import structlog

from meldhall_runtime.logging import LogFormat, LogLevel, configure_logging
from meldhall_runtime.redaction import HIDDEN, is_hidden_key, redact, scrub_text, scrub_value
from meldhall_runtime.tracing import Tracing


@pytest.fixture(autouse=True)
def _restore_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def logged(log_format: LogFormat = "json", level: LogLevel = "info") -> io.StringIO:
    stream = io.StringIO()
    configure_logging(log_format, level, stream)
    return stream


def only(stream: io.StringIO) -> dict[str, Any]:
    (line,) = stream.getvalue().splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


class Seat(Enum):
    EAST = 1


def test_an_event_is_one_line_of_json_with_its_keys() -> None:
    stream = logged()
    structlog.get_logger("meldhall.table").info("table_opened", table_id="t1", version=3)
    event = only(stream)
    assert event.pop("time").endswith("Z")
    assert event == {
        "event": "table_opened",
        "level": "info",
        "logger": "meldhall.table",
        "table_id": "t1",
        "version": 3,
    }


def test_events_of_libraries_have_the_same_form_and_their_extra_keys_are_hidden_too() -> None:
    stream = logged()
    logging.getLogger("some.library").warning("it is %s", "late", extra={"token": "abc"})
    event = only(stream)
    assert (event["event"], event["logger"], event["level"]) == ("it is late", "some.library", "warning")
    assert event["token"] == HIDDEN


def test_what_is_below_the_level_is_not_written() -> None:
    stream = logged(level="warning")
    structlog.get_logger("meldhall.table").info("table_opened")
    logging.getLogger("some.library").info("hello")
    assert stream.getvalue() == ""


def test_a_second_set_up_replaces_the_first() -> None:
    first = logged()
    second = logged()
    structlog.get_logger("x").info("once")
    assert (first.getvalue(), len(second.getvalue().splitlines())) == ("", 1)


def test_people_get_a_line_without_json() -> None:
    stream = logged("console")
    structlog.get_logger("x").info("table_opened", table_id="t1")
    assert "table_opened" in stream.getvalue()
    assert "{" not in stream.getvalue()


def test_what_is_bound_to_the_context_is_in_every_event() -> None:
    stream = logged()
    structlog.contextvars.bind_contextvars(service="table")
    logging.getLogger("some.library").warning("hello")
    assert only(stream)["service"] == "table"


def test_an_event_inside_a_span_carries_its_ids() -> None:
    stream = logged()
    with Tracing("table", "1", "i").span("work") as span:
        structlog.get_logger("x").info("work_done")
    context = span.get_span_context()
    event = only(stream)
    assert event["trace_id"] == f"{context.trace_id:032x}"
    assert event["span_id"] == f"{context.span_id:016x}"


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_traceback_does_not_show_local_variables(log_format: LogFormat) -> None:
    stream = logged(log_format)

    def deal() -> None:
        hand = "R7" + "R8" + "R9"
        raise RuntimeError("the deal failed", len(hand))

    try:
        deal()
    except RuntimeError:
        structlog.get_logger("x").exception("deal_failed")
    assert "in deal" in stream.getvalue()
    assert "R7R8R9" not in stream.getvalue()


def test_hidden_keys_lose_their_value_at_any_depth_and_in_the_rendered_text() -> None:
    stream = logged()
    structlog.get_logger("x").info(
        "round_started", hand=[1, 2], seats=[{"seat": 0, "tiles": ["R7"]}], meta={"shuffle_key": "k"}
    )
    event = only(stream)
    assert event["hand"] == HIDDEN
    assert event["seats"] == [{"seat": 0, "tiles": HIDDEN}]
    assert event["meta"] == {"shuffle_key": HIDDEN}


@pytest.mark.parametrize(
    "key",
    ["hand", "Hand", "tiles", "order", "stock_order", "secret", "access_token", "token", "shuffle_key",
     "authorization", "x-authorization", "db.password", "client_secret"],
)  # fmt: skip
def test_a_key_that_names_something_hidden_is_hidden(key: str) -> None:
    assert is_hidden_key(key)


@pytest.mark.parametrize("key", ["handler", "border", "version", "seat", "table_id", "event", "reason"])
def test_a_key_that_only_looks_alike_is_shown(key: str) -> None:
    assert not is_hidden_key(key)


def test_a_value_that_is_not_plain_is_named_by_its_type() -> None:
    class State:
        def __repr__(self) -> str:
            return "R7 R8"

    assert redact(None, "", {"state": State(), "raw": b"abc"}) == {"state": "<State>", "raw": "<3 bytes>"}


def test_plain_values_stay() -> None:
    number = uuid.UUID(int=1)
    assert scrub_value({"a": [1, 2.5, True, None, "x"], "id": number, "seat": Seat.EAST}) == {
        "a": [1, 2.5, True, None, "x"],
        "id": str(number),
        "seat": "EAST",
    }


def test_what_is_nested_too_deeply_is_named_by_its_type() -> None:
    nested: object = "x"
    for _ in range(10):
        nested = [nested]
    assert "<list>" in str(scrub_value(nested))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql+asyncpg://meld:p4ss@db/meld", f"postgresql+asyncpg://meld:{HIDDEN}@db/meld"),
        ("nats://:p4ss@nats:4222 failed", f"nats://:{HIDDEN}@nats:4222 failed"),
        ("got Bearer abc.def", f"got Bearer {HIDDEN}"),
        ("token eyJhbGciOi.eyJzdWI.c2ln!", f"token {HIDDEN}!"),
        ("http://localhost:80/a?b=c@d", "http://localhost:80/a?b=c@d"),
    ],
)
def test_texts_lose_passwords_and_tokens(text: str, expected: str) -> None:
    assert scrub_text(text) == expected
