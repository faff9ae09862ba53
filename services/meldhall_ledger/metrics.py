"""Every metric of the ledger."""

from prometheus_client import CollectorRegistry, Counter, Gauge


class LedgerMetrics:
    """What the ledger counts.

    Attributes:
        events: Events of tables by outcome (applied, duplicate, gap, poison).
        rounds_settled: Rounds settled by this process, those that moved nothing included.
        transfers_posted: Transfers that results and spent jokers caused in this process, by kind.
        poisoned_streams: Tables that wait for a person. Alert on anything above 0.
        findings: What the last check of all books found, by check. Alert on anything above 0.
        checked: When the books were last checked, Unix seconds. Alert when that is long ago.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.events = Counter(
            "meldhall_ledger_events_total", "Events of tables by outcome.", ("outcome",), registry=registry
        )
        self.rounds_settled = Counter(
            "meldhall_ledger_rounds_settled_total", "Rounds settled.", registry=registry
        )
        self.transfers_posted = Counter(
            "meldhall_ledger_transfers_posted_total",
            "Transfers posted from events.",
            ("kind",),
            registry=registry,
        )
        self.poisoned_streams = Gauge(
            "meldhall_ledger_poisoned_streams", "Tables that wait for a person.", registry=registry
        )
        self.findings = Gauge(
            "meldhall_ledger_findings",
            "What the last check of all books found.",
            ("check",),
            registry=registry,
        )
        self.checked = Gauge(
            "meldhall_ledger_checked_timestamp_seconds",
            "When the books were last checked.",
            registry=registry,
        )
