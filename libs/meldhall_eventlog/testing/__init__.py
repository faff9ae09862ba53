"""The suites that every adapter of the log passes, the leases too, and samples to write more tests with.

An adapter subclasses ``EventLogConformance`` and ``LeaseConformance`` (and ``ManyWriterCases`` where
transactions may overlap) in a test module and says how to make a database::

    class TestSqlite(EventLogConformance, LeaseConformance):
        @pytest.fixture
        def url(self, tmp_path: Path) -> str: ...

        async def execute_raw(self, url: str, statement: str) -> None: ...

Needs pytest and pytest-asyncio in auto mode; nothing else of the package imports this folder. Register
``meldhall_eventlog.testing`` for assertion rewriting in the ``conftest.py`` beside the test module.
"""

from meldhall_eventlog.testing.conformance import EventLogConformance
from meldhall_eventlog.testing.lease_base import Clock
from meldhall_eventlog.testing.leases import LeaseConformance
from meldhall_eventlog.testing.samples import appending, new_event, new_events, whole_log
from meldhall_eventlog.testing.writers import ManyWriterCases

__all__ = [
    "Clock",
    "EventLogConformance",
    "LeaseConformance",
    "ManyWriterCases",
    "appending",
    "new_event",
    "new_events",
    "whole_log",
]
