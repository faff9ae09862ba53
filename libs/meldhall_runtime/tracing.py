"""W3C trace context: taken from callers, handed to callees and messages.

Without an exporter spans only carry ids, for logs and for the next service; nothing leaves the process. An
exporter is used when ``OTEL_EXPORTER_OTLP_ENDPOINT`` (or ``…_TRACES_ENDPOINT``) is set and the package
opentelemetry-exporter-otlp-proto-grpc is there.
"""

import importlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from meldhall_runtime.config import ConfigError

TRACEPARENT: Final = "traceparent"
_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_EXPORTER: Final = "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"
_propagator: Final = TraceContextTextMapPropagator()


def current_traceparent() -> str:
    """The current span as a W3C ``traceparent``, or an empty text outside of any span."""
    carrier: dict[str, str] = {}
    _propagator.inject(carrier)
    return carrier.get(TRACEPARENT, "")


class Tracing:
    """Makes the spans of one service.

    Args:
        service: Its name.
        version: Its version.
        instance: Which of its processes.
        processor: What takes finished spans; None for none.
    """

    def __init__(
        self, service: str, version: str, instance: str, processor: SpanProcessor | None = None
    ) -> None:
        self._provider = TracerProvider(
            sampler=ParentBased(ALWAYS_ON if processor else ALWAYS_OFF),
            resource=Resource(
                {
                    "service.name": f"meldhall-{service}",
                    "service.version": version,
                    "service.instance.id": instance,
                }
            ),
            shutdown_on_exit=False,
        )
        if processor is not None:
            self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("meldhall", version)

    @contextmanager
    def span(self, name: str, carrier: Mapping[str, str] | None = None, **attributes: str) -> Iterator[Span]:
        """Run the body inside a new span: a child of the carrier's trace context, else of the current span.

        Args:
            name: What the span does, such as a method name.
            carrier: Metadata that may have a ``traceparent``. A broken one starts a new trace.
            attributes: Plain attributes; nothing hidden belongs in them.
        """
        parent = _propagator.extract(carrier) if carrier is not None else None
        kind = SpanKind.INTERNAL if carrier is None else SpanKind.SERVER
        span = self._tracer.start_span(name, parent, kind=kind, attributes=attributes)
        attached = otel_context.attach(trace.set_span_in_context(span, parent))
        try:
            yield span
        finally:
            otel_context.detach(attached)
            span.end()

    @contextmanager
    def span_from(self, traceparent: str, name: str, **attributes: str) -> Iterator[Span]:
        """Run the body inside a span that continues ``traceparent``, as a consumer of a message does.

        An empty or broken ``traceparent`` starts a new trace.
        """
        with self.span(name, {TRACEPARENT: traceparent}, **attributes) as span:
            yield span

    def shutdown(self) -> None:
        """Send what is left. It may block for the exporter's time-out, so call it outside of the loop."""
        self._provider.shutdown()


def exporter_from_environment() -> SpanProcessor | None:
    """The processor that the OpenTelemetry variables ask for, or None when they ask for nothing.

    Raises:
        ConfigError: An endpoint is set and the exporter's package is missing.
    """
    wanted = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if wanted is None:
        return None
    try:
        module: Any = importlib.import_module(_EXPORTER)
    except ImportError:
        raise ConfigError(
            f"{wanted} is set, which needs the package opentelemetry-exporter-otlp-proto-grpc"
        ) from None
    return BatchSpanProcessor(module.OTLPSpanExporter())
