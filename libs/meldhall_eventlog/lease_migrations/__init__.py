"""Migrations of the table of named leases, which any database may have."""
