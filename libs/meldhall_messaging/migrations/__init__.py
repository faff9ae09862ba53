"""Migrations of the table of stopped partitions, which the database of any consumer may have."""
