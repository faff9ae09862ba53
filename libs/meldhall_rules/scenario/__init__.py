"""Scenario files: a small position, moves from it, and what must hold after them.

``run_text`` runs the cases of a file through the same rules that the table engine uses.
Source: ``deploy/docs/scenarios.md``.
"""

from meldhall_rules.scenario.runner import CaseResult, run_text

__all__ = ["CaseResult", "run_text"]
