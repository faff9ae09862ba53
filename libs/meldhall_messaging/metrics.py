"""Every metric of messaging."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

HANDLER_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class MessagingMetrics:
    """What bus, relays and consumers of one process count.

    Attributes:
        bus_connected: 1 while connected to NATS.
        bus_connections: Connections made, the first included.
        bus_errors: Errors that the client reported, by kind.
        relay_published: Events that the stream acknowledged, by relay.
        relay_failures: Windows that failed and are tried again, by relay.
        relay_rewinds: Times that a relay went back to publish again, by relay and reason.
        relay_lag_events: Events waiting, at most one window's worth, by relay.
        relay_lag_seconds: Age of the oldest event that waits, by relay.
        relay_active: 1 in the process whose relay works, by relay. Their sum is 1.
        relay_stopped: 1 when a relay met an event that it cannot publish, by relay. Alert on it.
        consumed: Deliveries by consumer and outcome (applied, retried, poison, covered).
        gaps: Gaps that were filled from the owner, by consumer.
        partitions_stopped: Partitions that wait for a person, by consumer. Alert on it.
        handler_seconds: Time in the handler for one event, by consumer.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"meldhall_messaging_{name}", text, labels, registry=registry)

        def gauge(name: str, text: str, *labels: str) -> Gauge:
            return Gauge(f"meldhall_messaging_{name}", text, labels, registry=registry)

        self.bus_connected = gauge("bus_connected", "1 while connected to NATS.")
        self.bus_connections = counter("bus_connections_total", "Connections made to NATS.")
        self.bus_errors = counter("bus_errors_total", "Errors that the NATS client reported.", "kind")
        self.relay_published = counter("relay_published_total", "Events acknowledged by the stream.", "relay")
        self.relay_failures = counter("relay_failures_total", "Windows that failed.", "relay")
        self.relay_rewinds = counter("relay_rewinds_total", "Times a relay went back.", "relay", "reason")
        self.relay_lag_events = gauge("relay_lag_events", "Events waiting, at most a window.", "relay")
        self.relay_lag_seconds = gauge("relay_lag_seconds", "Age of the oldest event waiting.", "relay")
        self.relay_active = gauge("relay_active", "1 where this process relays.", "relay")
        self.relay_stopped = gauge("relay_stopped", "1 when an event cannot be published.", "relay")
        self.consumed = counter("consumed_total", "Deliveries handled.", "consumer", "outcome")
        self.gaps = counter("gaps_total", "Gaps filled from the owner.", "consumer")
        self.partitions_stopped = gauge("partitions_stopped", "Partitions stopped by poison.", "consumer")
        self.handler_seconds = Histogram(
            "meldhall_messaging_handler_seconds",
            "Time in the handler for one event.",
            ("consumer",),
            buckets=HANDLER_SECONDS,
            registry=registry,
        )
