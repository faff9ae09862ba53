"""Finished streams in compressed files beside the database: written, read like a log, verified.

``files`` is the format, ``reading`` a folder of such files as a log that can only be read, ``moving`` the way
out of the database. Source: ``deploy/docs/archive.md``.
"""

from meldhall_eventlog.archive.moving import ArchiveBusy, Moved, Plan, move_finished
from meldhall_eventlog.archive.reading import ArchivedLog

__all__ = ["ArchiveBusy", "ArchivedLog", "Moved", "Plan", "move_finished"]
