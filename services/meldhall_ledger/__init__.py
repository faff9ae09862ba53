"""The ledger: points, jokers and coins in double entry."""
