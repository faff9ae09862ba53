"""Migrations of the tournaments' tables."""
