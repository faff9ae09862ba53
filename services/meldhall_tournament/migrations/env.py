"""Alembic's entry; all of it is in ``meldhall_eventlog.migrate``."""

from meldhall_eventlog.migrate import run_env

run_env()
