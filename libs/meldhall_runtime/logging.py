"""Logs: one set-up for our own events and for those of the libraries underneath.

People at a terminal get aligned lines, machines get one JSON object a line. Events are ``noun_verb`` in
snake_case with keys. Everything passes ``meldhall_runtime.redaction``. Tracebacks are plain: a pretty one
would print local variables, and hands are local variables somewhere.
"""

import logging
import sys
from typing import Final, Literal, TextIO

import structlog
from opentelemetry import trace
from structlog.typing import EventDict, Processor, WrappedLogger

from meldhall_runtime.redaction import redact

LogFormat = Literal["auto", "console", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]

_CHATTY: Final = (
    "sqlalchemy.engine",
    "sqlalchemy.pool",
    "aiosqlite",
    "alembic.runtime.migration",
    "alembic.runtime.plugins",
    "asyncio",
    "nats",
)
"""Loggers that tell of every statement or connection; they are held at WARNING."""


class _OurHandler(logging.StreamHandler[TextIO]):
    """Marks the handler that a second call replaces; handlers of others stay."""


def add_trace_ids(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Structlog processor: name the current span as ``trace_id`` and ``span_id`` in hexadecimal."""
    span = trace.get_current_span().get_span_context()
    if span.is_valid:
        event["trace_id"] = f"{span.trace_id:032x}"
        event["span_id"] = f"{span.span_id:016x}"
    return event


def configure_logging(
    log_format: LogFormat = "auto", level: LogLevel = "info", stream: TextIO | None = None
) -> None:
    """Send every log of the process to ``stream`` (standard error when None).

    ``auto`` is ``console`` when the stream is a terminal and ``json`` otherwise. Calling it again replaces
    what was set.
    """
    out = stream if stream is not None else sys.stderr
    pretty = log_format == "console" or (log_format == "auto" and out.isatty())
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        add_trace_ids,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = _OurHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*before, structlog.stdlib.ExtraAdder()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                redact,
                _renderer(pretty=pretty, colors=out.isatty()),
            ],
        )
    )
    root = logging.getLogger()
    for old in [handler for handler in root.handlers if isinstance(handler, _OurHandler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    logging.captureWarnings(capture=True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def _renderer(*, pretty: bool, colors: bool) -> Processor:
    if not pretty:
        return structlog.processors.JSONRenderer(sort_keys=True)
    return structlog.dev.ConsoleRenderer(
        colors=colors, timestamp_key="time", exception_formatter=structlog.dev.plain_traceback
    )
