"""The ledger's rules: accounts, transfers, holds, and what a table's events mean for them."""
