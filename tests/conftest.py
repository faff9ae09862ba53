"""Fixtures that every kind of test may ask for. Servers listen on loopback and end with the test."""

pytest_plugins = [
    "tests.fixtures.nats",
    "tests.fixtures.nats_cluster",
    "tests.fixtures.postgres",
    "tests.fixtures.messaging",
]
