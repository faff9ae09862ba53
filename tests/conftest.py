"""Fixtures that every kind of test may ask for. Servers listen on the loopback address and end with the test."""

pytest_plugins = [
    "tests.fixtures.nats",
    "tests.fixtures.messaging",
]
