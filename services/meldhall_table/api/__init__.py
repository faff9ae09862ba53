"""The wire: translation between messages and the table, and nothing else."""
