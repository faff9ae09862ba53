"""Every metric of tournaments."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge

from meldhall_tournament.domain import events as e


class TournamentMetrics:
    """What tournaments count.

    Attributes:
        events: What happened, by type.
        results: Results, by where they come from.
        failures: What went wrong while something was due, by what: table, ledger, broken. ``broken`` is what
            should not happen; it has paused its tournament.
        unsettled: Tournaments that are not over, or have money to move.
        paused: Tournaments that wait for somebody to resume them.
        refused_orders: Orders that the ledger refused at the last try, fees of registrations aside. Alert
            when it stays above 0.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.events = Counter(
            "meldhall_tournament_events_total", "What happened, by type.", ("type",), registry=registry
        )
        self.results = Counter(
            "meldhall_tournament_results_total", "Results, by source.", ("source",), registry=registry
        )
        self.failures = Counter(
            "meldhall_tournament_failures_total",
            "What went wrong while something was due.",
            ("what",),
            registry=registry,
        )
        self.unsettled = Gauge(
            "meldhall_tournament_unsettled",
            "Tournaments that are not over, or have money to move.",
            registry=registry,
        )
        self.paused = Gauge(
            "meldhall_tournament_paused", "Tournaments that wait to be resumed.", registry=registry
        )
        self.refused_orders = Gauge(
            "meldhall_tournament_refused_orders",
            "Orders that the ledger refused at the last try.",
            registry=registry,
        )

    def count(self, _tournament_id: str, happened: Sequence[e.Event]) -> None:
        """Count what happened."""
        for event in happened:
            self.events.labels(type(event).__name__).inc()
            if isinstance(event, e.ResultRecorded):
                self.results.labels(event.source.value).inc()
