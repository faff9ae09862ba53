"""Matchmaking: players who want a table find one."""
