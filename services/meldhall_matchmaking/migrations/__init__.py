"""Migrations of matchmaking's tables."""
