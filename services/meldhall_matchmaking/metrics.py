"""Every metric of matchmaking."""

from collections.abc import Iterable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from meldhall_matchmaking.domain.ticket import Ticket, TicketState

SECONDS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0)


class MatchmakingMetrics:
    """What matchmaking counts.

    Attributes:
        enqueued: Tickets made.
        ended: Tickets that ended, by outcome (matched, cancelled, expired).
        waiting: Tickets that wait for players, at the last look.
        wait_seconds: Time from a ticket to its table.
        proposal_failures: Groups that no table could be opened for, by reason: refused, unavailable, late,
            stakes (not held), and broken for what should not happen. Alert on that one.
        parts_led: Parts of the pools that this process leads. Alert where the sum is not 4.
        rated: Ranked matches that moved ratings.
        table_service_up: 0 when the last group found no table service that answered, else 1.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.enqueued = Counter(
            "meldhall_matchmaking_tickets_enqueued_total", "Tickets made.", registry=registry
        )
        self.ended = Counter(
            "meldhall_matchmaking_tickets_ended_total",
            "Tickets that ended, by outcome.",
            ("outcome",),
            registry=registry,
        )
        self.waiting = Gauge(
            "meldhall_matchmaking_tickets_waiting", "Tickets that wait for players.", registry=registry
        )
        self.wait_seconds = Histogram(
            "meldhall_matchmaking_wait_seconds",
            "Time from a ticket to its table.",
            buckets=SECONDS,
            registry=registry,
        )
        self.proposal_failures = Counter(
            "meldhall_matchmaking_proposal_failures_total",
            "Groups that no table could be opened for, by reason.",
            ("reason",),
            registry=registry,
        )
        self.parts_led = Gauge(
            "meldhall_matchmaking_parts_led", "Parts of the pools that this process leads.", registry=registry
        )
        self.rated = Counter(
            "meldhall_matchmaking_matches_rated_total",
            "Ranked matches that moved ratings.",
            registry=registry,
        )
        self.table_service_up = Gauge(
            "meldhall_matchmaking_table_service_up",
            "Whether the table service answered when it was last asked.",
            registry=registry,
        )
        self.table_service_up.set(1)

    def count_ended(self, tickets: Iterable[Ticket], now_ms: int) -> None:
        """Count those of ``tickets`` that have come to their end, now in Unix milliseconds."""
        for ticket in tickets:
            if ticket.state.is_final:
                self.ended.labels(ticket.state.value).inc()
            if ticket.state is TicketState.MATCHED:
                self.wait_seconds.observe(max(0, now_ms - ticket.enqueued_at_ms) / 1000)
