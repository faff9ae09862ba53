"""Between messages and the ledger: translation alone."""
