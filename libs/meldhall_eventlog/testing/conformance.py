"""The whole suite."""

from meldhall_eventlog.testing.appends import AppendCases
from meldhall_eventlog.testing.archives import ArchiveCases
from meldhall_eventlog.testing.fences import FenceCases
from meldhall_eventlog.testing.processes import ProcessCases
from meldhall_eventlog.testing.reads import ReadCases
from meldhall_eventlog.testing.shortcuts import ShortcutCases


class EventLogConformance(AppendCases, FenceCases, ReadCases, ShortcutCases, ArchiveCases, ProcessCases):
    """Everything that an adapter of the log must do."""
