"""Every metric of the runtime, declared here. Each runtime has a registry of its own."""

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RuntimeMetrics:
    """What the runtime counts.

    Attributes:
        registry: Where a service declares its own metrics too; /metrics shows all of it.
        requests: Finished calls by method and status code.
        request_seconds: Time from a unary call's arrival to its answer.
        open_streams: Streams that are open now, by method.
        loop_lag: How late the event loop ran a timer, last measurement.
        tasks: Background tasks that run now.
        loop_tasks: Tasks of the event loop, all of them, when the page was asked for.
        ready: 1 when every readiness check passes and the service does not drain.
    """

    def __init__(self, service: str, version: str, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry if registry is not None else CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.requests = Counter(
            "meldhall_grpc_requests_total", "Finished calls.", ("method", "code"), registry=self.registry
        )
        self.request_seconds = Histogram(
            "meldhall_grpc_request_duration_seconds",
            "Time from a unary call's arrival to its answer.",
            ("method",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.open_streams = Gauge(
            "meldhall_grpc_streams_open", "Streams that are open.", ("method",), registry=self.registry
        )
        self.loop_lag = Gauge(
            "meldhall_runtime_loop_lag_seconds",
            "How late the event loop ran a timer.",
            registry=self.registry,
        )
        self.tasks = Gauge(
            "meldhall_runtime_tasks_running", "Background tasks that run.", registry=self.registry
        )
        self.loop_tasks = Gauge(
            "meldhall_runtime_loop_tasks", "Tasks of the event loop.", registry=self.registry
        )
        self.ready = Gauge("meldhall_runtime_ready", "1 when the service is ready.", registry=self.registry)
        build = Gauge("meldhall_build_info", "Always 1.", ("service", "version"), registry=self.registry)
        build.labels(service, version).set(1)
