"""Exact solvers: what a hand is worth and how to lay it."""
