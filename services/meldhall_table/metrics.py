"""Every metric of the table engine, declared here."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

APPEND_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class TableMetrics:
    """What the table engine counts.

    Attributes:
        live: Open tables in memory.
        commands: Commands by outcome: accepted, nothing (no event), repeated, refused, failed.
        append_seconds: Time of an append, from its call until it is durable.
        watchers: Open watches.
        automatic_turns: Turns played automatically, by reason.
        bot_faults: Moves of bots that the rules refused, or that failed.
        purse_failures: Rounds dealt without jokers because the accounts did not answer.
        activations: Tables read back from the log, by outcome.
        snapshots: States of tables kept, by outcome: written, failed.
        evictions: Tables dropped from memory since nobody asked for them.
        shards: Shards that this engine serves.
        shard_moves: Shards that came and went: claimed, given_up, lost.
        step_downs: Times that the engine gave everything up because its lease had run out.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.live = Gauge("meldhall_table_tables_live", "Open tables in memory.", registry=registry)
        self.commands = Counter(
            "meldhall_table_commands_total", "Commands by outcome.", ("outcome",), registry=registry
        )
        self.append_seconds = Histogram(
            "meldhall_table_append_duration_seconds",
            "Time until an append is durable.",
            buckets=APPEND_SECONDS,
            registry=registry,
        )
        self.watchers = Gauge("meldhall_table_watchers_open", "Open watches.", registry=registry)
        self.automatic_turns = Counter(
            "meldhall_table_automatic_turns_total",
            "Turns played automatically.",
            ("reason",),
            registry=registry,
        )
        self.bot_faults = Counter(
            "meldhall_table_bot_faults_total", "Moves of bots that failed.", registry=registry
        )
        self.purse_failures = Counter(
            "meldhall_table_purse_failures_total",
            "Rounds dealt without jokers because the accounts did not answer.",
            registry=registry,
        )
        self.activations = Counter(
            "meldhall_table_activations_total",
            "Tables read back from the log.",
            ("outcome",),
            registry=registry,
        )
        self.snapshots = Counter(
            "meldhall_table_snapshots_total", "States of tables kept.", ("outcome",), registry=registry
        )
        self.evictions = Counter(
            "meldhall_table_evictions_total",
            "Tables dropped from memory since nobody asked for them.",
            registry=registry,
        )
        self.shards = Gauge(
            "meldhall_table_shards_held", "Shards that this engine serves.", registry=registry
        )
        self.shard_moves = Counter(
            "meldhall_table_shard_moves_total", "Shards that came and went.", ("how",), registry=registry
        )
        self.step_downs = Counter(
            "meldhall_table_step_downs_total",
            "Times that everything was given up because the lease had run out.",
            registry=registry,
        )
