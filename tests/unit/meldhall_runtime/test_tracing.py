"""Trace context in and out."""

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from meldhall_runtime.config import ConfigError
from meldhall_runtime.tracing import Tracing, current_traceparent, exporter_from_environment

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_outside_of_any_span_there_is_no_traceparent() -> None:
    assert current_traceparent() == ""


def test_a_consumer_continues_the_trace_of_the_message() -> None:
    with Tracing("ledger", "1", "i").span_from(PARENT, "consume"):
        inside = current_traceparent()
    assert inside.split("-")[1] == PARENT.split("-")[1]
    assert inside.split("-")[2] != PARENT.split("-")[2]
    assert current_traceparent() == ""


@pytest.mark.parametrize("broken", ["", "junk", "00-0-0-0", PARENT.replace("0af7", "zzzz")])
def test_a_broken_traceparent_begins_a_new_trace(broken: str) -> None:
    with Tracing("ledger", "1", "i").span_from(broken, "consume"):
        assert len(current_traceparent()) == len(PARENT)


def test_a_span_inside_a_span_is_its_child() -> None:
    tracing = Tracing("ledger", "1", "i")
    with tracing.span_from(PARENT, "outer"), tracing.span("inner"):
        assert current_traceparent().split("-")[1] == PARENT.split("-")[1]


def test_a_processor_gets_finished_spans_with_the_services_name() -> None:
    exporter = InMemorySpanExporter()
    tracing = Tracing("ledger", "1", "i", SimpleSpanProcessor(exporter))
    with tracing.span("work", table_id="t1"):
        pass
    tracing.shutdown()
    (span,) = exporter.get_finished_spans()
    assert isinstance(span, ReadableSpan)
    assert span.resource.attributes["service.name"] == "meldhall-ledger"
    assert dict(span.attributes or {}) == {"table_id": "t1"}


def test_nothing_is_exported_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", raising=False)
    assert exporter_from_environment() is None


def test_an_endpoint_without_the_exporters_package_is_told_to_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
    monkeypatch.setattr("meldhall_runtime.tracing._EXPORTER", "meldhall_runtime.no_such_module")
    with pytest.raises(ConfigError, match="opentelemetry-exporter-otlp-proto-grpc"):
        exporter_from_environment()
